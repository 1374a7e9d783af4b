import type { Connection } from '../database/open.ts'
import { unprepared } from '../database/sql.ts'
import type { MovedTable } from './tables.ts'

/** Rows as JSON text, which no process of ours takes apart. */
export interface Rows {
  readonly rows: string
  readonly count: number
}

const PAGE = 500
/**
 * A file has at most ten mebibytes, and twice that as text. Neither the server nor this process has room for hundreds of them
 * in one value.
 */
export const FILES_PAGE = 5
/** Rows of the audit log are named by a number that each database counts for itself, so rows that arrive get other numbers. */
const AUDIT_STRIDE = 2n ** 40n

const list = (names: readonly string[]) => names.map((name) => `"${name}"`).join(', ')
const keyOf = ({ key }: MovedTable) => key.map(({ name }) => name)
const sameKey = (table: MovedTable) =>
  keyOf(table)
    .map((name) => `t."${name}" = k."${name}"`)
    .join(' and ')

/** Runs a statement unprepared: a command asks for each only a few times. */
const run = <Row>(db: Connection, text: string, values: readonly unknown[]) => db.rows<Row>(unprepared(text), values)

/** The next rows of an account after a key, and the key of the last of them. */
export async function readPage(
  db: Connection,
  table: MovedTable,
  accountId: string,
  after: unknown,
): Promise<Rows & { readonly last: unknown }> {
  const key = list(keyOf(table))
  const place = table.key.map(({ type }, i) => `($2::json->>${i})::${type}`).join(', ')
  const [page] = await run<Rows & { last: unknown }>(
    db,
    `with page as (
       select ${list(table.columns)} from "${table.name}"
       where "${table.owner}" = $1 ${after === undefined ? 'and $2::json is null' : `and (${key}) > (${place})`}
       order by ${key} limit ${table.files ? FILES_PAGE : PAGE})
     select count(*)::int as count, coalesce(json_agg(page), '[]')::text as rows,
       (select json_build_array(${key}) from page order by ${keyOf(table)
         .map((name) => `"${name}" desc`)
         .join(', ')} limit 1) as last
     from page`,
    [accountId, after === undefined ? null : JSON.stringify(after)],
  )
  return page!
}

/** All rows of an account, where they are few. */
export async function readAll(db: Connection, table: MovedTable, accountId: string): Promise<Rows> {
  // Jobs get new numbers in the database where they arrive.
  const columns = table.columns.filter((column) => column !== (table.name === 'jobs' ? 'id' : undefined))
  const [all] = await run<Rows>(
    db,
    `select count(*)::int as count, coalesce(json_agg(r), '[]')::text as rows
     from (select ${list(columns)} from "${table.name}" where "${table.owner}" = $1 order by ${list(keyOf(table))}) r`,
    [accountId],
  )
  return all!
}

/** The rows with these keys that are still there. */
export async function readKeys(db: Connection, table: MovedTable, keys: string): Promise<Rows> {
  const [found] = await run<Rows>(
    db,
    `select count(*)::int as count, coalesce(json_agg(r order by place), '[]')::text as rows
     from (select ${table.columns.map((column) => `t."${column}"`).join(', ')}, given.place
       from json_array_elements($1::json) with ordinality as given (one, place)
         cross join lateral json_populate_record(null::"${table.name}", one) k
         join "${table.name}" t on ${sameKey(table)}) r`,
    [keys],
  )
  return found!
}

/** The key of a table in this database. With partitions, the key of what an event mentions has one more column. */
async function keyHere(db: Connection, { name, key }: MovedTable): Promise<string[]> {
  if (name !== 'event_ids') return key.map((column) => column.name)
  const own = await run<{ name: string }>(
    db,
    `select a.attname::text as name from pg_index i cross join unnest(i.indkey::int2[]) with ordinality k (attnum, place)
       join pg_attribute a on a.attrelid = i.indrelid and a.attnum = k.attnum
     where i.indrelid = 'event_ids'::regclass and i.indisprimary order by k.place`,
    [],
  )
  return own.map((column) => column.name)
}

