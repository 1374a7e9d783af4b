import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import type { TestProject } from 'vitest/node'
import { startEmbedded } from '../../src/database/embedded.ts'
import { migrate } from '../../src/database/migrate.ts'
import { connectionSettings } from '../../src/database/open.ts'
import { inDatabase } from './database.ts'

/** The one server of a test run, and the migrated database that every test's own is copied from. */
export interface TestServer {
  readonly url: string
  readonly template: string
}

declare module 'vitest' {
  interface ProvidedContext {
    server: TestServer
  }
}

/** Runs once before all test files: a server, a template; returns what takes both down again. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const given = process.env['TEST_DATABASE_URL'] ?? process.env['DATABASE_URL']
  const server = given ? { url: given, stop: async () => {} } : await startThrowAway()
  const run = `quittance_test_${randomBytes(5).toString('hex')}`
  const template = `${run}_template`

  const client = new pg.Client(connectionSettings(server.url))
  await client.connect()
  await client.query(`create database ${template}`)
  await migrate(inDatabase(server.url, template))
  project.provide('server', { url: server.url, template })

  return async () => {
    const { rows } = await client.query<{ datname: string }>(
      'select datname from pg_database where starts_with(datname, $1)',
      [run],
    )
    if (given) for (const { datname } of rows) await client.query(`drop database if exists ${datname} with (force)`)
    await client.end()
    await server.stop()
  }
}

async function startThrowAway() {
  const folder = mkdtempSync(join(tmpdir(), 'quittance-test-'))
  chmodSync(folder, 0o711)
  const server = await startEmbedded({ dataDir: folder, durable: false, connectionsMax: 200 })
  const watch = watchOver(folder)
  return {
    url: server.url,
    async stop() {
      await server.stop()
      rmSync(folder, { recursive: true, force: true })
      watch.kill()
    },
  }
}

/**
 * Takes the server down when this process dies without doing so: the pipe to the shell breaks with us, however we end.
 */
function watchOver(folder: string) {
  const script = 'cat >/dev/null; kill -QUIT "$(head -1 "$1/server/cluster/postmaster.pid")"; sleep 1; rm -rf "$1"'
  const watch = spawn('sh', ['-c', script, 'sh', folder], { stdio: ['pipe', 'ignore', 'ignore'], detached: true })
  watch.unref()
  return watch
}
