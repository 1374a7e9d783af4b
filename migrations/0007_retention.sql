-- Finds the events that are old enough to go.
create index events_by_time on events (create_time);
