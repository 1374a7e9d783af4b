-- Every move of an invoice from one status to another, written by the statement that makes it. `version` is the one of
-- the invoice that the move led to. Every invoice begins as a draft, so the beginning is not written down: one without a
-- row is a draft. A move to nowhere is the deletion of the invoice, whose rows stay. There is no reference to the
-- invoice, because it would be looked up at every move; the invariants compare the two.
create table invoice_transitions (
  account_id  text collate "C" not null,
  invoice_id  text collate "C" not null,
  version     int not null,
  action      text collate "C" not null,
  from_status text collate "C",
  to_status   text collate "C",
  create_time instant not null,
  primary key (account_id, invoice_id, version)
);

create function invoice_transitions_refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'transitions of an invoice are never changed' using errcode = '23514',
    constraint = 'invoice_transitions_append_only';
end $$;

create trigger invoice_transitions_append_only before update or delete on invoice_transitions
  for each row execute function invoice_transitions_refuse_change();

-- Of invoices from before the log only where they stand is known, not how they got there nor when.
insert into invoice_transitions (account_id, invoice_id, version, action, from_status, to_status, create_time)
select account_id, id, version, 'create', null, status, create_time from invoices where status <> 'DRAFT';
