-- When somebody marked a mail of a sandbox as read. A default that is fixed needs no rewrite, and nobody read what came before.
alter table mails add column read_time instant;
