-- Runs outside a transaction.
-- The newest invoices with a day in a range are those of its last days, but for such that were made months after their day. These
-- stand in indexes of their own, which are as small as they are few, so that a day of a year costs a look into a small tree.
drop index concurrently if exists invoices_issued_late;
create index concurrently invoices_issued_late on invoices (account_id, invoice_date, create_time desc, seq desc)
  where left(create_time, 7) > left(invoice_date, 7);
drop index concurrently if exists invoices_due_late;
create index concurrently invoices_due_late on invoices (account_id, due_date, create_time desc, seq desc)
  where left(create_time, 7) > left(due_date, 7);
drop index concurrently if exists invoice_transactions_paid_late;
create index concurrently invoice_transactions_paid_late
  on invoice_transactions (account_id, day, invoice_create_time desc, invoice_seq desc)
  where kind = 'PAYMENT' and left(invoice_create_time, 7) > left(day, 7);
