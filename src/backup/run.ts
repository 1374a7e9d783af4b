import { randomInt } from 'node:crypto'
import type pg from 'pg'
import { addressOf } from '../database/address.ts'
import { Connector } from '../database/connector.ts'
import { requireEnvironment } from '../database/environment.ts'
import { unlimited } from '../database/session.ts'
import type { SecretRing } from '../kernel/secrets.ts'
import { makeSeal } from '../webhooks/signing/seal.ts'
import { type Contents, readContents } from './contents.ts'
import { BackupError, TargetError } from './error.ts'
import { checkBackup, type ReadBackup, writeBackup } from './file.ts'
import { type Loaded, type LoadOptions, load, readerOf } from './load.ts'
import { megabytes, Progress } from './progress.ts'
import { brokenRules } from './verify.ts'

const NAME = 'quittance backup'

export interface BackupParts extends Pick<LoadOptions, 'environment'> {
  /** The address of the database, as `openDatabase` takes it. */
  readonly databaseUrl: string
  /** Told from time to time how far it is. */
  say(sentence: string): void
}

export interface RestoreParts extends BackupParts, Pick<LoadOptions, 'replace'> {
  readonly secrets: SecretRing
}

/** Writes all that a database holds at this instant into a file. Services can go on meanwhile. */
export function backUp(file: string, { databaseUrl, environment, say }: BackupParts, signal?: AbortSignal) {
  return connected(databaseUrl, async (client) => {
    const contents = await contentsOf(client, environment)
    const written = await writeBackup(file, new Progress(say).over(contents, 'reading'), signal)
    const { tables, rows, bytes } = written
    return { file, create_time: contents.facts.create_time, tables, rows, size: megabytes(bytes) }
  })
}

/** Reads a backup from beginning to end, so that a damaged one changes nothing. */
export function check(file: string, say: (sentence: string) => void): Promise<ReadBackup> {
  const progress = new Progress(say)
  let bytes = 0
  return checkBackup(file, (length) => {
    bytes += length
    progress.tell(() => `checking the file: ${megabytes(bytes)} so far`)
  })
}

/** Fills a database with what a file holds, and then checks every rule on it. */
export function restore(backup: ReadBackup, parts: RestoreParts) {
  return connected(parts.databaseUrl, (client) => fillAndVerify(client, backup, parts, new Progress(parts.say)))
}

/** Fills an empty database with what another one holds. No service may run on either. */
export function move(from: BackupParts, { to, secrets }: { to: string; secrets: SecretRing }) {
  return connected(from.databaseUrl, async (source) => {
    await requireAlone(source, 'The database to move')
    const contents = await contentsOf(source, from.environment)
    const parts = { ...from, databaseUrl: to, secrets }
    const target = await connect(to).catch((cause: Error) => {
      throw new TargetError(cause.message, { cause })
    })
    return using(target, async () => {
      // A database copied onto itself would wait for its own locks.
      if (await isSame(source, target))
        throw new BackupError('This is the database that the data is in already: name another.')
      return fillAndVerify(target, contents, parts, new Progress(from.say))
    })
  })
}

/**
 * Whether two connections lead to one database: then what is locked on one cannot be locked on the other. Comparing identities
 * is not enough, because copied servers have the same one.
 */
async function isSame(one: pg.Client, other: pg.Client): Promise<boolean> {
  const key = [randomInt(2 ** 47)]
  await one.query('select pg_advisory_lock($1)', key)
  const { rows } = await other.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', key)
  return !rows[0]!.taken
}

async function contentsOf(client: pg.Client, environment: BackupParts['environment']): Promise<Contents> {
  const contents = await readContents(client)
  if (contents.facts.environment !== null) await requireEnvironment(readerOf(client), environment)
  return contents
}

async function fillAndVerify(
  client: pg.Client,
  { facts, tables }: Contents,
  { environment, secrets, replace }: RestoreParts,
  progress: Progress,
): Promise<Loaded & { readonly rules_that_hold: number }> {
  await requireAlone(client, 'The database')
  const told = progress.over({ facts, tables }, 'writing')
  const loaded = await load(client, { ...told, environment, replace, seal: makeSeal(secrets) })
  const { broken, asked } = await brokenRules(client, (done, all) =>
    progress.tell(() => `asking whether the data is consistent: rule ${done + 1} of ${all}`),
  )
  if (broken.length > 0)
    throw new BackupError(
      `Everything is there as it was, and it breaks rules of invariants.sql: ${broken
        .map(({ rule, rows }) => `${rule} (${rows})`)
        .join(' ')}`,
    )
  return { ...loaded, rules_that_hold: asked }
}

/** Refuses a database on which a service runs: its rows would change without it knowing. */
async function requireAlone(client: pg.Client, what: string): Promise<void> {
  const { rowCount } = await client.query(
    // A subscription of another cell connects too, perhaps under a name like ours, but is no client backend.
    `select from pg_stat_activity where datname = current_database() and backend_type = 'client backend'
       and application_name like 'quittance%' and application_name <> $1`,
    [NAME],
  )
  // A pooler keeps the connections of a service that has ended, and keeps its name on them.
  if (rowCount !== 0)
    throw new BackupError(
      `${what} is in use by a running service: stop it first, and let a pooler before it close its connections.`,
    )
}

/** Everything is read or written in one go, so the limits that the role has for the statements of a service do not apply here. */
async function connect(url: string): Promise<pg.Client> {
  const connector = new Connector(addressOf(url), { application_name: NAME })
  const client = await connector.connect()
  await client.query(`${unlimited}; set lock_timeout = 0`)
  return client
}

async function connected<T>(url: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = await connect(url)
  return using(client, () => work(client))
}

async function using<T>(client: pg.Client, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } finally {
    await client.end()
  }
}
