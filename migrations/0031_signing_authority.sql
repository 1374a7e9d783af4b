-- What vouches for the keys that deliveries are signed with, so that clients can check a chain. There is one.
create table signing_authority (
  only_one    boolean primary key default true check (only_one),
  sealed      bytea not null,
  certificate text not null,
  create_time instant not null
);
