-- An answer may hold a secret, such as that of a new webhook: it is kept compressed and sealed. `body` is what was kept
-- before, and empty from now on.
alter table idempotency add column sealed bytea;

-- Finds what is old enough to go.
create index dispute_event_inbox_by_time on dispute_event_inbox (create_time);
