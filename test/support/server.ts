import { execFileSync } from 'node:child_process'
import { generateKeyPair, randomBytes } from 'node:crypto'
import { existsSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { connectionSettings, inDatabase } from '../../src/database/address.ts'
import { serverAccount } from '../../src/database/embedded/account.ts'
import { findBinaries } from '../../src/database/embedded/binaries.ts'
import { createCluster } from '../../src/database/embedded/cluster.ts'
import { makeHome, SERVER } from '../../src/database/embedded/folders.ts'
import { migrate } from '../../src/database/migrate.ts'
import { openDatabase } from '../../src/database/open.ts'
import { partitionTables } from '../../src/database/partitioning.ts'
import type { Instant } from '../../src/kernel/clock.ts'
import { SandboxClock } from '../../src/sandbox/clock.ts'
import { startOwnServer } from './own-server.ts'

/** The one server of a test run, and the migrated database that every test file's own is copied from. */
export interface TestServer {
  readonly url: string
  readonly template: string
  /** The same with the clock of a sandbox, standing still at `START`. */
  readonly stopped: string
  /** The files of a server before its first start, where this run has made one: others are copied from them in a tenth of the time. */
  readonly files: string | undefined
}

/** When every world begins: a Monday, nine in the morning in UTC, one at night for the merchant. */
export const START = '2026-03-02T09:00:00.000Z' as Instant

declare module 'vitest' {
  interface ProvidedContext {
    server: TestServer
    /** Private keys that services sign with, which nobody else has. */
    signingKeys: readonly string[]
  }
}

/** Runs once before all test files: a server, a template. What it returns runs once after them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const signingKeys = Promise.all(Array.from({ length: KEY_PAIRS }, newPrivateKey))
  const given = process.env['TEST_DATABASE_URL'] || process.env['DATABASE_URL']
  const server = given ? { url: given, files: undefined, stop: async () => {} } : await startThrowAway()
  const client = new pg.Client(connectionSettings(server.url))
  await client.connect()
  await dropAbandoned(client)
  // Every database has connections of its own, which would plan a statement six times before they keep its plan.
  if (!given) await client.query("alter role current_user set plan_cache_mode = 'force_generic_plan'")

  const run = `quittance_test_${randomBytes(5).toString('hex')}`
  await client.query('select pg_advisory_lock(hashtext($1))', [run])
  const template = `${run}_template`
  await client.query(`create database ${template}`)
  await migrate(inDatabase(server.url, template))
  if (process.env['TEST_PARTITIONS'] === 'true') await partitioned(inDatabase(server.url, template))
  const stopped = `${run}_stopped_template`
  await client.query(`create database ${stopped} template ${template}`)
  await stopClock(inDatabase(server.url, stopped))
  project.provide('server', { url: server.url, template, stopped, files: server.files })
  project.provide('signingKeys', await signingKeys)

  return async () => {
    if (given) await dropRun(client, run)
    await client.end()
    await server.stop()
  }
}

const generate = promisify(generateKeyPair)

/** As many as one database of a test needs that must not be the same. */
const KEY_PAIRS = 4
/** Half as long as those of a service, to sign in a sixth of the time. */
const newPrivateKey = async () =>
  (await generate('rsa', { modulusLength: 1024 })).privateKey.export({ format: 'pem', type: 'pkcs8' }) as string

async function stopClock(url: string): Promise<void> {
  const database = openDatabase(url, { connectionsMax: 2 })
  await new SandboxClock(database).set(START, true)
  await database.close()
}

/** The tables of a database with partitions, the audit log from the month on in which every world begins. */
export async function partitioned(url: string): Promise<void> {
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  await partitionTables(client, '2026-02-01T00:00:00.000Z' as Instant, () => {})
  await client.end()
}

const MEMORY = '/dev/shm'
const MEMORY_MIN = 2 * 1024 ** 3

/** A folder that is no disk, where there is one with room for all databases of a run: a new database is 300 new files. */
export function inMemory(): string | undefined {
  if (!existsSync(MEMORY)) return undefined
  const { bavail, bsize } = statfsSync(MEMORY)
  return bavail * bsize >= MEMORY_MIN ? MEMORY : undefined
}

/** The server of a run, with a copy of the files that it started on. */
async function startThrowAway() {
  let files = ''
  const server = await startOwnServer({
    name: 'test',
    within: inMemory(),
    connectionsMax: 250,
    async prepare(dataDir) {
      files = await makeFiles(dataDir)
    },
  })
  return { ...server, files }
}

/** Makes the files that a server of this folder will start on, and a copy of them. */
async function makeFiles(dataDir: string): Promise<string> {
  const account = serverAccount(dataDir)
  const home = makeHome(dataDir, account)
  await createCluster(home, findBinaries(account, home), { account, durable: false })
  const copy = join(home, 'unused')
  execFileSync('cp', ['-a', join(home, SERVER), copy])
  return copy
}

/** Databases of runs that were ended before they could drop them: a live run holds the lock of its name. */
async function dropAbandoned(client: pg.Client): Promise<void> {
  const { rows } = await client.query<{ run: string }>(
    "select distinct substring(datname from '^quittance_test_[0-9a-f]{10}') as run from pg_database where datname ~ '^quittance_test_[0-9a-f]{10}_'",
  )
  for (const { run } of rows) {
    const lock = await client.query<{ taken: boolean }>('select pg_try_advisory_lock(hashtext($1)) as taken', [run])
    if (!lock.rows[0]?.taken) continue
    await dropRun(client, run)
    await client.query('select pg_advisory_unlock(hashtext($1))', [run])
  }
}

async function dropRun(client: pg.Client, run: string): Promise<void> {
  const { rows } = await client.query<{ name: string }>(
    'select datname as name from pg_database where starts_with(datname, $1)',
    [run],
  )
  for (const { name } of rows) await client.query(`drop database if exists ${name} with (force)`)
}
