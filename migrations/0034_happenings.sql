-- What a sandbox answered and what came of it, for whoever watches it; live writes none of these. They are bounded to the
-- newest rows and may be lost in a crash of the server, so neither costs what keeping it safe would.
create unlogged table request_log (
  number       bigint primary key,
  debug_id     text collate "C" not null,
  account_id   text collate "C",
  app_id       text collate "C",
  client_id    text collate "C",
  operation    text collate "C" not null,
  method       text collate "C" not null,
  path         text collate "C" not null,
  status       int not null,
  request_body text,
  answer_body  text,
  -- Headers, sizes, times, the problem and the fields nobody knew: shown, and never searched for.
  details      jsonb not null,
  create_time  instant not null,
  real_time    instant not null
);
create index request_log_by_debug_id on request_log (debug_id, number);

-- One row for each thing that happened. `thread` is what all of one cause have in common, `ref` what it is about.
create unlogged table happenings (
  seq         bigint primary key,
  thread      text collate "C" not null,
  kind        text collate "C" not null,
  account_id  text collate "C",
  ref         text collate "C",
  trouble     boolean not null,
  details     jsonb not null,
  create_time instant not null,
  real_time   instant not null
);
create index happenings_of_thread on happenings (thread, seq);
create index happenings_of_ref on happenings (ref, seq);

-- The numbers of the last rows. Writers wait for each other at this row, so numbers become visible in their order, and
-- whoever has seen one has seen all before it.
create table happenings_told (
  only_row boolean primary key default true check (only_row),
  seq      bigint not null,
  requests bigint not null
);
