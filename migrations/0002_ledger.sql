-- Money that moved through the service. Every movement is a ledger transaction of one account's books: its entries add
-- up to zero in each currency, are written once and never changed. All books of a seller stand under the seller, those of
-- its payers and of the service included, so that no two sellers ever write to the same row.
create table ledger_entries (
  account_id     text collate "C" not null,
  transaction_id text collate "C" not null,
  line           int not null,
  book           text collate "C" not null check (book in ('balance', 'hold', 'pending', 'payer', 'fees', 'service')),
  currency       text collate "C" not null,
  amount         bigint not null check (amount <> 0),
  kind           text collate "C" not null,
  -- What moved it: a payment, a refund, a dispute.
  reference      text collate "C" not null,
  -- The book must not be below zero once this entry is posted.
  covered        boolean not null,
  create_time    instant not null,
  primary key (account_id, transaction_id, line)
);
create index ledger_entries_reference on ledger_entries (account_id, reference);

-- What the entries of a book add up to, kept by the trigger below and by nothing else.
create table ledger_balances (
  account_id text collate "C" not null,
  book       text collate "C" not null,
  currency   text collate "C" not null,
  amount     bigint not null,
  primary key (account_id, book, currency)
);

-- All entries of a ledger transaction come in one statement, so it must balance when the statement ends. A book that a
-- covered entry would leave below zero raises the code of a lost guard: the work starts over, reads the new balance and
-- refuses in its own words. What is held or pending is never less than nothing, whatever a caller forgot to check.
create function ledger_post() returns trigger language plpgsql as $$
declare
  broken record;
begin
  select account_id, transaction_id, currency into broken
    from posted group by account_id, transaction_id, currency having sum(amount) <> 0 limit 1;
  if found then
    raise exception 'ledger transaction % does not balance in %', broken.transaction_id, broken.currency
      using errcode = '23514', constraint = 'ledger_entries_balance';
  end if;

  with change as (
    select account_id, book, currency, sum(amount) as amount, bool_or(covered) as covered
      from posted group by account_id, book, currency
  ), applied as (
    insert into ledger_balances as held (account_id, book, currency, amount)
    select account_id, book, currency, amount from change order by account_id, book, currency
    on conflict (account_id, book, currency) do update set amount = held.amount + excluded.amount
    returning held.account_id, held.book, held.currency, held.amount
  )
  select applied.account_id, applied.book, change.covered into broken
    from applied join change using (account_id, book, currency)
   where applied.amount < 0 and (change.covered or applied.book in ('hold', 'pending')) limit 1;
  if found then
    raise exception 'book % of account % is overdrawn', broken.book, broken.account_id
      using errcode = case when broken.covered then 'QT001' else '23514' end, constraint = 'ledger_balances_overdrawn';
  end if;
  return null;
end $$;

create trigger ledger_post after insert on ledger_entries
  referencing new table as posted for each statement execute function ledger_post();

create function ledger_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'ledger entries are never changed; post the opposite entry' using errcode = '23514',
    constraint = 'ledger_entries_append_only';
end $$;

create trigger ledger_append_only before update or delete on ledger_entries
  for each row execute function ledger_refuse_change();

-- A payment someone made to a seller. The id is the seller's transaction id, which is also the id of its capture.
create table payment_transactions (
  account_id           text collate "C" not null references accounts,
  id                   text collate "C" not null,
  body                 jsonb not null,
  version              int not null default 1,
  buyer_transaction_id text collate "C" generated always as (body->>'buyer_transaction_id') stored not null,
  invoice_id           text collate "C" generated always as (body->>'invoice_id') stored,
  currency             text collate "C" not null,
  captured             bigint not null check (captured > 0),
  refunded             bigint not null default 0,
  held                 bigint not null default 0,
  create_time          instant not null,
  primary key (account_id, id),
  constraint payment_transactions_refunded check (refunded between 0 and captured),
  constraint payment_transactions_held check (held between 0 and captured - refunded)
);
create unique index payment_transactions_id on payment_transactions (id);
create unique index payment_transactions_buyer_id on payment_transactions (buyer_transaction_id);
create index payment_transactions_of_invoice on payment_transactions (account_id, invoice_id) where invoice_id is not null;

create table payment_refunds (
  account_id     text collate "C" not null,
  id             text collate "C" not null,
  transaction_id text collate "C" not null,
  body           jsonb not null,
  amount         bigint not null check (amount > 0),
  create_time    instant not null,
  primary key (account_id, id),
  foreign key (account_id, transaction_id) references payment_transactions
);
create index payment_refunds_of_transaction on payment_refunds (account_id, transaction_id);
