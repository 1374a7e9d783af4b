-- Which of the service's secrets a digest was made with. Unknown of those from before, and of those that a process of an
-- earlier version makes; it is written when the client secret is next used.
alter table app_secrets add column key_id text collate "C";
