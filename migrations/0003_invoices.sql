-- An invoice is a document; beside it stands what lists, searches and constraints read. Columns that are plain parts of
-- the document are generated, those that need our own rules (case, money, words) are written in the same statement.
create table invoices (
  account_id     text collate "C" not null references accounts on delete cascade,
  id             text collate "C" not null,
  -- Creation order, also where the clock stands still.
  seq            bigint generated always as identity,
  version        int not null default 1,
  body           jsonb not null,
  create_time    instant not null,
  number_key     text collate "C" not null,
  amount_minor   bigint not null,
  emails         text[] collate "C" not null,
  first_names    text collate "C",
  last_names     text collate "C",
  business_names text collate "C",
  reference      text collate "C",
  memo           text collate "C",
  item_text      text collate "C",
  -- Three-letter pieces of the texts above and the whole e-mail addresses, so that a search inside words needs no scan.
  grams          tsvector not null,
  status         text collate "C" generated always as (body->>'status') stored not null,
  currency_code  text collate "C" generated always as (body#>>'{detail,currency_code}') stored not null,
  invoice_date   text collate "C" generated always as (body#>>'{detail,invoice_date}') stored not null,
  due_date       text collate "C" generated always as (body#>>'{detail,payment_term,due_date}') stored,
  primary key (account_id, id)
-- Searches read many rows and few documents, so documents stand apart from the rows.
) with (toast_tuple_target = 1024);
-- Case does not make two numbers different. A deleted invoice is gone, so its number is free at once.
create unique index invoices_number on invoices (account_id, number_key);
create index invoices_newest on invoices (account_id, create_time desc, seq desc) include (id);
create index invoices_status on invoices (account_id, status, create_time desc, seq desc) include (id);
create index invoices_currency on invoices (account_id, currency_code, create_time desc, seq desc) include (id);
create index invoices_issued on invoices (account_id, invoice_date, create_time desc, seq desc) include (id);
create index invoices_due on invoices (account_id, due_date, create_time desc, seq desc) include (id)
  where due_date is not null;
create index invoices_amount on invoices (account_id, currency_code, amount_minor, create_time desc, seq desc) include (id);
create index invoices_grams on invoices using gin (grams) with (gin_pending_list_limit = 1024);
-- The hosted page knows an invoice by its code alone.
create index invoices_code on invoices (id);

-- The money on an invoice, one row each; the document holds a copy that is written in the same statement.
create table invoice_transactions (
  account_id          text collate "C" not null,
  id                  text collate "C" not null,
  invoice_id          text collate "C" not null,
  kind                text not null check (kind in ('PAYMENT', 'REFUND')),
  type                text not null check (type in ('EXTERNAL', 'SERVICE')),
  day                 text collate "C" not null,
  currency_code       text collate "C" not null,
  amount_minor        bigint not null check (amount_minor > 0),
  pending             boolean not null default false,
  create_time         instant not null,
  -- The invoice's own, so that a search by payment date can list the newest invoices first.
  invoice_create_time instant not null,
  invoice_seq         bigint not null,
  primary key (account_id, id),
  foreign key (account_id, invoice_id) references invoices on delete cascade
);
create index invoice_transactions_of_invoice on invoice_transactions (account_id, invoice_id);
create index invoice_transactions_paid
  on invoice_transactions (account_id, day, invoice_create_time desc, invoice_seq desc, invoice_id) where kind = 'PAYMENT';

create table invoice_templates (
  account_id  text collate "C" not null references accounts on delete cascade,
  id          text collate "C" not null,
  seq         bigint generated always as identity,
  version     int not null default 1,
  body        jsonb not null,
  name_key    text collate "C" not null,
  create_time instant not null,
  primary key (account_id, id)
);
create unique index invoice_templates_name on invoice_templates (account_id, name_key);

-- Which template a merchant's invoices start from; the system's `Quantity` where there is no row.
create table invoice_settings (
  account_id          text collate "C" primary key references accounts on delete cascade,
  default_template_id text collate "C" not null
);
