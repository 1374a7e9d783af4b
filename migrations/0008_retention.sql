-- Finds the events that are old enough to go.
create index events_by_time on events (create_time);

-- Counts the webhooks that are disabled, without a look at all the others.
create index webhooks_disabled on webhooks (id) where not enabled;
