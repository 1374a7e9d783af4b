-- One try to pay an invoice on its page. A nonce is used once; only one try of an invoice is under way at a time, so
-- that two windows can never collect more than is due.
create table payment_attempts (
  account_id  text collate "C" not null references accounts on delete cascade,
  id          text collate "C" not null,
  invoice_id  text collate "C" not null,
  nonce       text collate "C" not null,
  status      text collate "C" not null
    check (status in ('OPEN', 'PENDING', 'COMPLETED', 'DENIED', 'REVERSED')),
  version     int not null default 1,
  body        jsonb not null,
  create_time instant not null,
  primary key (account_id, id)
);
create unique index payment_attempts_id on payment_attempts (id);
create unique index payment_attempts_nonce on payment_attempts (nonce);
create unique index payment_attempts_open on payment_attempts (account_id, invoice_id) where status = 'OPEN';

-- What was mailed, or would have been: the sandbox keeps every mail to be read.
create table mails (
  seq         bigint generated always as identity,
  account_id  text collate "C" not null references accounts on delete cascade,
  id          text collate "C" not null,
  recipients  text[] collate "C" not null,
  body        jsonb not null,
  create_time instant not null,
  primary key (account_id, id)
);
create index mails_newest on mails (seq desc);
create index mails_of_recipient on mails using gin (recipients);
