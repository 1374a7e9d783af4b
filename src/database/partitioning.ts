import type pg from 'pg'
import { after, type Instant } from '../kernel/clock.ts'
import { changingTables, waitForLock } from './migrate.ts'
import { makePartition, type PartitionedTable, partitionedTables, partitionOf, undated } from './partitions.ts'

/** For at least so long the audit log stays one table. Within that time, all of it has to be read once. */
const AUDIT_SECONDS_MIN = 7 * 86_400
const CHECK_VIOLATION = '23514'

/** Why a database cannot be kept in partitions, in one sentence for whoever asked for it. */
export class PartitioningError extends Error {}

/**
 * Turns the tables that grow with every event into partitioned ones, while services write to them. Existing rows stay where
 * they are, as the partition of all rows that have no period. They are read once, to prove that this is true, and never
 * copied. This can be stopped and called again. Of two calls, the second waits and finds it done.
 */
export async function partitionTables(client: pg.Client, now: Instant, say: (sentence: string) => void): Promise<void> {
  await waitForLock(client)
  const later = after(now, AUDIT_SECONDS_MIN)
  for (const table of partitionedTables) {
    if (await isPartitioned(client, table)) continue
    // The audit log gets partitions by month, beginning some time from now. All other tables go by the day in their ids.
    const first = table.column === 'create_time' ? table.calendar.of(later) + 1 : undefined
    say(`${table.name}: reading it once`)
    await prove(client, table, first)
    await changingTables(client, () => turn(client, table, first))
  }
}

/** The same for empty tables, within the transaction of the caller; with the partitions of these names. */
export async function partitionEmpty(client: pg.Client, names: readonly string[]): Promise<void> {
  for (const table of partitionedTables) {
    const periods = names.flatMap((name) => periodNamed(table, name) ?? [])
    const first = table.column === 'create_time' ? Math.min(...periods) : undefined
    if (!names.includes(undated(table.name))) continue
    await turn(client, table, first)
    for (const period of periods) if (period !== first) await client.query(makePartition(table, period))
  }
}

/**
 * Turns partitioned tables back into plain ones, with all their rows. The rows are copied into the table that was there
 * before it had partitions, and nobody reads or writes it meanwhile. An id that carries a day keeps it.
 */
export async function joinTables(client: pg.Client, say: (sentence: string) => void): Promise<void> {
  await waitForLock(client)
  // The events first, so that new ids get no day any more.
  for (const table of partitionedTables.toReversed()) {
    if (!(await isPartitioned(client, table))) continue
    say(`${table.name}: copying it`)
    await changingTables(client, () => join(client, table))
  }
}

const partitionsOf =
  'select inhrelid::regclass::text as name from pg_inherits where inhparent = $1::regclass order by 1'
const indexesOf = 'select indexrelid::regclass::text as name from pg_index where indrelid = $1::regclass'

async function join(client: pg.Client, { name }: PartitionedTable): Promise<void> {
  const old = undated(name)
  await client.query(`lock table ${name} in access exclusive mode`)
  const { rows } = await client.query<Described>(described, [name])
  const { triggers, counter, next } = rows[0]!
  const partitions = await client.query<{ name: string }>(partitionsOf, [name])
  await client.query(`alter table ${name} detach partition ${old}`)
  for (const trigger of (await client.query<Described>(described, [old])).rows[0]!.triggers)
    await client.query(`drop trigger "${trigger.name}" on ${old}`)
  for (const one of partitions.rows)
    if (one.name !== old) await client.query(`insert into ${old} select * from ${one.name}`)
  await client.query(`drop table ${name}; alter table ${old} rename to ${name}`)
  // Indexes of a migration that came after the partitions have the name of the table before their own.
  const plain = (index: string) =>
    index.startsWith(`${old}_`) ? index.slice(old.length + 1) : index.replace(/_undated$/, '')
  for (const index of (await client.query<{ name: string }>(indexesOf, [name])).rows)
    await client.query(`alter index ${index.name} rename to ${plain(index.name)}`)
  if (counter !== null)
    await client.query(`alter table ${name} alter ${counter} add generated always as identity (start with ${next})`)
  for (const trigger of triggers) await client.query(trigger.text)
}

function periodNamed(table: PartitionedTable, name: string): number | undefined {
  const [, year, month, day = '01'] = new RegExp(`^${table.name}_(\\d{4})(\\d\\d)(\\d\\d)?$`).exec(name) ?? []
  if (year === undefined) return undefined
  const period = table.calendar.of(`${year}-${month}-${day}T00:00:00.000Z` as Instant)
  return partitionOf(table, period) === name ? period : undefined
}

async function isPartitioned(client: pg.Client, { name }: PartitionedTable): Promise<boolean> {
  const { rowCount } = await client.query("select from pg_class where oid = $1::regclass and relkind = 'p'", [name])
  return rowCount === 1
}

