-- What arrived at the inboxes of a sandbox, which stand in for a handler that is not written yet. Bounded to the newest rows;
-- they may be lost in a crash of the server.
create unlogged table inbox_arrivals (
  seq         bigint generated always as identity primary key,
  name        text collate "C" not null,
  headers     jsonb not null,
  body        text not null,
  -- Whether a webhook of this sandbox with this address signed it.
  verified    boolean not null,
  -- What was answered.
  status      int not null,
  create_time instant not null
);
create index inbox_arrivals_of_name on inbox_arrivals (name, seq desc);

-- What an inbox was told to answer; 200 when nothing was said.
create table inbox_answers (
  name   text collate "C" primary key,
  status int not null check (status between 200 and 599)
);

-- Whose webhooks lead to an inbox.
create index webhooks_by_url on webhooks (url);
