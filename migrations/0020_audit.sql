-- One function refuses changes of every table whose rows are written once.
create function refuse_change() returns trigger language plpgsql as $$
begin
  raise exception 'rows of % are never changed', tg_table_name using errcode = '23514',
    constraint = tg_table_name || '_append_only';
end $$;

drop trigger ledger_append_only on ledger_entries;
drop trigger dispute_transitions_append_only on dispute_transitions;
drop trigger invoice_transitions_append_only on invoice_transitions;
drop function ledger_refuse_change, dispute_transitions_refuse_change, invoice_transitions_refuse_change;
create trigger append_only before update or delete on ledger_entries for each row execute function refuse_change();
create trigger append_only before update or delete on dispute_transitions for each row execute function refuse_change();
create trigger append_only before update or delete on invoice_transitions for each row execute function refuse_change();

-- Who did what, to what, for whom and from where; written by the statement that does it. `actor` is an app, a command, a
-- job, the service itself, or somebody without a token; `account_id` whose the resource is. `cause` is the debug id of the
-- request, also where a job finished what the request began. No names, no addresses of people, no bodies.
create table audit_log (
  create_time instant not null,
  seq         bigint generated always as identity,
  account_id  text collate "C",
  actor       text collate "C" not null,
  -- The operation, command or job.
  action      text collate "C" not null,
  resource_id text collate "C",
  -- The network address of a caller, or the user and machine of a command.
  address     text collate "C",
  request_id  text collate "C",
  cause       text collate "C" not null,
  arguments   text[],
  primary key (create_time, seq)
);
create index audit_log_of_account on audit_log (account_id, create_time, seq);
create index audit_log_of_actor on audit_log (actor, create_time, seq);
create index audit_log_of_resource on audit_log (resource_id, create_time, seq);
create index audit_log_of_cause on audit_log (cause, create_time, seq);

-- Only what has run out of its time goes, and only by the sweep, which says so for the length of its statement.
create trigger append_only before update on audit_log for each row execute function refuse_change();
create trigger kept_until_swept before delete on audit_log for each row
  when (current_setting('quittance.sweeps', true) is distinct from 'audit_log') execute function refuse_change();

-- Who moved it, and the cause that all effects of one request share. Unknown of what happened before.
alter table dispute_transitions add column actor text collate "C", add column cause text collate "C";
alter table invoice_transitions add column actor text collate "C", add column cause text collate "C";
alter table ledger_entries add column actor text collate "C", add column cause text collate "C";

-- What enqueued it.
alter table jobs add column cause text collate "C";
