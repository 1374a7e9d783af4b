-- Runs outside a transaction.
-- What was done to one thing, or because of one request, is looked up in each stretch of 65,536 rows. New rows go to the end of a
-- tree, beside each other, as those of summaries did, which had to be read from end to end: 2.4 ms among a million rows. A
-- process of the version before still finds what it looks for, though by reading everything.
drop index concurrently if exists audit_log_by_thing;
create index concurrently audit_log_by_thing on audit_log ((seq >> 16), resource_id) where resource_id is not null;
drop index concurrently if exists audit_log_by_cause;
create index concurrently audit_log_by_cause on audit_log ((seq >> 16), cause);
drop index concurrently if exists audit_log_of_things;
