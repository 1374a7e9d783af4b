-- A key that somebody else got hold of: its certificate is no longer served, and nothing it signed is ours any more.
alter table signing_keys
  add column withdraw_time instant,
  add constraint signing_keys_withdrawn check (withdraw_time is null or not current);
