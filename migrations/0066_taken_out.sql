-- A payment that the buyer took out of a dispute about several. It was disputed, once; the dispute is about the others.
alter table disputed_transactions add column taken_out boolean not null default false;
