-- What kind of event an app was told of, so that those of one kind are found among any number of others. Nothing is known of rows from before, nor
-- of what a process of the version before adds: there the event itself is asked, until they have run out of time.
alter table event_audience add column event_type text collate "C" not null default '';
