import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { connectionSettings, inDatabase } from '../../src/database/address.ts'
import { startEmbedded } from '../../src/database/embedded/server.ts'

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
  const server = given ? { url: given, stop: async () => {} } : await startEmbeddedServer()
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

/** As durable as the service's own: a write that is not on the disk would be a cheaper one than the service makes. */
async function startEmbeddedServer() {
  const dataDir = mkdtempSync(join(tmpdir(), 'quittance-bench-'))
  chmodSync(dataDir, 0o711)
  const server = await startEmbedded({ dataDir, connectionsMax: 100 })
  const folder = realpathSync(join(dataDir, 'server'))
  const watch = watchOver(folder, dataDir)
  return {
    url: server.url,
    async stop() {
      await server.stop()
      for (const path of [folder, dataDir]) rmSync(path, { recursive: true, force: true })
      watch.stop()
    },
  }
}

/** A shell that takes the server down when the pipe to us breaks, as it does even when we are killed. */
function watchOver(folder: string, dataDir: string) {
  if (process.platform === 'win32') return { stop() {} }
  const script = 'cat; kill -QUIT "$(head -n 1 "$0/cluster/postmaster.pid")"; sleep 1; rm -rf "$0" "$1"'
  const shell = spawn('sh', ['-c', script, folder, dataDir], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  shell.unref()
  return { stop: () => process.kill(-shell.pid!, 'SIGKILL') }
}
