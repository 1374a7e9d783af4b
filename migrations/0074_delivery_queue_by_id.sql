-- Runs outside a transaction.
-- What came of many deliveries is written down at once, by their ids alone: given the accounts as well, of which each delivery
-- may have another, PostgreSQL before 17 looks for every account with every id. As text, so that no other index will do: the
-- primary key, of which the id is a part, would be read from end to end, which seems as good while the table is small.
drop index concurrently if exists delivery_queue_by_id;
create unique index concurrently delivery_queue_by_id on delivery_queue ((id::text));
