-- What waits for the decision of an agent, of all accounts, the oldest first.
create index disputes_under_review on disputes (update_time, id) where status = 'UNDER_REVIEW';
