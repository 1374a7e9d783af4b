-- All that match a filter, acted on by a job: what is to be done, how far it is, and what was refused. One at a time for an account.
create table console_bulks (
  account_id  text collate "C" not null,
  id          text collate "C" not null,
  action      text collate "C" not null,
  -- What was asked for, in words.
  about       text not null,
  person      text not null,
  person_id   text collate "C",
  subjects    text[] not null check (cardinality(subjects) between 1 and 1000),
  done        int not null default 0,
  refused     jsonb not null default '[]',
  create_time instant not null,
  finish_time instant,
  primary key (account_id, id)
);
create unique index console_bulks_running on console_bulks (account_id) where finish_time is null;
create index console_bulks_listed on console_bulks (account_id, create_time);
create index console_bulks_finished on console_bulks (finish_time) where finish_time is not null;

-- The files of an answer that is not sent yet. They go with its draft.
create table console_draft_files (
  account_id  text collate "C" not null,
  dispute_id  text collate "C" not null,
  action      text collate "C" not null,
  n           int not null,
  name        text not null,
  content_type text not null,
  bytes       bytea not null,
  create_time instant not null,
  primary key (account_id, dispute_id, action, n),
  foreign key (account_id, dispute_id, action) references console_drafts on delete cascade
);
alter table console_draft_files alter column bytes set storage external;