/** Inserts rows that came from another database. Rows that are there already become what is given if `replaces`, or else stay. */
export async function putRows(
  db: Connection,
  table: MovedTable,
  { rows }: Pick<Rows, 'rows'>,
  replaces: boolean,
): Promise<void> {
  const key = await keyHere(db, table)
  // A serial number stays what it was when the row came in.
  const others = table.columns.filter((column) => !key.includes(column) && column !== table.counter)
  const columns = table.columns.filter((column) => !(table.name === 'jobs' && column === 'id'))
  const values = columns.map((column) => movedValue(table, column))
  const conflict =
    replaces && others.length > 0
      ? `do update set ${others.map((column) => `"${column}" = excluded."${column}"`).join(', ')}`
      : 'do nothing'
  await run(
    db,
    `insert into "${table.name}" (${list(columns)}) overriding system value
     select ${values.join(', ')} from json_array_elements($1::json) with ordinality as given (one, place)
       cross join lateral json_populate_record(null::"${table.name}", one) r order by place
     ${table.name === 'jobs' ? '' : `on conflict (${list(key)}) ${conflict}`}`,
    [rows],
  )
}

/** An account that is on its way here is suspended, so that it takes no money and sends nothing until it has arrived. */
function movedValue({ name }: MovedTable, column: string): string {
  if (name === 'accounts' && column === 'body') return `jsonb_set(r.body, '{status}', '"SUSPENDED"')`
  if (name === 'audit_log' && column === 'seq')
    return `r.seq + ${AUDIT_STRIDE} * (select number from account_arrivals where account_id = r.account_id)`
  return `r."${column}"`
}

/** Removes those rows with these keys that are no longer at the source. */
export async function removeMissing(
  db: Connection,
  table: MovedTable,
  keys: string,
  found: Pick<Rows, 'rows'>,
): Promise<void> {
  // Rows leave the audit log only by age, and that happens here as it does at the source.
  if (table.name === 'audit_log') return
  await run(
    db,
    `delete from "${table.name}" t using json_populate_recordset(null::"${table.name}", $1::json) k
     where ${sameKey(table)} and not exists (
       select from json_populate_recordset(null::"${table.name}", $2::json) f
       where ${keyOf(table)
         .map((name) => `f."${name}" = k."${name}"`)
         .join(' and ')})`,
    [keys, found.rows],
  )
}

/** How many rows an account has in each table. */
export async function countRows(
  db: Connection,
  tables: readonly MovedTable[],
  accountId: string,
): Promise<ReadonlyMap<string, number>> {
  const counts = tables.map(
    ({ name, owner }) => `select '${name}' as name, count(*)::int as count from "${name}" where "${owner}" = $1`,
  )
  const rows = await run<{ name: string; count: number }>(db, counts.join(' union all '), [accountId])
  return new Map(rows.map(({ name, count }) => [name, count]))
}

/** Removes some rows of an account, and returns how many. */
export async function removeSome(db: Connection, table: MovedTable, accountId: string): Promise<number> {
  const removed = await run(
    db,
    `delete from "${table.name}" t using (
       select tableoid as part, ctid as place from "${table.name}" where "${table.owner}" = $1 limit ${PAGE}) page
     where t.ctid = page.place and t.tableoid = page.part returning 1`,
    [accountId],
  )
  return removed.length
}

/** Moves a counter on, so that it continues behind everything that came. */
export async function moveCounter(db: Connection, table: MovedTable, accountId: string): Promise<void> {
  if (table.counter === null || table.name === 'audit_log' || table.name === 'jobs') return
  await run(
    db,
    `select setval(sequence, highest + 1000) from (
       select pg_get_serial_sequence('"${table.name}"', $2) as sequence,
         (select max("${table.counter}") from "${table.name}" where "${table.owner}" = $1) as highest) came
     where highest >= (select coalesce(pg_sequence_last_value(sequence::regclass), 0))`,
    [accountId, table.counter],
  )
}
