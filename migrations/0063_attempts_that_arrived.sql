-- Runs outside a transaction.
-- What arrived, where little did among much that waits or failed. The account alone, so that entries are alike and take a few bytes each.
drop index concurrently if exists delivery_attempts_arrived;
create index concurrently delivery_attempts_arrived on delivery_attempts (account_id) where http_status between 200 and 299;
