-- What a mail follows from, in the words of the audit log; only a sandbox keeps mails. Unknown of earlier ones.
alter table mails add column cause text collate "C";
create index mails_by_id on mails (id);
