-- Runs outside a transaction.
drop index concurrently if exists event_audience_by_type;
create index concurrently event_audience_by_type on event_audience (account_id, app_id, event_type, create_time, seq);
