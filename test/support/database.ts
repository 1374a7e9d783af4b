import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { connectionSettings, databaseIn, inDatabase } from '../../src/database/address.ts'
import { type Database, type DatabaseOptions, openDatabase } from '../../src/database/open.ts'

/** A database of one's own. */
export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

interface NewDatabase {
  readonly empty?: boolean
  readonly stopped?: boolean
  readonly like?: TestDatabase
}

/**
 * Copies the migrated template, with `stopped` the one whose clock stands still, with `like` one that nobody is connected to, or
 * with `empty` nothing. One a test file, made in `beforeAll`, dropped in `afterAll`.
 */
export async function newDatabase({ empty, stopped, like }: NewDatabase = {}): Promise<TestDatabase> {
  const { url, ...templates } = inject('server')
  const template = like ? databaseIn(like.url) : stopped ? templates.stopped : templates.template
  const name = templates.template.replace(/template$/, randomBytes(6).toString('hex'))
  // Copied file by file: with nothing forced to the disk that is half the work of writing every page to the log.
  await run(url, `create database ${name} template ${empty ? 'template1' : template} strategy file_copy`)
  return {
    url: inDatabase(url, name),
    drop: () => run(url, `drop database if exists ${name} with (force)`),
  }
}

/** On a busy machine everything may well be late: that is no reason to refuse anybody, but where a test is about it. */
export const patience = { connectTimeoutMs: 60_000 }

export const openPatiently = (url: string, options: DatabaseOptions = {}): Database =>
  openDatabase(url, { ...patience, ...options })

let connecting: Promise<pg.Client> | undefined
let before: Promise<unknown> = Promise.resolve()

/** One after the other on the one connection that a worker has for this: a new one for each would cost a third as much as a database. */
function run(url: string, statement: string): Promise<void> {
  connecting ??= connect(url)
  const client = connecting
  const done = before.then(async () => void (await (await client).query(statement)))
  before = done.catch(() => undefined)
  return done
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionSettings(url))
  // It goes with the worker or with the server, whichever ends first.
  client.on('error', () => {})
  await client.connect()
  return client
}
