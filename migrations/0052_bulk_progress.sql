-- When something that is done to many last went on. What has not for a day is given up.
alter table console_bulks add column progress_time instant;
