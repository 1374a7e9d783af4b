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
  /** A column whose values the database counts up by itself, if there is one. */
  readonly counter: string | null
  /** Whether rows hold files, a few of which are as much as hundreds of other rows. */
  readonly files: boolean
}

export interface Column {
  readonly name: string
  readonly type: string
}

/** Rows of these tables appear only once their account is here, because workers and callers would find them earlier. */
const heldBack = new Set(['jobs', 'delivery_queue'])
/**
 * Tables that belong to an account through its apps. Their rows come with it too, and at the source nobody gets in with them
 * any more.
 */
export const doors = ['app_secrets', 'tokens'] as const
/** Tables that stay: those of the move itself, and that of people, who sign in to one deployment and are invited to another. */
const staying = [
  ...['account_moves', 'account_move_changes', 'account_forwards', 'account_arrivals', 'account_arrival_rows'],
  'console_roles',
]

/** What a row refers to comes before it. The logs of a sandbox, which a crash may empty, are not part of an account. */
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
  /** Brought last and kept aside, so that they appear together with the account. */
  readonly heldBack: readonly MovedTable[]
}

export async function readTables(db: Connection): Promise<MovedTables> {
  const tables = await db.rows<MovedTable>(described, [staying])
  return {
    copied: tables.filter(({ name }) => !heldBack.has(name)),
    heldBack: tables.filter(({ name }) => heldBack.has(name)),
  }
}
