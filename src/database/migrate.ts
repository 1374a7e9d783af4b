import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { addressOf, type Ways } from './address.ts'
import { Connector } from './connector.ts'
import { failureOf } from './errors.ts'
import { runBesideWriters } from './indexes.ts'
import { watchWaits } from './migration-waits.ts'
import type { Connection } from './open.ts'
import { MigrationError, requireServer } from './required-server.ts'
import { mayChange, settleRole, unlimited } from './session.ts'
import { sql } from './sql.ts'
import { byDirectWay, requireOneDatabase } from './ways.ts'

/** What a database keeps of a file that was applied to it. */
export interface AppliedMigration {
  readonly name: string
  readonly checksum: string
}

/** One file of `migrations/`. It is applied once and never edited again. */
export interface Migration extends AppliedMigration {
  readonly text: string
}

/** `migrations/` lies beside both `src/` and `dist/`. */
const ourMigrations = fileURLToPath(new URL('../../migrations', import.meta.url))
/** An arbitrary number. The advisory lock with this number is held by the process that migrates. */
export const MIGRATION_LOCK = 7_231_548_602
const POLL_MS = 50
/** How long a start waits for another process that migrates. */
const WAIT_MS_MAX = 10 * 60_000
/** How long one statement waits for a table in use before it lets the queue behind it pass and tries again. */
const LOCK_TIMEOUT_MS = 2_000
const TRIES_MAX = 30
const retryableStates = new Set(['55P03', '40P01'])

const isMigration = (name: string) => /^\d{4}_[a-z0-9_]+\.sql$/.test(name)

/** Files that got another number after databases had applied them, because two files had the same number. */
const renumbered: Readonly<Record<string, string>> = { '0010_logos.sql': '0013_logos.sql' }
const presentName = (applied: string) => renumbered[applied] ?? applied

function readMigrations(folder: string): Migration[] {
  const names = readdirSync(folder).filter(isMigration).sort()
  for (const [i, name] of names.entries())
    if (name.slice(0, 4) === names[i + 1]?.slice(0, 4))
      throw new MigrationError(`${name} and ${names[i + 1]} have the same number: give one of them the next free one.`)
  return names.map((name) => {
    const text = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n')
    return { name, text, checksum: createHash('sha256').update(text).digest('hex') }
  })
}

const migrationsTable = `
  create table if not exists migrations (
    name       text collate "C" primary key,
    checksum   text not null,
    applied_at timestamptz not null default now()
  )`

interface MigrateOptions {
  /** Whether the service reaches the same database through a pooler. */
  readonly pooled?: boolean
  /** Called before anything is changed. If it throws, everything stays as it is. */
  readonly before?: ((client: pg.Client) => Promise<void>) | undefined
  /** Told whom the migration waits for, when it waits for long. */
  readonly onWait?: ((sentence: string) => void) | undefined
  // For tests only, in place of the usual values.
  readonly folder?: string
  readonly takeLock?: (client: pg.Client) => Promise<void>
  readonly lockTimeoutMs?: number
}

/**
 * Brings the database to this version and returns the names of the files applied. When several processes start at
 * once, one migrates and the others wait for it.
 */
export async function migrate(
  url: string,
  {
    folder = ourMigrations,
    takeLock = waitForLock,
    lockTimeoutMs = LOCK_TIMEOUT_MS,
    pooled = false,
    before,
    onWait,
  }: MigrateOptions = {},
): Promise<string[]> {
  const migrations = readMigrations(folder)
  const settings = { application_name: 'quittance migrate' }
  const connector = new Connector(addressOf(url), settings)
  const client = await connector.connect()
  let endWatch: (() => Promise<void>) | undefined
  try {
    await requireServer(client, connector)
    await client.query(unlimited)
    const isDone = (await pendingOf(client, migrations)).length === 0
    if (!isDone) await before?.(client)
    if (pooled) await settleRole(client)
    if (isDone) return []
    if (onWait) endWatch = await watchOf(client, connector, onWait)
    await takeLock(client)
    await client.query(migrationsTable)
    const pending = await pendingOf(client, migrations)
    for (const migration of pending) await apply(client, migration, lockTimeoutMs)
    return pending.map(({ name }) => name)
  } finally {
    await endWatch?.()
    // The lock ends with the connection.
    await client.end()
  }
}

