-- A row of a partition is one of the table that it belongs to: what these note and refuse goes by the name of that.
create or replace function account_moving() returns trigger language plpgsql as $$
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
  select moving, coalesce(pg_partition_root(tg_relid), tg_relid)::regclass::text,
    json_object_agg(column_name, changed->column_name) from unnest(key_columns) as column_name;
  return null;
end $$;

create or replace function refuse_change() returns trigger language plpgsql as $$
begin
  if current_setting('quittance.moves', true) = 'on' then
    if tg_op = 'DELETE' then
      return old;
    end if;
    return new;
  end if;
  raise exception 'rows of % are never changed', coalesce(pg_partition_root(tg_relid), tg_relid)::regclass
    using errcode = '23514', constraint = coalesce(pg_partition_root(tg_relid), tg_relid)::regclass || '_append_only';
end $$;
