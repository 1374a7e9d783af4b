-- A seller may give back more of a payment than is disputed of it.
alter table disputes drop constraint disputes_check;
alter table disputes add constraint disputes_refunded_check check (refunded >= 0) not valid;
