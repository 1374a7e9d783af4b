-- Runs outside a transaction.
-- What is simulated for an address that is no webhook, by the account: nobody waits for the receivers of others.
drop index concurrently if exists delivery_queue_free;
create index concurrently delivery_queue_free on delivery_queue (lane, account_id, next_time, seq) where webhook_id = 'WEBHOOK_ID';
