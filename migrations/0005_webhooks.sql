create table webhooks (
  account_id      text collate "C" not null,
  app_id          text collate "C" not null references apps on delete cascade,
  id              text collate "C" not null,
  url             text collate "C" not null,
  event_types     text[] not null,
  -- Sealed with the service's secret. While one is being replaced, the previous one signs too.
  secret          bytea not null,
  previous_secret bytea,
  previous_until  instant,
  enabled         boolean not null default true,
  -- 0 answered promptly last time, 1 was never called, 2 failed or kept us waiting.
  lane            smallint not null default 1,
  version         int not null default 1,
  create_time     instant not null,
  update_time     instant not null,
  primary key (account_id, id)
);
create unique index webhooks_url on webhooks (account_id, app_id, url);
create index webhooks_of_app on webhooks (app_id);
create index webhooks_by_id on webhooks (id);

-- Apps that asked for events of their account that no app caused.
create table webhook_lookups (
  account_id  text collate "C" not null,
  app_id      text collate "C" not null references apps on delete cascade,
  id          text collate "C" not null,
  create_time instant not null,
  primary key (account_id, app_id)
);

-- Which apps an event is for. `account_id` is the app's.
create table event_audience (
  account_id       text collate "C" not null,
  app_id           text collate "C" not null,
  event_id         text collate "C" not null,
  event_account_id text collate "C" not null,
  seq              bigint not null,
  create_time      instant not null,
  primary key (account_id, app_id, event_id)
);
create index event_audience_by_time on event_audience (account_id, app_id, create_time, seq);

-- One event on its way to one webhook, with an id and time of its own. Resending starts another round.
create table deliveries (
  account_id       text collate "C" not null,
  id               uuid not null,
  app_id           text collate "C" not null,
  webhook_id       text collate "C" not null,
  event_account_id text collate "C" not null,
  event_id         text collate "C" not null,
  event_type       text collate "C" not null,
  round            int not null default 0,
  seq              bigint not null,
  resource_id      text collate "C" not null,
  -- Where it went last; before that, only set when it goes elsewhere than to the webhook's own address.
  url              text,
  status           text not null default 'PENDING' check (status in ('PENDING', 'SUCCESS', 'FAILURE')),
  lane             smallint not null,
  attempts         int not null default 0,
  transmit_time    instant not null,
  next_time        instant not null,
  signature        text,
  key_id           text collate "C",
  http_status      int,
  last_error       text,
  finish_time      instant,
  primary key (account_id, id)
);
create unique index deliveries_of_event on deliveries (account_id, event_id, webhook_id, round);
create index deliveries_waiting on deliveries (lane, webhook_id, next_time, seq) where status = 'PENDING';
create index deliveries_next on deliveries (lane, next_time) where status = 'PENDING';
-- Finds what must go out before: earlier events of the same resource to the same webhook.
create index deliveries_in_order on deliveries (webhook_id, resource_id, seq) where status = 'PENDING';
create index deliveries_by_time on deliveries (account_id, app_id, transmit_time, id);

-- Deliveries in the hands of a process. Kept beside them, because changing a delivery twice for every attempt would
-- cost far more; unlogged, because after a crash of the server nobody holds anything.
create unlogged table delivery_leases (
  account_id  text collate "C" not null,
  id          uuid not null,
  -- Tells claims apart: a worker that lost its lease can no longer record a result.
  token       bigint not null,
  lease_until timestamptz not null,
  primary key (account_id, id)
);
create sequence delivery_claims;

create table delivery_attempts (
  account_id       text collate "C" not null,
  delivery_id      uuid not null,
  number           int not null,
  attempt_time     instant not null,
  url              text not null,
  http_status      int,
  reason           text,
  duration_ms      int not null,
  response_headers json not null,
  response_body    text not null,
  error            text,
  primary key (account_id, delivery_id, number)
);

-- The keys deliveries are signed with. Old ones stay, so that what they signed can be verified.
create table signing_keys (
  id          text collate "C" primary key,
  sealed      bytea not null,
  certificate text not null,
  current     boolean not null,
  create_time instant not null
);
create unique index signing_keys_current on signing_keys (current) where current;

-- The apps that hear of an event. `app` is the one that called for this account, or that the resource is known to
-- come from; `called` tells the two apart. An app that calls for a merchant shares the event with the merchant's own
-- apps; an event nobody called for goes to the app the resource came from and to those that asked for such events;
-- a dispute concerns every app of the seller and every partner who may see the seller's disputes.
create function event_apps(account text, app text, called boolean, dispute boolean, resource text)
returns table (app_id text, account_id text) language sql stable as $$
  select a.id, a.account_id from apps a where a.id = app and a.status = 'ENABLED'
  union
  select a.id, a.account_id from apps a
  where a.account_id = account and a.status = 'ENABLED'
    and (dispute
      or (called and exists (select from apps c where c.id = app and c.account_id <> account))
      or (not called and exists (select from webhook_lookups l where l.account_id = account and l.app_id = a.id)))
  union
  select a.id, a.account_id from consents c join apps a on a.id = c.app_id
  where dispute and c.account_id = account and a.status = 'ENABLED'
    and exists (select from unnest(c.scopes) scope where scope like 'disputes/%')
  union
  select a.id, a.account_id from apps a
  where app is null and not dispute and a.status = 'ENABLED' and a.id = (
    select e.app_id from events e
    where e.account_id = account and e.resource_id = resource and e.app_id is not null order by e.seq limit 1)
$$;
