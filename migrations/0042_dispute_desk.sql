-- What the people on one side of a dispute keep among themselves: who has taken it, notes, and answers that are not sent yet.
-- `account_id` is the side's own account, and empty for those who decide. Neither the API nor the other side is ever
-- shown any of it.
create table console_taken (
  account_id  text collate "C" not null,
  dispute_id  text collate "C" not null,
  person      text not null,
  create_time instant not null,
  primary key (account_id, dispute_id)
);

create table console_notes (
  account_id  text collate "C" not null,
  dispute_id  text collate "C" not null,
  seq         bigint generated always as identity,
  person      text not null,
  content     text not null check (length(content) between 1 and 4000),
  create_time instant not null,
  primary key (account_id, dispute_id, seq)
);

create table console_drafts (
  account_id  text collate "C" not null,
  dispute_id  text collate "C" not null,
  action      text collate "C" not null,
  -- The fields of the form by their names, as they were typed.
  typed       jsonb not null,
  person      text not null,
  update_time instant not null,
  primary key (account_id, dispute_id, action)
);
