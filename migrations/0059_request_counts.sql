-- How many requests were answered within five minutes, by how quickly, of all processes and accounts: each process adds to it
-- every ten seconds, so that an operator sees an hour of requests without anybody asking each of them.
create table request_counts (
  from_time instant not null,
  -- Answered in less than so many milliseconds, and in no less than the next smaller bound.
  under_ms  int not null,
  requests  bigint not null,
  -- Of those, answered with a status of 500 or more.
  failed    bigint not null,
  primary key (from_time, under_ms)
);
