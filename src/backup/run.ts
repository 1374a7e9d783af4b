import type pg from 'pg'
import { addressOf } from '../database/address.ts'
import { Connector } from '../database/connector.ts'
import { requireEnvironment } from '../database/environment.ts'
import { unlimited } from '../database/session.ts'
import type { SecretRing } from '../kernel/secrets.ts'
import { makeSeal } from '../webhooks/signing/seal.ts'
import { type Contents, readContents } from './contents.ts'
import { BackupError, TargetError } from './error.ts'
import { checkBackup, writeBackup } from './file.ts'
import { type Loaded, type LoadOptions, load, readerOf } from './load.ts'
import { megabytes, Progress } from './progress.ts'
import { brokenRules } from './verify.ts'

/** How long a server may take to let us in; nobody waits for an answer behind this. */
const CONNECT_MS_MAX = 5_000
const NAME = 'quittance backup'

export interface BackupParts extends Pick<LoadOptions, 'environment'> {
  /** What `openDatabase` takes. */
  readonly databaseUrl: string
  /** Hears from time to time how far it is. */
  say(sentence: string): void
}

export interface RestoreParts extends BackupParts, Pick<LoadOptions, 'replace'> {
  readonly secrets: SecretRing
}

/** Writes all that a database holds at this instant into a file. Services go on meanwhile. */
export function backUp(file: string, { databaseUrl, environment, say }: BackupParts, signal?: AbortSignal) {
  return connected(databaseUrl, async (client) => {
    const contents = await contentsOf(client, environment)
    const written = await writeBackup(file, new Progress(say).over(contents, 'reading'), signal)
    const { tables, rows, bytes } = written
    return { file, create_time: contents.facts.create_time, tables, rows, size: megabytes(bytes) }
  })
}

/** Fills a database with what a file holds, and asks every rule of it. */
export async function restore(file: string, parts: RestoreParts) {
  const progress = new Progress(parts.say)
  let bytes = 0
  const backup = await checkBackup(file, (length) => {
    bytes += length
    progress.tell(() => `checking the file: ${megabytes(bytes)} so far`)
  })
  return connected(parts.databaseUrl, (client) => fillAndVerify(client, backup, parts, progress))
}

/** Fills an empty database with what another one holds. No service may run on either. */
export function move(from: BackupParts, { to, secrets }: { to: string; secrets: SecretRing }) {
  return connected(from.databaseUrl, async (source) => {
    await requireAlone(source, 'The database to move')
    const contents = await contentsOf(source, from.environment)
    const parts = { ...from, databaseUrl: to, secrets, replace: false }
    const target = await connect(to).catch((cause: Error) => {
      throw new TargetError(cause.message, { cause })
    })
    return using(target, () => fillAndVerify(target, contents, parts, new Progress(from.say)))
  })
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

/** A service would not understand what happens under its hands. */
async function requireAlone(client: pg.Client, what: string): Promise<void> {
  const { rowCount } = await client.query(
    "select from pg_stat_activity where datname = current_database() and application_name like 'quittance%' and application_name <> $1",
    [NAME],
  )
  if (rowCount !== 0) throw new BackupError(`${what} is in use by a running service: stop it first.`)
}

/** Everything is read, or written, at one go: what the role is told for the statements of a service is no limit here. */
async function connect(url: string): Promise<pg.Client> {
  const connector = new Connector(addressOf(url), { application_name: NAME }, { limitMs: CONNECT_MS_MAX })
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
