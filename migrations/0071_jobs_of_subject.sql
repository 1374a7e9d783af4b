-- Runs outside a transaction.
-- What falls due about one dispute, invoice or payment, as a sandbox is asked. Only jobs that lie ahead stand in it, of which there
-- are few new ones; those that are due are being done.
drop index concurrently if exists jobs_of_subject;
create index concurrently jobs_of_subject on jobs (
  coalesce(payload->>'dispute_id', payload->>'invoice_id', payload->>'capture_id', payload->>'refund_id')
) where not due and parked_time is null;
