-- Runs outside a transaction.
-- As 0049 does for sellers: what waits for one side of a buyer's disputes, the soonest first, and what has no date by id.
drop index concurrently if exists disputes_of_buyer_by_state_and_due;
create index concurrently disputes_of_buyer_by_state_and_due on disputes (buyer_account_id, buyer_state, due_time desc, id desc)
  where buyer_account_id is not null and due_time is not null;
drop index concurrently if exists disputes_of_buyer_by_state_undated;
create index concurrently disputes_of_buyer_by_state_undated on disputes (buyer_account_id, buyer_state, id desc)
  where buyer_account_id is not null and due_time is null;
