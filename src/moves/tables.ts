import type { Connection } from '../database/open.ts'
import { sql } from '../database/sql.ts'

/** A table with rows of accounts, as the database describes it. */
export interface MovedTable {
  readonly name: string
  /** The column with the account that a row belongs to. */
  readonly owner: string
  /** All columns but the generated ones. */
  readonly columns: readonly string[]
  readonly key: readonly Column[]
  /** A column that counts by itself, if there is one. */
  readonly counter: string | null
  /** Whether rows hold files, of which a few are as much as hundreds of others. */
  readonly files: boolean
}

export interface Column {
  readonly name: string
  readonly type: string
}

/** Comes with its account only when that is here, because workers and callers would find it before. */
const heldBack = new Set(['jobs', 'delivery_queue'])
/** Belong to an account through its apps. They come with it too, and at the source nobody gets in with them any more. */
export const doors = ['app_secrets', 'tokens'] as const
/** Of the move itself, and of people who sign in to one deployment and are invited to another. */
const staying = [
  ...['account_moves', 'account_move_changes', 'account_forwards', 'account_arrivals', 'account_arrival_rows'],
  'console_roles',
]

/** What a row refers to comes before it. Logs of a sandbox that a crash may empty are no part of an account. */
const described = sql`
  with recursive tables as (
    select c.oid, c.relname::text as name, case when c.relname = 'accounts' then 'id' else 'account_id' end as owner
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
    where n.nspname = current_schema() and c.relkind in ('r', 'p') and not c.relispartition and c.relpersistence = 'p'
      and c.relname <> all($1::text[])
      and (c.relname = 'accounts' or exists (select from pg_attribute a where a.attrelid = c.oid and a.attname = 'account_id'))),
  behind as (
    select oid, 0 as depth from tables
    union
    select f.conrelid, b.depth + 1 from behind b join pg_constraint f
      on f.confrelid = b.oid and f.contype = 'f' and f.conrelid <> f.confrelid and b.depth < 50)
  select t.name, t.owner,
    (select array_agg(a.attname::text order by a.attnum) from pg_attribute a
     where a.attrelid = t.oid and a.attnum > 0 and not a.attisdropped and a.attgenerated = '') as columns,
    (select json_agg(json_build_object('name', a.attname, 'type', format_type(a.atttypid, a.atttypmod)) order by k.place)
     from pg_index i cross join unnest(i.indkey::int2[]) with ordinality k (attnum, place)
       join pg_attribute a on a.attrelid = t.oid and a.attnum = k.attnum
     where i.indrelid = t.oid and i.indisprimary) as key,
    (select a.attname::text from pg_attribute a where a.attrelid = t.oid and a.attidentity <> '' limit 1) as counter,
    exists (select from pg_attribute a where a.attrelid = t.oid and a.attname in ('bytes', 'image')) as files
  from tables t join (select oid, max(depth) as depth from behind group by oid) b on b.oid = t.oid
  order by b.depth, t.name`

export interface MovedTables {
  /** Copied row by row while the account works, in an order in which no row refers to a later one. */
  readonly copied: readonly MovedTable[]
  /** Brought last and kept aside, to appear together with the account. */
  readonly heldBack: readonly MovedTable[]
}

export async function readTables(db: Connection): Promise<MovedTables> {
  const tables = await db.rows<MovedTable>(described, [staying])
  return {
    copied: tables.filter(({ name }) => !heldBack.has(name)),
    heldBack: tables.filter(({ name }) => heldBack.has(name)),
  }
}
