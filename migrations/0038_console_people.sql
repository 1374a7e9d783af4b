-- People who sign in to the console of a live service. One who was invited is known by their address; one whom single
-- sign-on brought is (issuer, subject), and their address is only shown. A person who was removed stays for as long as
-- the audit log may name them.
create table console_people (
  id           text collate "C" primary key,
  name         text not null check (length(name) between 1 and 300),
  email        text not null check (length(email) between 3 and 254),
  issuer       text collate "C",
  subject      text collate "C",
  create_time  instant not null,
  seen_time    instant,
  removed_time instant,
  check ((issuer is null) = (subject is null))
);
create unique index console_people_email on console_people (lower(email)) where issuer is null and removed_time is null;
create unique index console_people_subject on console_people (issuer, subject);
create index console_people_listed on console_people (create_time, id) where removed_time is null;
create index console_people_removed on console_people (removed_time) where removed_time is not null;

-- What a person is: viewer, support or admin of an account, or agent or operator of the whole service.
create table console_roles (
  person_id   text collate "C" not null references console_people on delete cascade,
  account_id  text collate "C" references accounts on delete cascade,
  role        text not null check (role in ('viewer', 'support', 'admin', 'agent', 'operator')),
  create_time instant not null,
  check ((account_id is null) = (role in ('agent', 'operator')))
);
create unique index console_roles_one on console_roles (person_id, coalesce(account_id, ''));
create index console_roles_of_account on console_roles (account_id, person_id);

-- Somebody who is signed in, by the digest of what the cookie holds. `fresh_time` is when they last proved who they are
-- by passkey or single sign-on; a link proves nothing of the kind.
create table console_logins (
  digest      bytea primary key,
  person_id   text collate "C" not null references console_people on delete cascade,
  way         text not null check (way in ('link', 'passkey', 'oidc')),
  address     text collate "C" not null,
  browser     text not null,
  create_time instant not null,
  seen_time   instant not null,
  fresh_time  instant,
  expire_time instant not null
);
create index console_logins_of_person on console_logins (person_id, create_time);
create index console_logins_expired on console_logins (expire_time);

-- A link to sign in works once and for a quarter of an hour; only its digest is here.
create table console_links (
  digest      bytea primary key,
  person_id   text collate "C" not null references console_people on delete cascade,
  create_time instant not null,
  expire_time instant not null,
  used_time   instant
);
create index console_links_of_person on console_links (person_id);
create index console_links_expired on console_links (expire_time);

create table console_passkeys (
  -- The credential's own id, as browsers write it.
  id          text collate "C" primary key,
  person_id   text collate "C" not null references console_people on delete cascade,
  public_key  bytea not null,
  counter     bigint not null,
  transports  text[] not null,
  name        text not null,
  create_time instant not null,
  used_time   instant
);
create index console_passkeys_of_person on console_passkeys (person_id, create_time);

-- Challenges and answers of single sign-on that were taken already: each is taken once.
create table console_answered (
  digest      bytea primary key,
  expire_time instant not null
);
create index console_answered_expired on console_answered (expire_time);
