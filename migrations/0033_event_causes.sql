-- Who caused an event, and what: the same words as in the audit log. Its deliveries are found through it. Unknown of what
-- happened before.
alter table events add column actor text collate "C", add column cause text collate "C";

-- Few rows have one resource or one cause, and operators seldom ask for them: a summary of every thousand rows finds them in
-- tens of milliseconds among a million, and costs a commit nothing. A tree of either takes a page at random for each row.
drop index audit_log_of_resource, audit_log_of_cause;
create index audit_log_of_thing on audit_log using brin (
  resource_id text_bloom_ops (n_distinct_per_range = 1100), cause text_bloom_ops (n_distinct_per_range = 1100)
) with (pages_per_range = 32, autosummarize = on);
