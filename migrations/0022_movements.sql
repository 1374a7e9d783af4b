-- Movements in the order in which they were booked, also where the clock stands still: a merchant reads them page by page.
alter table ledger_entries add column seq bigint generated always as identity;
-- One entry of the index for each ledger transaction, whose first line is always there.
create index ledger_entries_by_time on ledger_entries (account_id, create_time, seq) where line = 1;
