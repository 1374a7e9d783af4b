-- Runs outside a transaction.
-- Disputes of one state by due date, and those that have none by id: a list by due date reads one after the other.
drop index concurrently if exists disputes_of_seller_by_state_and_due;
create index concurrently disputes_of_seller_by_state_and_due on disputes (account_id, seller_state, due_time desc, id desc)
  where due_time is not null;
drop index concurrently if exists disputes_of_seller_by_state_undated;
create index concurrently disputes_of_seller_by_state_undated on disputes (account_id, seller_state, id desc)
  where due_time is null;
