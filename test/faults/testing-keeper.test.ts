import { spawn } from 'node:child_process'
import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { startEmbedded } from '../../src/database/embedded/server.ts'
import { temporaryFolder } from '../support/process.ts'

const keeper = fileURLToPath(new URL('../../dist/testing/keeper.js', import.meta.url))
/** Longer than a service waits for a connection, and shorter than a command does. */
const DELAY_SECONDS = 3

it('The keeper of servers for tests makes its template where every connection takes its time', async () => {
  const folder = temporaryFolder()
  const server = await startEmbedded({ dataDir: folder.path, durable: false, connectionsMax: 20 })
  await server.stop()
  appendFileSync(join(folder.path, 'server/cluster/postgresql.conf'), `pre_auth_delay = ${DELAY_SECONDS}\n`)

  const child = spawn(process.execPath, [keeper, folder.path], { stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (text) => {
    said += text
  })
  // Nobody comes, so it ends by itself.
  const code = await new Promise((resolve) => child.once('close', resolve))

  expect([code, said]).toEqual([0, ''])
  folder.remove()
})
