-- Instants are UTC text of fixed width, so that text order is time order and columns can be generated from documents.
create domain instant as text collate "C" check (value ~ '^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$');

-- Raised by a unit of work whose guarded write found another version of its row; the work is then tried again.
create function changed_one(count bigint) returns int language plpgsql as $$
begin
  if count <> 1 then
    raise exception 'guard: % rows instead of one', count using errcode = 'QT001';
  end if;
  return 1;
end $$;

create table accounts (
  id          text collate "C" primary key,
  body        jsonb not null,
  email       text collate "C" generated always as (lower(body->>'email')) stored not null,
  kind        text generated always as (body->>'kind') stored not null check (kind in ('BUSINESS', 'PERSONAL')),
  status      text generated always as (body->>'status') stored not null check (status in ('ACTIVE', 'SUSPENDED')),
  create_time instant not null
);
create unique index accounts_email on accounts (email);

create table apps (
  id            text collate "C" primary key,
  account_id    text collate "C" not null references accounts,
  client_id     text collate "C" not null,
  name          text not null,
  features      text[] not null,
  scopes        text[] not null,
  status        text not null check (status in ('ENABLED', 'DISABLED')),
  sandbox       boolean not null default false,
  create_time   instant not null
);
create unique index apps_client_id on apps (client_id);
create index apps_of_account on apps (account_id);

-- Two secrets may be live at once, so that one can be replaced without an outage.
create table app_secrets (
  app_id        text collate "C" not null references apps on delete cascade,
  digest        bytea not null,
  -- What checks a signed assertion; the secret cannot be told from it.
  assertion_key bytea not null,
  create_time   instant not null,
  primary key (app_id, digest)
);

create table consents (
  account_id  text collate "C" not null references accounts on delete cascade,
  app_id      text collate "C" not null references apps on delete cascade,
  scopes      text[] not null,
  create_time instant not null,
  primary key (account_id, app_id)
);

-- A token itself is never stored: it is derived from its id with the service's secret, and looked up by digest.
create table tokens (
  digest      bytea primary key,
  id          text collate "C" not null,
  app_id      text collate "C" not null references apps on delete cascade,
  scopes      text[] not null,
  -- What the token request asked for; a later request for the same is answered with the same token.
  requested   text not null,
  nonce       text not null,
  create_time instant not null,
  expire_time instant not null
);
create index tokens_of_app on tokens (app_id, requested, create_time desc);
create index tokens_expired on tokens (expire_time);

-- The answers given to requests that carried a request id.
create table idempotency (
  app_id       text collate "C" not null,
  account_id   text collate "C" not null,
  operation    text collate "C" not null,
  key          text collate "C" not null,
  request_hash bytea not null,
  status       int not null,
  headers      jsonb not null,
  body         text,
  create_time  instant not null,
  expire_time  instant not null,
  primary key (account_id, app_id, operation, key)
);
create index idempotency_expired on idempotency (expire_time);

-- An event is kept as the very text that subscribers receive, so that it stays the same over retries and resends.
create table events (
  seq         bigint generated always as identity,
  account_id  text collate "C" not null,
  id          text collate "C" not null,
  app_id      text collate "C",
  type        text collate "C" not null,
  resource_id text collate "C" not null,
  body        text not null,
  create_time instant not null,
  primary key (account_id, id)
);
create index events_of_resource on events (account_id, resource_id, seq);

create table jobs (
  id          bigint generated always as identity primary key,
  name        text collate "C" not null,
  payload     jsonb not null,
  key         text collate "C" unique,
  run_at      instant not null,
  attempts    int not null default 0,
  -- Counts the claims and replacements of a job: a worker that lost its lease can no longer finish it.
  fence       int not null default 0,
  -- How often a worker died while it ran this job.
  crashes     int not null default 0,
  lease_until timestamptz,
  last_error  text,
  parked_time instant,
  create_time instant not null
);
create index jobs_due on jobs (run_at, id) where parked_time is null;
create index jobs_parked on jobs (parked_time) where parked_time is not null;

-- The sandbox's clock: real time plus an offset, or standing still.
create table clock (
  only_row    boolean primary key default true check (only_row),
  offset_ms   bigint not null,
  frozen_time instant
);
