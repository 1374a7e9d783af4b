-- How much of a quota is used within the time that began with its first use. One whose time has run out counts as unused,
-- also before the sweeper has removed it.
create table quotas (
  account_id text collate "C" not null,
  name       text collate "C" not null,
  key        text collate "C" not null,
  used       bigint not null,
  until      instant not null,
  primary key (account_id, name, key)
);
create index quotas_expired on quotas (until);
