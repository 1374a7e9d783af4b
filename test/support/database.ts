import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { connectionSettings, databaseIn, inDatabase } from '../../src/database/address.ts'

/** A database of one's own. */
export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

interface DatabaseOptions {
  readonly empty?: boolean
  readonly stopped?: boolean
  readonly like?: TestDatabase
}

/**
 * Copies the migrated template, with `stopped` the one whose clock stands still, with `like` one that nobody is connected to, or
 * with `empty` nothing. One a test file, made in `beforeAll`, dropped in `afterAll`.
 */
export async function newDatabase({ empty, stopped, like }: DatabaseOptions = {}): Promise<TestDatabase> {
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

let connecting: Promise<pg.Client> | undefined

/** On the one connection that a worker has for this: a new one for each would cost a third as much as a database. */
async function run(url: string, statement: string): Promise<void> {
  connecting ??= connect(url)
  await (await connecting).query(statement)
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionSettings(url))
  // It goes with the worker or with the server, whichever ends first.
  client.on('error', () => {})
  await client.connect()
  return client
}
