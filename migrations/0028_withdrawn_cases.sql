-- A case that its payer took back on the page no longer stands in the way of another one about the same payment.
alter table disputed_transactions add column withdrawn boolean not null default false;
drop index disputed_once;
create unique index disputed_once on disputed_transactions (account_id, transaction_id)
  where channel = 'INTERNAL' and not withdrawn;
