-- Which of several databases this is, once it is one of several.
alter table deployment add column cell text check (cell ~ '^[A-HJ-NP-Z]$');
