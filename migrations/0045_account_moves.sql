-- Accounts that go to another database, or have gone: the row stays as the mark that says so.
create table account_moves (
  account_id  text collate "C" primary key,
  -- The same in both databases; accounts that go together have one.
  move_id     text collate "C" not null,
  -- While it drains nothing of it is begun in the background. From MOVED on it lives elsewhere; GONE has nothing left here.
  state       text collate "C" not null check (state in ('COPYING', 'DRAINING', 'MOVED', 'GONE')),
  -- Where it can be reached from then on, for those who still ask here.
  home        text,
  create_time instant not null
);

-- The keys of rows that changed while their account was copied.
create table account_move_changes (
  seq        bigint generated always as identity primary key,
  account_id text collate "C" not null,
  table_name text collate "C" not null,
  key        json not null
);
create index account_move_changes_of_account on account_move_changes (account_id, seq);

-- Who asks with these is told where the account went: digests of access tokens, client ids, codes of invoices.
create table account_forwards (
  kind       text collate "C" not null check (kind in ('token', 'client', 'invoice')),
  key        text collate "C" not null,
  account_id text collate "C" not null,
  primary key (kind, key)
);

create index account_forwards_of_account on account_forwards (account_id);

-- Accounts that come from another database, or came.
create table account_arrivals (
  account_id  text collate "C" primary key,
  move_id     text collate "C" not null,
  -- Sets the numbers of rows that came apart from those that were made here.
  number      bigint generated always as identity,
  state       text collate "C" not null check (state in ('ARRIVING', 'HERE')),
  -- By table: the key of the last row that was copied, or true when all were.
  progress    jsonb not null default '{}',
  create_time instant not null
);

-- What must not be found here before its account is: what is due, what opens the door, and what the account is.
create table account_arrival_rows (
  account_id text collate "C" not null,
  table_name text collate "C" not null,
  rows       json not null,
  primary key (account_id, table_name)
);

-- Notes the key of a row that changed, after all writers that came before the end of a move, and refuses those that came
-- after. Its arguments are the columns of the key. The triggers are there while an account of their condition moves.
create function account_moving() returns trigger language plpgsql as $$
declare
  changed jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  moving text := changed->>coalesce(nullif(tg_argv[0], ''), 'account_id');
  key_columns text[] := tg_argv[1:];
begin
  if current_setting('quittance.moves', true) = 'on' then
    return null;
  end if;
  perform pg_advisory_xact_lock_shared(7231, hashtext(moving));
  if exists (select from account_moves where account_id = moving and state in ('MOVED', 'GONE')) then
    raise exception 'account % lives in another database', moving using errcode = 'QT002';
  end if;
  insert into account_move_changes (account_id, table_name, key)
  select moving, tg_table_name, json_object_agg(column_name, changed->column_name) from unnest(key_columns) as column_name;
  return null;
end $$;

-- Leaves what is due of an account that drains to the database it goes to.
create function account_draining() returns trigger language plpgsql as $$
begin
  if exists (select from account_moves where account_id = old.account_id and state <> 'COPYING') then
    return null;
  end if;
  return new;
end $$;

-- A move takes rows as they are: what was posted once is not posted again, and what leaves is no change.
create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if current_setting('quittance.moves', true) = 'on' then
    if tg_op = 'DELETE' then
      return old;
    end if;
    return new;
  end if;
  raise exception 'rows of % are never changed', tg_table_name using errcode = '23514',
    constraint = tg_table_name || '_append_only';
end $$;

create or replace trigger ledger_post after insert on ledger_entries
  referencing new table as posted for each statement
  when (current_setting('quittance.moves', true) is distinct from 'on') execute function ledger_post();
