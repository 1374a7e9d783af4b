import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { connectionSettings } from '../../src/database/address.ts'
import { startEmbedded } from '../../src/database/embedded/server.ts'
import { openPatiently } from '../support/database.ts'
import { dataFolderOf, folderOf, install, people, Refused, settingOf, startService } from '../support/installation.ts'
import { times } from '../support/size.ts'

const me = people[0]!
const folder = folderOf(me)
const app = join(folder, 'app')
const data = dataFolderOf(me)
const strangeName = `it's, "Ünï" $HOME:1`
const dataDir = join(data, strangeName)
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

describe('A first start', () => {
  it('that is killed in the middle is started over, of two at once by one, and the other refuses', async () => {
    const first = spawn(process.execPath, [join(app, 'service.mjs'), dataDir], { stdio: ['pipe', 'ignore', 'ignore'] })
    const begun = () => existsSync(dataDir) && readdirSync(dataDir).some((name) => /^(new-|server$)/.test(name))
    while (!begun()) await pause(2)
    first.kill('SIGKILL')
    await once(first, 'exit')

    const start = () => startService(app, dataDir, me)
    const results = await Promise.allSettled([start(), start()])

    const started = results.filter((result) => result.status === 'fulfilled')
    const refused = results.filter((result) => result.status === 'rejected')
    expect([started.length, refused.length]).toEqual([1, 1])
    expect(refused[0]?.reason).toBeInstanceOf(Refused)
    await started[0]!.value.stop()
    expect(readdirSync(dataDir).sort()).toEqual(['postgres.log', 'server'])
  })

  it('is not kept from it by what one that was killed has left behind, and still writes', async () => {
    const gone = spawn('true')
    await once(gone, 'exit')
    const first = join(data, 'first')
    for (let i = 0; i < times(3, 10); i++) {
      const left = join(first, `new-${gone.pid}-left/cluster`)
      mkdirSync(join(left, 'base'), { recursive: true })
      // As long as its folders are there, like the program that sets the data up.
      const writes = 'n=0; while n=$((n+1)); do : > "$0/base/$n" || exit; : > "$0/$n" || exit; done'
      const writer = spawn('sh', ['-c', writes, left], { stdio: 'ignore' })
      onTestFinished(() => void writer.kill())
      while (readdirSync(left).length < 100) await pause(1)

      await (await startEmbedded({ dataDir: first })).stop()

      // What was written in the moment of removing is left to the next start.
      expect(readdirSync(first)).toEqual(expect.arrayContaining(['postgres.log', 'server']))
      rmSync(join(first, 'server'), { recursive: true })
      if (writer.exitCode === null) await once(writer, 'exit')
    }
    await (await startEmbedded({ dataDir: first })).stop()
    expect(readdirSync(first).sort()).toEqual(['postgres.log', 'server'])
  })
})

describe('Every acknowledged row is there after', () => {
  it('the service is killed and takes its server along, and is killed with its server', async () => {
    let service = await startService(app, dataDir, me, 'write')
    for (const serverToo of [false, ...Array.from({ length: times(1, 2) }, () => true)]) {
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
    const db = openPatiently(server.url)
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

describe('The lock that a service takes on the server it has started', () => {
  it('is not taken by another that comes in the moment before', async () => {
    const service = await startService(app, dataDir, me)
    const watcher = new pg.Client(connectionSettings(service.url))
    await watcher.connect()
    const connected = async (pid: number) => {
      const owner = `quittance process ${pid}`
      const found = await watcher.query('select pid from pg_stat_activity where application_name = $1', [owner])
      return found.rows[0]?.pid as number | undefined
    }
    // The moment in which the server is there and the lock is free lasts as long as the service stands still.
    service.process.kill('SIGSTOP')
    await watcher.query('select pg_terminate_backend($1, 5000)', [await connected(service.process.pid!)])

    const comes = expect(startEmbedded({ dataDir })).rejects.toThrow(/^Another service is running/)
    while (!(await connected(process.pid))) await pause(1)
    service.process.kill('SIGCONT')

    await comes
    await watcher.end()
    await service.stop()
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

describe('An embedded server with data', () => {
  it('lets a command join it, which leaves it running', async () => {
    const server = await startEmbedded({ dataDir, connectionsMax: 300 })
    const joined = await startEmbedded({ dataDir, join: true })

    expect(joined).toMatchObject({ url: server.url, adopted: true })
    await joined.stop()

    expect(await settingOf(server.url, 'max_connections')).toBe('320')
    await server.stop()
  })

  it('cuts its log when it has grown', async () => {
    const log = join(dataDir, 'postgres.log')
    writeFileSync(log, 'x'.repeat(6 * 1024 * 1024))

    await (await startEmbedded({ dataDir })).stop()

    expect(readFileSync(log).length).toBeLessThan(10_000)
    expect(existsSync(`${log}.1`)).toBe(true)
  })

  it('moves to loopback with a password where its path has become too long for a socket', async () => {
    const long = join(data, 'long'.repeat(25))
    renameSync(dataDir, long)

    const server = await startEmbedded({ dataDir: long })

    expect(server.url).toMatch(/^postgres:\/\/postgres:[\w-]{32}@127\.0\.0\.1:\d+\/postgres$/)
    expect(await settingOf(server.url, 'unix_socket_directories')).toBe('')
    await expect(settingOf(server.url.replace(/:[\w-]{32}@/, ':guessed@'), 'port')).rejects.toThrow(/password/)
    await server.stop()
    renameSync(long, dataDir)
  })

  it('says what to do when another version made the data', async () => {
    const file = join(dataDir, 'server/cluster/PG_VERSION')
    const version = readFileSync(file)
    writeFileSync(file, '11\n')

    await expect(startEmbedded({ dataDir })).rejects.toThrow(/made by PostgreSQL 11 and this version .* brings 18/)
    writeFileSync(file, version)
  })
})
