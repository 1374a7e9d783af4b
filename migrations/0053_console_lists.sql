-- Runs outside a transaction.
-- Lists of the console that would otherwise step through rows of others: deliveries of one webhook, parked jobs of one name,
-- decisions of one stage, and people by the beginning of their address.
drop index concurrently if exists deliveries_of_webhook;
create index concurrently deliveries_of_webhook on deliveries (account_id, webhook_id, transmit_time, id);
drop index concurrently if exists deliveries_of_webhook_failed;
create index concurrently deliveries_of_webhook_failed on deliveries (account_id, webhook_id, transmit_time, id)
  where failure is not null;
drop index concurrently if exists jobs_oldest_parked;
create index concurrently jobs_oldest_parked on jobs (parked_time, id) where parked_time is not null;
drop index concurrently if exists jobs_of_name_parked;
create index concurrently jobs_of_name_parked on jobs (name, parked_time, id) where parked_time is not null;
drop index concurrently if exists disputes_under_review_by_stage;
create index concurrently disputes_under_review_by_stage on disputes (stage, update_time, id) where status = 'UNDER_REVIEW';
drop index concurrently if exists console_people_by_address;
create index concurrently console_people_by_address on console_people (lower(email) collate "C", id);
