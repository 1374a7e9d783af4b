-- Whoever is being erased, sealed, from before the first row is changed until nothing is left of them: a command that is stopped
-- and called again knows by this what to look for, which changed rows no longer tell.
create table erasures (
  code        text collate "C" primary key,
  sealed      bytea not null,
  create_time instant not null
);