async function watchOf(client: pg.Client, connector: Connector, tell: (sentence: string) => void) {
  const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
  return watchWaits({ connect: () => connector.connect(), pid: rows[0]!.pid, lock: MIGRATION_LOCK, tell })
}

/** The same, by whichever of the ways leads to the server itself. */
export const migrateBy = (ways: Ways, options: Pick<MigrateOptions, 'before' | 'onWait'> = {}): Promise<string[]> =>
  byDirectWay(ways, (url) => migrate(url, { pooled: ways.directUrl !== undefined, ...options }))

/** What a start on this database would have to do, without doing any of it. Refuses what a start refuses. */
export async function examine(ways: Ways) {
  await requireOneDatabase(ways)
  return byDirectWay(ways, examineAt)
}

async function examineAt(url: string) {
  const connector = new Connector(addressOf(url), { application_name: 'quittance check' })
  const client = await connector.connect()
  try {
    const version = await requireServer(client, connector)
    const pending = (await pendingOf(client, readMigrations(ourMigrations))).map(({ name }) => name)
    const isNew = (await appliedMigrations(client)).length === 0
    const { rows } = await client.query<{ mayCreate: boolean; isOwner: boolean }>(mayChange)
    return { version, pending, isNew, ...rows[0]! }
  } finally {
    await client.end()
  }
}

/** The names of the files this version has and the database lacks. */
export async function pendingMigrations(db: Connection): Promise<string[]> {
  const applied = await db.rows<{ name: string }>(sql`select name from migrations`)
  const names = new Set(applied.map(({ name }) => presentName(name)))
  return readdirSync(ourMigrations).filter((name) => isMigration(name) && !names.has(name))
}

/** What was applied to a database, in order; nothing where no version of ours ever was. */
export async function appliedMigrations(client: pg.Client): Promise<AppliedMigration[]> {
  const { rows: columns } = await client.query<{ ours: boolean }>(
    "select count(*) = 2 as ours from pg_attribute where attrelid = to_regclass('migrations') and attname in ('name', 'checksum')",
  )
  if (!columns[0]!.ours) return []
  const { rows } = await client.query<AppliedMigration>('select name, checksum from migrations order by name')
  return rows.map(({ name, checksum }) => ({ name: presentName(name), checksum }))
}

/**
 * What is still to be applied, in order. Files of a newer version are borne with, so that an older version can start again
 * after an upgrade, as long as nothing was taken away that it uses. Refuses a database to which an edited version of a file
 * was applied.
 */
async function pendingOf(client: pg.Client, migrations: readonly Migration[]): Promise<Migration[]> {
  const applied = await appliedMigrations(client)
  const ours = new Set(migrations.map(({ name }) => name))
  const isBearable = ({ name }: AppliedMigration) => !ours.has(name) && !takesAway(name, migrations)
  const { since } = splitMigrations(
    applied.filter((one) => !isBearable(one)),
    migrations,
  )
  // A newer version has applied all older files. If one of ours is missing, this database has another history than ours.
  const stranger = since.length > 0 ? applied.find(isBearable) : undefined
  if (stranger) throw new MigrationError(unknownToUs(stranger.name))
  return since
}

/**
 * Whether a file takes away something that this version uses. `0050_contract_0046_webhook_url.sql` takes away what no
 * version uses that knows 0046. Every other file only adds (`test/house/migrations.test.ts` checks it), so a version without
 * it goes on working.
 */
function takesAway(name: string, migrations: readonly Migration[]): boolean {
  const since = /^\d{4}_contract_(\d{4})_/.exec(name)?.[1]
  return since !== undefined && !migrations.some((migration) => migration.name.startsWith(since))
}

const unknownToUs = (name: string) =>
  `The database was migrated by a newer version of Quittance (${name} is unknown to this one): start that version, or restore a backup made before it.`

