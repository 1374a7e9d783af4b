-- How many attempts arrived and how many failed within a quarter of an hour, of all accounts: processes that deliver add to
-- it once a second at most, so that an operator sees a day of deliveries without anybody counting them.
create table delivery_counts (
  from_time instant primary key,
  arrived   bigint not null,
  failed    bigint not null
);
