-- A dispute belongs to the seller and is also found by the buyer. The document is the truth; the columns beside it are
-- what lists filter and sort by, written in the same statement.
create table disputes (
  account_id       text collate "C" not null references accounts,
  id               text collate "C" not null,
  body             jsonb not null,
  version          int not null default 1,
  buyer_account_id text collate "C",
  reason           text collate "C" not null,
  status           text collate "C" not null
                   check (status in ('OPEN', 'WAITING_FOR_BUYER_RESPONSE', 'WAITING_FOR_SELLER_RESPONSE', 'UNDER_REVIEW', 'RESOLVED')),
  stage            text collate "C" not null check (stage in ('INQUIRY', 'CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION')),
  flow             text collate "C" not null check (flow in ('NONE', 'OFFER', 'EVIDENCE', 'RETURN', 'ACK')),
  channel          text collate "C" not null check (channel in ('INTERNAL', 'EXTERNAL', 'ALERT')),
  -- What each side is to do; the same dispute has another state for each.
  seller_state     text collate "C" not null,
  buyer_state      text collate "C" not null,
  currency         text collate "C" not null,
  amount           bigint not null check (amount >= 0),
  refunded         bigint not null default 0 check (refunded between 0 and amount),
  due_time         instant,
  outcome_code     text collate "C",
  buyer_email      text collate "C",
  buyer_name       text collate "C",
  invoice_number   text collate "C",
  -- What lists show to each side, ready to be sent, and whether more information is taken now, which is a link there.
  seller_summary   text not null,
  buyer_summary    text not null,
  takes_info       boolean not null,
  create_time      instant not null,
  update_time      instant not null,
  primary key (account_id, id)
);
create unique index disputes_id on disputes (id);
create index disputes_of_seller on disputes (account_id, create_time desc, id desc);
create index disputes_of_seller_by_update on disputes (account_id, update_time desc, id desc);
create index disputes_of_seller_by_state on disputes (account_id, seller_state, create_time desc, id desc);
create index disputes_of_seller_by_status on disputes (account_id, status, create_time desc, id desc);
create index disputes_of_seller_by_reason on disputes (account_id, reason, create_time desc, id desc);
create index disputes_of_seller_by_stage on disputes (account_id, stage, create_time desc, id desc);
create index disputes_of_seller_by_flow on disputes (account_id, flow, create_time desc, id desc) where flow <> 'NONE';
create index disputes_of_seller_by_channel on disputes (account_id, channel, create_time desc, id desc);
create index disputes_of_seller_by_currency on disputes (account_id, currency, create_time desc, id desc);
create index disputes_of_seller_by_amount on disputes (account_id, amount);
create index disputes_of_seller_by_due on disputes (account_id, due_time desc, id desc) where due_time is not null;
create index disputes_of_seller_by_email on disputes (account_id, buyer_email, create_time desc, id desc) where buyer_email is not null;
create index disputes_of_seller_by_name on disputes (account_id, buyer_name, create_time desc, id desc) where buyer_name is not null;
create index disputes_of_seller_by_invoice on disputes (account_id, invoice_number, create_time desc, id desc) where invoice_number is not null;
create index disputes_of_buyer on disputes (buyer_account_id, create_time desc, id desc) where buyer_account_id is not null;
create index disputes_of_buyer_by_state on disputes (buyer_account_id, buyer_state, create_time desc, id desc)
  where buyer_account_id is not null;

-- The payments of each dispute. One dispute between the parties a payment, for ever; a bank may open others.
create table disputed_transactions (
  account_id           text collate "C" not null,
  transaction_id       text collate "C" not null,
  dispute_id           text collate "C" not null,
  buyer_transaction_id text collate "C" not null,
  channel              text collate "C" not null,
  primary key (account_id, transaction_id, dispute_id),
  foreign key (account_id, dispute_id) references disputes
);
create unique index disputed_once on disputed_transactions (account_id, transaction_id) where channel = 'INTERNAL';
create index disputed_transactions_of_buyer on disputed_transactions (buyer_transaction_id);
create index disputed_transactions_of_dispute on disputed_transactions (account_id, dispute_id);

-- Files live beside the row that names them and commit with it: either both are there or neither. They are few, at most
-- ten mebibytes each, and this way a backup of the database is a backup of everything.
create table dispute_documents (
  account_id   text collate "C" not null,
  document_id  text collate "C" not null,
  n            int not null,
  dispute_id   text collate "C" not null,
  name         text not null,
  content_type text not null,
  bytes        bytea not null,
  create_time  instant not null,
  primary key (account_id, document_id, n),
  foreign key (account_id, dispute_id) references disputes
);
alter table dispute_documents alter column bytes set storage external;
create unique index dispute_documents_id on dispute_documents (document_id, n);
create index dispute_documents_of_dispute on dispute_documents (account_id, dispute_id);

-- Work that was promised with a 202, for those who ask how it went.
create table dispute_requests (
  account_id        text collate "C" not null,
  id                text collate "C" not null,
  dispute_id        text collate "C" not null,
  -- Done when the dispute has paid out rather than at once.
  waits_for_refund  boolean not null,
  create_time       instant not null,
  primary key (account_id, id)
);

-- Disputes that another marketplace decides and tells us about.
create table referred_disputes (
  account_id  text collate "C" not null references accounts,
  id          text collate "C" not null,
  body        jsonb not null,
  version     int not null default 1,
  status      text collate "C" generated always as (body->>'status') stored not null check (status in ('OPEN', 'CLOSED')),
  flow        text collate "C" generated always as (body->>'dispute_flow') stored,
  transaction_id text collate "C" generated always as (body->'transaction'->>'id') stored not null,
  create_time instant not null,
  primary key (account_id, id)
);
create index referred_disputes_by_time on referred_disputes (account_id, create_time desc, id desc);
create index referred_disputes_of_transaction on referred_disputes (account_id, transaction_id);

-- Events about disputes that other systems told us; kept as they came.
create table dispute_event_inbox (
  account_id  text collate "C" not null,
  source      text collate "C" not null,
  id          text collate "C" not null,
  body        jsonb not null,
  create_time instant not null,
  primary key (account_id, source, id)
);
