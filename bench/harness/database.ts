import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { connectionSettings, inDatabase } from '../../src/database/address.ts'
import { startOwnServer } from '../../test/support/own-server.ts'

/** A PostgreSQL with an empty database that exists for this run alone. */
export interface BenchDatabase {
  /** What the service takes as `DATABASE_URL`. */
  readonly url: string
  /** What it runs on, for the heading of the table. */
  readonly description: string
  readonly client: pg.Client
  stop(): Promise<void>
}

/** A database of its own in the server of `DATABASE_URL`, or in an embedded server that goes with the run. */
export async function openBenchDatabase(given: string | undefined): Promise<BenchDatabase> {
  const server = given
    ? { url: given, stop: async () => {} }
    : // As durable as the service's own: a write that is not on the disk would be a cheaper one than the service makes.
      await startOwnServer({ name: 'bench', durable: true, connectionsMax: 150 })
  const name = `quittance_bench_${randomBytes(4).toString('hex')}`
  const admin = new pg.Client(connectionSettings(server.url))
  await admin.connect()
  await admin.query(`create database ${name}`)
  const url = inDatabase(server.url, name)
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  const { rows } = await client.query(
    "select current_setting('server_version') as version, current_setting('fsync') as fsync",
  )
  const [{ version, fsync }] = rows as [{ version: string; fsync: string }]
  return {
    url,
    client,
    description: `PostgreSQL ${version.split(' ')[0]} (${given ? 'DATABASE_URL' : 'embedded'}, fsync ${fsync})`,
    async stop() {
      await client.end()
      await admin.query(`drop database if exists ${name} with (force)`)
      await admin.end()
      await server.stop()
    },
  }
}
