-- Runs outside a transaction.
-- For claims, which go from line to line of a lane. An index that begins with the webhook would do for them as well, seemingly, and
-- leads through all that waits in the other lanes. So these ask for what no other index has, and few statements ask for theirs.
drop index concurrently if exists delivery_queue_by_line;
create index concurrently delivery_queue_by_line on delivery_queue ((lane + 0), (webhook_id || ''), next_time, seq);
drop index concurrently if exists delivery_queue_by_account;
create index concurrently delivery_queue_by_account on delivery_queue ((lane + 0), (account_id || ''), next_time, seq) where webhook_id || '' = 'WEBHOOK_ID';
-- In their place. A process of the version before goes by what is left, which takes longer when much waits.
drop index concurrently if exists delivery_queue_waiting;
drop index concurrently if exists delivery_queue_free;
-- As delivery_queue_in_order, but younger than the two above. Of those that seem to cost the same PostgreSQL takes the youngest, and
-- what must go out before is not to be looked for by the order of events alone, which they have as well.
drop index concurrently if exists delivery_queue_of_webhook;
create index concurrently delivery_queue_of_webhook on delivery_queue (webhook_id, resource_id, seq);
drop index concurrently if exists delivery_queue_in_order;
