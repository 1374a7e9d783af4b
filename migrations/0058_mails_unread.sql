-- Runs outside a transaction.
-- What nobody has read yet, newest first, and how much of it there is.
drop index concurrently if exists mails_unread;
create index concurrently mails_unread on mails (seq desc) where read_time is null;
