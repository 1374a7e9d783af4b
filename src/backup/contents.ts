import type pg from 'pg'
import type { Environment } from '../config.ts'
import { type AppliedMigration, appliedMigrations } from '../database/migrate.ts'
import { undated } from '../database/partitions.ts'
import { systemClock } from '../kernel/clock.ts'
import { version } from '../version.ts'
import { copyOut } from './copy.ts'
import { BackupError } from './error.ts'

/** A table and its columns, without those that PostgreSQL computes from others. */
export interface Table {
  readonly name: string
  readonly columns: readonly string[]
}

/** What is known of a database before its rows are read. */
export interface Facts {
  /** The version of Quittance that read it. */
  readonly quittance: string
  readonly create_time: string
  /** Null when no service has started on the database yet. */
  readonly environment: Environment | null
  /** The migration files that made its schema. */
  readonly migrations: readonly AppliedMigration[]
  /** The last value of each sequence that has given one. */
  readonly sequences: Readonly<Record<string, string>>
  /** The partitions of the tables that have some. When absent, there are none. */
  readonly partitions?: readonly string[]
  /** In an order in which no row refers to one that comes later. */
  readonly tables: readonly Table[]
}

/** The rows of one table. `rows` is known only after `pieces` has come to its end. */
export interface TableRows {
  readonly table: Table
  readonly pieces: AsyncIterable<Buffer>
  rows(): number
}

/** A database at one instant, whatever is written to it meanwhile. */
export interface Contents {
  readonly facts: Facts
  tables(): AsyncIterable<TableRows>
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

/** Names the rows and columns that a COPY is about; it is the same in both directions. */
export const copied = ({ name, columns }: Table) => `copy ${quoted(name)} (${columns.map(quoted).join(', ')})`

/** A partitioned table can be copied out only by way of a query. */
const copiedOut = (table: Table, isPartitioned: boolean) =>
  isPartitioned
    ? `copy (select ${table.columns.map(quoted).join(', ')} from ${quoted(table.name)}) to stdout`
    : `${copied(table)} to stdout`

/** Begins to read: everything that comes is as of this one instant. The transaction ends with the connection. */
export async function readContents(client: pg.Client): Promise<Contents> {
  await client.query('begin transaction isolation level repeatable read, read only')
  const migrations = await appliedMigrations(client)
  if (migrations.length === 0)
    throw new BackupError('There is nothing to back up: no version of Quittance has set this database up.')
  const tables = inOrder(await tablesOf(client), await referencesOf(client))
  // Nobody can alter or drop a table while it is read.
  await client.query(`lock table ${tables.map(({ name }) => quoted(name)).join(', ')} in access share mode`)
  const facts: Facts = {
    quittance: version,
    create_time: systemClock.now(),
    environment: await environmentOf(client, tables),
    migrations,
    sequences: await sequencesOf(client),
    partitions: await partitionsOf(client),
    tables,
  }
  return { facts, tables: () => readTables(client, tables, facts.partitions!) }
}

async function* readTables(
  client: pg.Client,
  tables: readonly Table[],
  partitions: readonly string[],
): AsyncGenerator<TableRows> {
  for (const table of tables) {
    let rows = 0
    const pieces = async function* () {
      rows = yield* copyOut(client, copiedOut(table, partitions.includes(undated(table.name))))
    }
    yield { table, pieces: pieces(), rows: () => rows }
  }
}

/** The tables that hold something of ours. The table of applied files is left out, because it is read separately. */
export async function tablesOf(client: pg.Client): Promise<Table[]> {
  const { rows } = await client.query<Table>(`
    select relname as name, array_agg(attname::text order by attnum) as columns
    from pg_class join pg_attribute on attrelid = pg_class.oid and attnum > 0 and not attisdropped and attgenerated = ''
    where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p') and not relispartition and relname <> 'migrations'
      and not exists (select from pg_depend where objid = pg_class.oid and deptype = 'e')
    group by relname order by relname`)
  return rows
}

async function partitionsOf(client: pg.Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(`
    select relname as name from pg_class
    where relnamespace = current_schema()::regnamespace and relkind = 'r' and relispartition order by relname`)
  return rows.map(({ name }) => name)
}

interface Reference {
  readonly from: string
  readonly to: string
}

async function referencesOf(client: pg.Client): Promise<Reference[]> {
  const { rows } = await client.query<Reference>(`
    select source.relname as from, target.relname as to from pg_constraint
      join pg_class source on source.oid = conrelid join pg_class target on target.oid = confrelid
    where contype = 'f' and connamespace = current_schema()::regnamespace and conrelid <> confrelid`)
  return rows
}

/** A table that others refer to comes before them. */
function inOrder(tables: readonly Table[], references: readonly Reference[]): Table[] {
  const ordered: Table[] = []
  const visit = (table: Table, way: readonly Table[]) => {
    if (ordered.includes(table) || way.includes(table)) return
    for (const { from, to } of references)
      if (from === table.name) visit(tables.find(({ name }) => name === to)!, [...way, table])
    ordered.push(table)
  }
  for (const table of tables) visit(table, [])
  return ordered
}

/**
 * A sequence gives out a number before its row can be seen. So its value, even if it is read after the instant, is no lower
 * than those in the rows.
 */
async function sequencesOf(client: pg.Client): Promise<Record<string, string>> {
  const { rows } = await client.query<{ name: string; last: string }>(`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = current_schema() and last_value is not null order by sequencename`)
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
}

/** Null for earlier versions, which did not write it down. */
async function environmentOf(client: pg.Client, tables: readonly Table[]): Promise<Environment | null> {
  if (!tables.some(({ name }) => name === 'deployment')) return null
  const { rows } = await client.query<{ environment: Environment }>('select environment from deployment')
  return rows[0]?.environment ?? null
}
