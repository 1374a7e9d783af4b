-- Runs outside a transaction.
-- How many deliveries of all accounts were given up, by time, for whoever runs the service.
drop index concurrently if exists deliveries_given_up;
create index concurrently deliveries_given_up on deliveries (transmit_time) where failure is not null;
