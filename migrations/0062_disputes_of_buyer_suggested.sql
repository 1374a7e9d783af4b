-- Runs outside a transaction.
-- What a buyer may be looking for, by how it begins: the next one of each, without stepping through all of their disputes.
drop index concurrently if exists disputes_of_buyer_by_id;
create index concurrently disputes_of_buyer_by_id on disputes (buyer_account_id, id) where buyer_account_id is not null;
drop index concurrently if exists disputes_of_buyer_by_name;
create index concurrently disputes_of_buyer_by_name on disputes (buyer_account_id, buyer_name, create_time desc, id desc)
  where buyer_account_id is not null and buyer_name is not null;
drop index concurrently if exists disputes_of_buyer_by_invoice;
create index concurrently disputes_of_buyer_by_invoice on disputes (buyer_account_id, invoice_number)
  where buyer_account_id is not null and invoice_number is not null;
