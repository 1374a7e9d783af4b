-- Runs outside a transaction.
drop index concurrently if exists console_drafts_by_time;
create index concurrently console_drafts_by_time on console_drafts (update_time);
