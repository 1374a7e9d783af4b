-- Runs outside a transaction.
-- Two people may have one address: who is invited to an account is nobody whom another account knows, or an admin could
-- have a link made for somebody who is more elsewhere.
drop index concurrently if exists console_people_email;
create index concurrently console_people_email on console_people (lower(email));

-- Of all rows, so that no statement about one person can be planned to go through them.
drop index concurrently if exists console_people_listed;
create index concurrently console_people_listed on console_people (create_time, id);

-- What people did, of an account and of all, however much apps do beside them.
drop index concurrently if exists audit_log_by_people;
create index concurrently audit_log_by_people on audit_log (create_time, seq) where actor like 'person:%';
drop index concurrently if exists audit_log_of_account_by_people;
create index concurrently audit_log_of_account_by_people on audit_log (account_id, create_time, seq) where actor like 'person:%';