/** Splits our files into those that were applied then, and those since. Refuses what a newer or an edited version has applied. */
export function splitMigrations(
  applied: readonly AppliedMigration[],
  migrations: readonly Migration[] = readMigrations(ourMigrations),
): { before: Migration[]; since: Migration[] } {
  for (const { name, checksum } of applied) {
    const ours = migrations.find((migration) => migration.name === name)
    if (!ours) throw new MigrationError(unknownToUs(name))
    if (ours.checksum !== checksum)
      throw new MigrationError(
        `The migration ${name} was changed after this database had applied it: restore the file, and put the change into a new one.`,
      )
  }
  const known = new Set(applied.map(({ name }) => name))
  return {
    before: migrations.filter(({ name }) => known.has(name)),
    since: migrations.filter(({ name }) => !known.has(name)),
  }
}

/** Applies files within the transaction of the caller, who holds the lock and is alone in the database. */
export async function applyMigrations(client: pg.Client, migrations: readonly Migration[]): Promise<void> {
  await client.query(migrationsTable)
  for (const migration of migrations)
    await applyOne(client, { ...migration, text: isOutside(migration) ? withoutHaste(migration.text) : migration.text })
}

async function applyOne(client: pg.Client, { text, ...migration }: Migration): Promise<void> {
  await client.query(text)
  await noteApplied(client, migration)
}

/**
 * The first line of a file that makes indexes while a table is written to, which PostgreSQL can only do outside a
 * transaction. Its statements run one by one. If something fails in between, all of them may run again.
 */
const OUTSIDE = '-- Runs outside a transaction.\n'
const isOutside = ({ text }: Migration) => text.startsWith(OUTSIDE)
const withoutHaste = (text: string) => text.replaceAll(/\bconcurrently\b/gi, '')

/** Waits for locks as long as it takes, because nobody waits for it in turn. */
async function applyOutside(client: pg.Client, { text, ...migration }: Migration): Promise<void> {
  await client.query('set lock_timeout = 0')
  for (const statement of text.split(/;\s*(?:\n|$)/))
    if (statement.trim() !== '') await runBesideWriters(client, statement)
  await noteApplied(client, migration)
}

const noteApplied = (client: pg.Client, { name, checksum }: AppliedMigration) =>
  client.query('insert into migrations (name, checksum) values ($1, $2)', [name, checksum])

/** Asks for the lock again and again. A statement that waits for it inside the server would hold back others. */
export async function waitForLock(client: pg.Client): Promise<void> {
  const deadline = performance.now() + WAIT_MS_MAX
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      MIGRATION_LOCK,
    ])
    if (rows[0]?.taken) return
    if (performance.now() > deadline)
      throw new MigrationError(
        'Another process has been migrating the database for ten minutes: end it, or wait for it.',
      )
    await pause(POLL_MS)
  }
}

/** Applies one file in a transaction, again and again while others hold the tables it needs. */
async function apply(client: pg.Client, migration: Migration, lockTimeoutMs: number): Promise<void> {
  try {
    if (isOutside(migration)) await insistently(client, () => applyOutside(client, migration))
    else await changingTables(client, () => applyOne(client, migration), lockTimeoutMs)
  } catch (error) {
    const reason = failureOf(error)
    const left = isOutside(migration) ? 'and is tried again at the next start' : 'and changed nothing'
    throw new MigrationError(`The migration ${migration.name} failed ${left}: ${reason}`, { cause: error })
  }
}

/** Changes tables that are in use, in one transaction. When it waits for long, it gives up its place so that others can go on. */
export const changingTables = (client: pg.Client, work: () => Promise<void>, lockTimeoutMs = LOCK_TIMEOUT_MS) => {
  const change = async () => {
    await client.query(`begin; set local lock_timeout = ${lockTimeoutMs}`)
    await work()
    await client.query('commit')
  }
  return insistently(client, change, lockTimeoutMs)
}

/** Tries the work again and again while others hold the tables it needs. */
async function insistently(client: pg.Client, work: () => Promise<void>, waitMs = LOCK_TIMEOUT_MS): Promise<void> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work()
    } catch (error) {
      await client.query('rollback').catch(() => {})
      const state = error instanceof pg.DatabaseError ? (error.code ?? '') : ''
      if (!retryableStates.has(state) || attempt === TRIES_MAX) throw error
      await pause((Math.random() * waitMs) / 2)
    }
  }
}
