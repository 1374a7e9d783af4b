-- What every cell tells the others of its accounts, apps and tokens: replicated from there, and never changed by hand.
create table directory (
  cell text collate "C" not null,
  kind text collate "C" not null check (kind in ('account', 'app', 'token')),
  key  text collate "C" not null,
  told jsonb not null,
  primary key (cell, kind, key)
);

-- Where an account lives that is known from the directory; null for those that live here.
alter table accounts add column cell text collate "C";

-- Of an account, others are told what it takes to know who somebody is, and no more.
create function directory_shape(kind text, stored jsonb) returns jsonb language sql immutable as $$
  select case when kind <> 'account' then stored else (
    select jsonb_object_agg(name, value) from jsonb_each(stored->'body') as part (name, value)
    where name in ('id', 'kind', 'status', 'email', 'name', 'time_zone', 'currency_code', 'country_code', 'create_time')) end
$$;

-- Tells of a change. The arguments are the kind, and the column that is its key. A move tells for itself.
create function directory_tell() returns trigger language plpgsql as $$
declare
  stored jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
begin
  if current_setting('quittance.moves', true) = 'on' then
    return null;
  end if;
  if tg_op = 'DELETE' then
    delete from directory d using deployment h
    where d.cell = h.cell and d.kind = tg_argv[0] and d.key = stored->>tg_argv[1];
  else
    insert into directory (cell, kind, key, told)
    select h.cell, tg_argv[0], stored->>tg_argv[1], directory_shape(tg_argv[0], stored) from deployment h
    on conflict (cell, kind, key) do update set told = excluded.told;
  end if;
  return null;
end $$;

-- Keeps what another cell told of somebody who does not live here.
create function directory_take(heard directory) returns void language plpgsql as $$
declare
  known jsonb := heard.told;
begin
  if heard.kind = 'account' then
    -- Two cells may have an account of the same address. The one that lives here is found by it.
    if exists (select from accounts where email = lower(known->>'email') and id <> heard.key) then
      known := jsonb_set(known, '{email}', to_jsonb(heard.key || '@cell-' || lower(heard.cell) || '.invalid'));
    end if;
    insert into accounts (id, body, create_time, cell) values (heard.key, known, known->>'create_time', heard.cell)
    on conflict (id) do update set body = excluded.body, cell = excluded.cell where accounts.cell is not null;
  elsif heard.kind = 'app' then
    insert into apps select * from jsonb_populate_record(null::apps, known)
    on conflict (id) do update set name = excluded.name, features = excluded.features, scopes = excluded.scopes,
      status = excluded.status, token_generation = excluded.token_generation
    where not exists (select from accounts a where a.id = apps.account_id and a.cell is null);
  else
    insert into tokens select * from jsonb_populate_record(null::tokens, known) on conflict do nothing;
  end if;
end $$;

-- Somebody is gone from the cell that told: nothing that refers to them goes along, since they may only have moved.
create function directory_drop(heard directory) returns void language plpgsql as $$
begin
  update accounts set body = jsonb_set(body, '{status}', '"SUSPENDED"')
  where heard.kind = 'account' and id = heard.key and cell = heard.cell;
  update apps set status = 'DISABLED' from accounts a
  where heard.kind = 'app' and apps.id = heard.key and a.id = apps.account_id and a.cell = heard.cell;
  delete from tokens using apps, accounts a
  where heard.kind = 'token' and digest = (heard.told->>'digest')::bytea and apps.id = tokens.app_id
    and a.id = apps.account_id and a.cell = heard.cell;
end $$;

-- Whoever applies what is replicated has no search path.
create function directory_heard() returns trigger language plpgsql set search_path from current as $$
begin
  if tg_op = 'DELETE' then
    perform directory_drop(old);
  else
    perform directory_take(new);
  end if;
  return null;
end $$;
create trigger directory_heard after insert or update or delete on directory
  for each row execute function directory_heard();
-- What is written here is told, and what is replicated is heard.
alter table directory enable replica trigger directory_heard;

-- Refuses to change what lives in another cell: its own services do that.
create function directory_guard() returns trigger language plpgsql as $$
declare
  stored jsonb := case when tg_op = 'DELETE' then to_jsonb(old) else to_jsonb(new) end;
  owner text := case when tg_table_name = 'accounts' then stored->>'id'
    when tg_table_name = 'app_secrets' then (select account_id from apps where id = stored->>'app_id')
    else stored->>'account_id' end;
  home text := (select cell from accounts where id = owner);
begin
  if home is not null and current_setting('quittance.moves', true) is distinct from 'on' then
    raise exception 'Account % lives in cell %: do this there.', owner, home using errcode = 'QT003';
  end if;
  if tg_op = 'DELETE' then
    return old;
  end if;
  return new;
end $$;

-- Tells anew of accounts that came or went, and keeps what others tell of those that went.
create function directory_renew(ids text[]) returns void language plpgsql as $$
declare
  here text := (select cell from deployment);
begin
  if not exists (select from pg_trigger where tgname = 'directory_tells') then
    return;
  end if;
  delete from directory d where d.cell = here and (
    d.kind = 'account' and d.key = any(ids)
    or d.kind = 'app' and d.told->>'account_id' = any(ids)
    or d.kind = 'token' and d.told->>'app_id' in (
      select told->>'id' from directory where kind = 'app' and told->>'account_id' = any(ids)));
  insert into directory (cell, kind, key, told)
  select here, 'account', a.id, directory_shape('account', to_jsonb(a)) from accounts a where a.id = any(ids) and a.cell is null
  union all
  select here, 'app', p.id, to_jsonb(p) from apps p join accounts a on a.id = p.account_id where a.id = any(ids) and a.cell is null
  union all
  select here, 'token', t.digest::text, to_jsonb(t) from tokens t join apps p on p.id = t.app_id
    join accounts a on a.id = p.account_id where a.id = any(ids) and a.cell is null
  on conflict (cell, kind, key) do nothing;
  perform directory_take(d) from directory d
  where d.cell <> here and (d.kind = 'account' and d.key = any(ids)
    or d.kind = 'app' and d.told->>'account_id' = any(ids)
    or d.kind = 'token' and d.told->>'app_id' in (
      select told->>'id' from directory where kind = 'app' and told->>'account_id' = any(ids)))
  order by d.kind, d.key;
end $$;
