-- Jobs are taken by class and then account by account, so that what one merchant has waiting in bulk leaves others their
-- turn. Only jobs that are due stand in the index that is stepped through: deadlines lie weeks ahead, and there are many.
alter table jobs
  add column account_id text collate "C" generated always as (coalesce(payload->>'account_id', '-')) stored not null,
  -- 0 for money and deadlines, 1 for the rest.
  add column class smallint not null default 1,
  -- Set when it is enqueued, or found to have become due since.
  add column due boolean not null default false;

create index jobs_turn on jobs (class, account_id, run_at, id) where due and parked_time is null;
create index jobs_later on jobs (run_at, id) where not due and parked_time is null;
