import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connectionSettings } from '../../src/database/address.ts'
import { startEmbedded } from '../../src/database/embedded/server.ts'
import { openDatabase } from '../../src/database/open.ts'
import { dataFolderOf, folderOf, install, people, startService } from '../support/installation.ts'

const me = people[0]!
const folder = folderOf(me)
const app = join(folder, 'app')
const data = dataFolderOf(me)
const dataDir = join(data, 'data')
const pidFile = join(dataDir, 'server/cluster/postmaster.pid')
beforeAll(() => install(app))
afterAll(() => {
  for (const path of [folder, data]) rmSync(path, { recursive: true })
})

const serverPid = () => Number(readFileSync(pidFile, 'utf8').split('\n')[0])

/** The rows that are there, of those that were acknowledged. */
async function kept(url: string, acknowledged: readonly number[]): Promise<number> {
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  const { rows } = await client.query('select count(*)::int as n from kept where id = any($1)', [acknowledged])
  await client.end()
  return rows[0].n
}

describe('Every acknowledged row is there after', () => {
  it('the service is killed and takes its server along, and is killed with its server, twice', async () => {
    let service = await startService(app, dataDir, me, 'write')
    for (const serverToo of [false, true, true]) {
      await service.wrote(200)

      const ended = service.kill()
      if (serverToo) process.kill(serverPid(), 'SIGKILL')
      await ended
      const { rows } = service
      // Who comes after one that was killed is the next to be.
      service = await startService(app, dataDir, me, 'write')

      expect(service.adopted).toBe(false)
      expect(rows.length).toBeGreaterThanOrEqual(200)
      expect(await kept(service.url, rows)).toBe(rows.length)
    }
    await service.stop()
  })

  it('a service that lives on has brought its killed server back to the same address', async () => {
    const server = await startEmbedded({ dataDir })
    const db = openDatabase(server.url)
    const { rows } = await db.query('insert into kept (worker) values (3) returning id::int')

    process.kill(serverPid(), 'SIGKILL')

    const alive = () =>
      db.query('select 1').then(
        () => true,
        () => false,
      )
    while (await alive()) await pause(5)
    while (!(await alive())) await pause(5)
    expect(await kept(server.url, [rows[0].id])).toBe(1)
    await expect(startEmbedded({ dataDir })).rejects.toThrow(/^Another service is running/)
    await db.close()
    await server.stop()
  })
})

describe('A lock file does not keep the server from starting', () => {
  const stale = (pid: number) => {
    writeFileSync(pidFile, [pid, join(dataDir, 'server/cluster'), 1, 5432, '', '', '', 'ready', ''].join('\n'))
    writeFileSync(join(dataDir, 'server/.s.PGSQL.5432.lock'), `${pid}\n`)
  }

  it('when its process is gone', async () => {
    const gone = spawn('true')
    await once(gone, 'exit')
    stale(gone.pid!)

    await (await startEmbedded({ dataDir })).stop()
  })

  it('when its number now belongs to another program', async () => {
    stale(process.pid)

    await (await startEmbedded({ dataDir })).stop()
  })

  it('when its process is a zombie that nobody reaps', async () => {
    // The shell becomes a program that does not know of the child it has.
    const script = 'sleep 0.1 >/dev/null & echo $!; exec sleep 60'
    const parent = spawn('sh', ['-c', script], { stdio: ['ignore', 'pipe', 'inherit'] })
    onTestFinished(() => void parent.kill())
    const [line] = await once(parent.stdout, 'data')
    const isZombie = () => /\) Z /.test(readFileSync(`/proc/${Number(line)}/stat`, 'utf8'))
    while (process.platform === 'linux' && !isZombie()) await pause(1)
    stale(Number(line))

    await (await startEmbedded({ dataDir })).stop()
  })
})

describe('A first start that is killed in the middle', () => {
  it('is started over', async () => {
    const other = join(data, 'other')
    const first = spawn(process.execPath, [join(app, 'service.mjs'), other], { stdio: ['pipe', 'ignore', 'ignore'] })
    const begun = () => readdirSync(data).includes('other') && readdirSync(other).some((name) => /^new-/.test(name))
    while (!begun()) await pause(2)
    first.kill('SIGKILL')
    await once(first, 'exit')

    const second = await startService(app, other, me)
    await second.stop()

    expect(readdirSync(other).sort()).toEqual(['postgres.log', 'server'])
  })
})
