import type pg from 'pg'
import { type Environment, SettingError } from '../config.ts'
import { requireEnvironment } from '../database/environment.ts'
import { appliedMigrations, applyMigrations, splitMigrations, waitForLock } from '../database/migrate.ts'
import { partitionEmpty } from '../database/partitioning.ts'
import { requireVersion } from '../database/required-server.ts'
import type { Statement } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { requireSameSecret, type Seal } from '../webhooks/signing/seal.ts'
import { copied, type Facts, quoted, type TableRows, tablesOf } from './contents.ts'
import { copyIn } from './copy.ts'
import { BackupError } from './error.ts'

export interface LoadOptions {
  readonly facts: Facts
  tables(): AsyncIterable<TableRows>
  /** That of the settings; what is loaded must be of the same environment. */
  readonly environment: Environment
  readonly seal: Seal
  /** Whether what the database holds may be removed; it may not when this is absent. */
  readonly replace?: boolean | undefined
}

export interface Loaded {
  readonly tables: number
  readonly rows: number
  /** The migration files of this version that the loaded data had not seen. */
  readonly migrated: readonly string[]
}

/**
 * Fills a database with what another one held, in one transaction: the schema as the migration files of that time made it, the
 * rows, and then the files that came since. When it fails, everything is as it was before.
 */
export async function load(client: pg.Client, options: LoadOptions): Promise<Loaded> {
  const { facts, tables, environment, seal } = options
  const { before, since } = splitMigrations(facts.migrations)
  if (facts.environment !== null && facts.environment !== environment)
    throw new SettingError(
      `What is to be loaded is of a ${facts.environment} service: set QUITTANCE_ENVIRONMENT=${facts.environment}.`,
    )
  await requireVersion(client)
  await waitForLock(client)
  await client.query('begin')
  await clear(client, options)
  await applyMigrations(client, before)
  await partitionEmpty(client, facts.partitions ?? [])
  const rows = await fill(client, tables())
  for (const [name, last] of Object.entries(facts.sequences))
    await client.query('select setval($1::regclass, $2)', [quoted(name), last])
  await applyMigrations(client, since)
  await requireSameSecret(readerOf(client), seal, { of: 'what is to be loaded', mend: 'set it to what it was there' })
  await client.query('commit')
  await client.query('analyze')
  return { tables: facts.tables.length, rows, migrated: since.map(({ name }) => name) }
}

/** Makes room: an empty database, or one whose contents may go. */
async function clear(client: pg.Client, { environment, replace }: LoadOptions): Promise<void> {
  const tables = await tablesOf(client)
  if ((await appliedMigrations(client)).length === 0) {
    if (tables.length === 0) return
    const names = tables.map(({ name }) => name).slice(0, 3)
    throw new BackupError(
      `The database holds tables of something else (${names.join(', ')}): create a database for Quittance alone.`,
    )
  }
  if (tables.some(({ name }) => name === 'deployment')) await requireEnvironment(readerOf(client), environment)
  if (!replace)
    // The audit log does not count: migrating an empty database already writes to it.
    for (const { name } of tables.filter((table) => table.name !== 'audit_log'))
      if ((await client.query(`select from ${quoted(name)} limit 1`)).rowCount !== 0)
        throw new BackupError(
          `The database is not empty (${name} has rows): name an empty one${replace === undefined ? '' : ', or let everything in it go with --replace'}.`,
        )
  const { rows } = await client.query<{ statement: string }>(dropStatements)
  for (const { statement } of rows) await client.query(statement)
}

/** Statements that drop all in our schema but what belongs to an extension. Tables come first, and take their sequences along. */
const dropStatements = `
  with ours (class, id, kind, name) as (
    select 'pg_class'::regclass, oid, 'table', oid::regclass::text from pg_class
      where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
    union all select 'pg_class'::regclass, oid, 'view', oid::regclass::text from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'v'
    union all select 'pg_class'::regclass, oid, 'sequence', oid::regclass::text from pg_class
      where relnamespace = current_schema()::regnamespace and relkind = 'S'
    union all select 'pg_proc'::regclass, oid, 'routine', oid::regprocedure::text from pg_proc
      where pronamespace = current_schema()::regnamespace and prokind in ('f', 'p')
    union all select 'pg_type'::regclass, oid, case typtype when 'd' then 'domain' else 'type' end, oid::regtype::text
      from pg_type where typnamespace = current_schema()::regnamespace and typtype in ('d', 'e')
  )
  select format('drop %s if exists %s cascade', kind, name) as statement from ours
  where not exists (select from pg_depend where classid = class and objid = id and deptype = 'e')
  order by array_position(array['table', 'view', 'sequence', 'routine', 'domain', 'type'], kind)`

/** Triggers are off while rows come in, because what triggers derive is among the rows already. */
async function fill(client: pg.Client, tables: AsyncIterable<TableRows>): Promise<number> {
  let all = 0
  for await (const { table, pieces, rows } of tables) {
    const special = await specialTriggers(client, table.name)
    await client.query(`alter table ${quoted(table.name)} disable trigger user`)
    const taken = await copyIn(client, `${copied(table)} from stdin`, pieces)
    if (taken !== rows()) throw new Error(`${table.name}: ${rows()} rows were sent and ${taken} arrived`)
    await client.query([`alter table ${quoted(table.name)} enable trigger user`, ...special].join('; '))
    all += taken
  }
  return all
}

/** Statements that restore those triggers of a table that are not simply on, such as those for replicated rows. */
async function specialTriggers(client: pg.Client, table: string): Promise<string[]> {
  const { rows } = await client.query<{ statement: string }>(
    `select format('alter table %I %s trigger %I', $1::text,
       case tgenabled when 'R' then 'enable replica' when 'A' then 'enable always' else 'disable' end, tgname) as statement
     from pg_trigger where tgrelid = $2::regclass and not tgisinternal and tgenabled <> 'O'`,
    [table, quoted(table)],
  )
  return rows.map(({ statement }) => statement)
}

/** Wraps a connection for functions that ask the database of a service. */
export function readerOf(client: pg.Client): Reader {
  const rows = async <Row>({ text }: Statement, values: readonly unknown[] = []) =>
    // Each statement's caller states what its columns are.
    (await client.query(text, [...values])).rows as Row[]
  return {
    rows,
    row: async <Row>(statement: Statement, values?: readonly unknown[]) => (await rows<Row>(statement, values))[0],
  }
}
