import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { connectionSettings } from '../../src/database/open.ts'

/** A migrated database of one's own. */
export interface TestDatabase {
  readonly url: string
  drop(): Promise<void>
}

/** Copies the migrated template. One for each test file, in `beforeAll`; drop it in `afterAll`. */
export async function newDatabase(): Promise<TestDatabase> {
  const { url, template } = inject('server')
  const name = template.replace(/template$/, randomBytes(6).toString('hex'))
  await run(url, `create database ${name} template ${template}`)
  return {
    url: inDatabase(url, name),
    drop: () => run(url, `drop database if exists ${name} with (force)`),
  }
}

/** The same server, another database. */
export function inDatabase(url: string, name: string): string {
  if (url.startsWith('socket:')) return url.replace(/\/[^/]*$/, `/${name}`)
  const address = new URL(url)
  address.pathname = `/${name}`
  return address.href
}

async function run(url: string, statement: string): Promise<void> {
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  try {
    await client.query(statement)
  } finally {
    await client.end()
  }
}