/** Has the server check that no row belongs to a partition to come. Nobody is held up while it looks. */
async function prove(client: pg.Client, table: PartitionedTable, first: number | undefined): Promise<void> {
  const { name, column, primaryKey } = table
  const drop = `alter table ${name} drop constraint if exists ${undated(name)}`
  const check = `alter table ${name} add constraint ${undated(name)} check (${column} < '${table.from(first)}') not valid`
  await changingTables(client, async () => void (await client.query(`${drop}; ${check}`)))
  try {
    await client.query(`alter table ${name} validate constraint ${undated(name)}`)
    if (primaryKey === undefined) return
    await client.query(`drop index concurrently if exists ${name}_key`)
    await client.query(`create unique index concurrently ${name}_key on ${name} (${primaryKey})`)
  } catch (error) {
    await changingTables(client, async () => void (await client.query(drop)))
    if ((error as { code?: string }).code !== CHECK_VIOLATION) throw error
    throw new PartitioningError(
      `A row of ${name} has an id that carries a day already, as those do that came from a database with partitions: it goes after WEBHOOK_RETENTION_DAYS, call again then.`,
      { cause: error },
    )
  }
}

interface Described {
  readonly indexes: readonly { name: string; text: string; primary: boolean; key: string }[]
  readonly triggers: readonly { name: string; text: string }[]
  /** An identity column, and the next number it gives. */
  readonly counter: string | null
  readonly next: string
}

/** What a table has beside its columns, as statements that make it again. */
const described = `
  select
    (select coalesce(json_agg(json_build_object('name', c.relname, 'text', pg_get_indexdef(c.oid), 'primary', i.indisprimary,
        'key', pg_get_constraintdef(k.oid))), '[]')
      from pg_index i join pg_class c on c.oid = i.indexrelid left join pg_constraint k on k.conindid = c.oid and k.contype = 'p'
      where i.indrelid = t.oid) as indexes,
    (select coalesce(json_agg(json_build_object('name', tgname, 'text', pg_get_triggerdef(oid))), '[]')
      from pg_trigger where tgrelid = t.oid and not tgisinternal) as triggers,
    counter.attname as counter,
    (select coalesce(pg_sequence_last_value(pg_get_serial_sequence(t.relname, counter.attname)::regclass), 0) + 1)::text as next
  from pg_class t left join pg_attribute counter on counter.attrelid = t.oid and counter.attidentity <> ''
  where t.oid = $1::regclass`

/** Puts a partitioned table in the place of a plain one, which becomes its first partition. Changes only the catalogue. */
async function turn(client: pg.Client, table: PartitionedTable, first: number | undefined): Promise<void> {
  const { name, column, primaryKey, sweptBy } = table
  const old = undated(name)
  await client.query(`lock table ${name} in access exclusive mode`)
  const { rows } = await client.query<Described>(described, [name])
  const { indexes, triggers, counter, next } = rows[0]!
  for (const trigger of triggers) await client.query(`drop trigger "${trigger.name}" on ${name}`)
  if (counter !== null) await client.query(`alter table ${name} alter ${counter} drop identity`)
  if (primaryKey !== undefined) await client.query(keyAnew(table, indexes))
  for (const index of indexes)
    if (index.name !== `${name}_key`)
      await client.query(`alter index "${index.name}" rename to "${undated(index.name)}"`)
  await client.query(`
    alter table ${name} rename to ${old};
    create table ${name} (like ${old} including defaults including storage including compression) partition by range (${column});
    alter table ${name} attach partition ${old} for values from (minvalue) to ('${table.from(first)}');
    alter table ${old} drop constraint if exists ${old}`)
  if (counter !== null)
    await client.query(`alter table ${name} alter ${counter} add generated always as identity (start with ${next})`)
  for (const index of indexes.filter((one) => one.name !== sweptBy && one.name !== `${name}_key`)) {
    const key = primaryKey === undefined ? index.key : `PRIMARY KEY (${primaryKey})`
    await client.query(
      index.primary
        ? `alter table only ${name} add constraint "${index.name}" ${key}`
        : index.text.replace(/^CREATE (UNIQUE )?INDEX (.*?) ON /, 'CREATE INDEX $2 ON ONLY '),
    )
    // An index that can no longer be unique stays unique inside the old table. Elsewhere, the id keeps rows unique.
    if (index.primary || !index.text.startsWith('CREATE UNIQUE'))
      await client.query(`alter index "${index.name}" attach partition "${undated(index.name)}"`)
  }
  for (const trigger of triggers) await client.query(trigger.text)
  if (first !== undefined) await client.query(makePartition(table, first))
}

/** For a table in use, the index was made beforehand. */
function keyAnew({ name, primaryKey }: PartitionedTable, indexes: Described['indexes']): string {
  const old = indexes.find(({ primary }) => primary)!.name
  const made = indexes.some((index) => index.name === `${name}_key`)
  return `alter table ${name} drop constraint "${old}";
    alter table ${name} add constraint "${old}" primary key ${made ? `using index ${name}_key` : `(${primaryKey})`}`
}
