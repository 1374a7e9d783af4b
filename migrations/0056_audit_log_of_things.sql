-- Runs outside a transaction.
-- As 0033 made it, for rows as short as they can be: 32 pages hold more different ids than it was made for, and a summary
-- that is too full points to pages that have nothing.
drop index concurrently if exists audit_log_of_things;
create index concurrently audit_log_of_things on audit_log using brin (
  resource_id text_bloom_ops (n_distinct_per_range = 1800, false_positive_rate = 0.003),
  cause text_bloom_ops (n_distinct_per_range = 1800, false_positive_rate = 0.003)
) with (pages_per_range = 32, autosummarize = on);
drop index concurrently if exists audit_log_of_thing;
