import { execFileSync, spawnSync } from 'node:child_process'
import { rmSync, statfsSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { childrenOf, signal } from '../harness/ground.ts'
import { draft, tokenOf } from '../harness/load.ts'
import { ask, canQuery, Postgres, until } from '../harness/postgres.ts'
import { seconds } from '../harness/result.ts'
import { storedKeys } from '../harness/verify.ts'
import type { BadDay, Scene } from './scene.ts'

const SMALL_DISK = '400m'

/** What happens to the database. */
export const databaseDays: readonly BadDay[] = [
  {
    name: 'restart',
    what: ({ isReduced }) => `the database restarted ${isReduced ? 1 : 5} times`,
    async run({ lab, server }) {
      for (let round = 0; round < (lab.isReduced ? 1 : 5); round++) {
        await server.stop()
        await server.start()
        await pause(2_000)
      }
      return ''
    },
  },
  {
    name: 'terminate',
    what: ({ isReduced }) => `all connections terminated every 2 s for ${isReduced ? 4 : 60} s`,
    async run({ lab, server }) {
      for (let round = 0; round < (lab.isReduced ? 2 : 30); round++) {
        await ask(
          server.url,
          'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
        )
        await pause(2_000)
      }
      return ''
    },
  },
  {
    name: 'gone',
    what: ({ isReduced }) => `the database killed and gone for ${isReduced ? 3 : 60} s`,
    async run({ lab, server }) {
      await server.kill()
      await pause(lab.isReduced ? 3_000 : 60_000)
      await server.start()
      return ''
    },
  },
  {
    name: 'connections',
    what: ({ isReduced }) =>
      `no connection left at the database for ${isReduced ? 3 : 30} s, after all of ours were cut`,
    settings: 'max_connections = 60',
    async run({ lab, server }) {
      const hogs: pg.Client[] = []
      await ask(
        server.url,
        'select pg_terminate_backend(pid) from pg_stat_activity where pid <> pg_backend_pid() and datname is not null',
      )
      for (;;) {
        const hog = new pg.Client({ connectionString: server.url })
        hog.on('error', () => {})
        try {
          await hog.connect()
          hogs.push(hog)
        } catch {
          break
        }
      }
      await pause(lab.isReduced ? 3_000 : 30_000)
      for (const hog of hogs) hog.connection.stream.destroy()
      return `${hogs.length} of 60 were taken by others`
    },
  },
  {
    name: 'locked',
    what: ({ isReduced }) =>
      `a much-used invoice locked for ${isReduced ? 4 : 30} s, 30 clients at a time wanting to change it`,
    run: lockedRow,
  },
  {
    name: 'disk',
    what: ({ isReduced }) =>
      `the database's disk full for ${isReduced ? 4 : 20} s; its supervisor starts it again, nobody else does anything`,
    folder(ground) {
      const folder = ground.newFolder('small-disk')
      execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${SMALL_DISK},uid=65534,gid=65534,mode=700`, 'tmpfs', folder])
      ground.onClose(() => execFileSync('umount', ['-l', folder]))
      return folder
    },
    settings: 'max_wal_size = 64MB\nmin_wal_size = 32MB\nwal_keep_size = 0',
    run: fullDisk,
  },
  {
    name: 'power',
    what: ({ isReduced }) =>
      `power lost ${isReduced ? 1 : 10} times: the data directory as it was at a random moment, opened again`,
    run: lostPower,
  },
]

async function lockedRow({ lab, server, load, stage }: Scene): Promise<string> {
  const client = new pg.Client({ connectionString: server.url })
  client.on('error', () => {})
  await client.connect()
  await client.query('begin')
  const token = await tokenOf(stage.urls[0]!, stage.merchant)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  const post = (path: string, body: object) =>
    fetch(`${stage.urls[0]}/v2/invoicing/invoices${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  const { href } = (await (await post('', draft('much-used'))).json()) as { href: string }
  const id = href.split('/').at(-1)!
  await post(`/${id}/send`, { send_to_invoicer: false })
  await client.query('select from invoices where id = $1 for update', [id])
  const until = performance.now() + (lab.isReduced ? 4_000 : 30_000)
  const outcomes: Record<string, number> = {}
  let slowest = 0
  const before = load.acknowledged.length
  const hammer = Array.from({ length: 30 }, async () => {
    while (performance.now() < until) {
      const began = performance.now()
      const payment = { method: 'CASH', amount: { currency_code: 'USD', value: '0.01' } }
      const answer = await post(`/${id}/payments`, payment).then(
        ({ status }) => String(status),
        (error) => String(error),
      )
      slowest = Math.max(slowest, performance.now() - began)
      outcomes[answer] = (outcomes[answer] ?? 0) + 1
    }
  })
  await Promise.all(hammer)
  const meanwhile = load.acknowledged.length - before
  await client.query('rollback')
  await client.end()
  const said = Object.entries(outcomes).map(([answer, count]) => `${count} × ${answer}`)
  return `at the locked invoice ${said.join(', ')}, the slowest after ${seconds(slowest)}; ${meanwhile} writes elsewhere meanwhile`
}

async function fullDisk({ lab, server }: Scene): Promise<string> {
  let restarts = 0
  let isWatched = true
  // As an init system does.
  const supervisor = (async () => {
    while (isWatched) {
      if (!server.isRunning) {
        restarts++
        await server.start().catch(() => {})
      }
      await pause(500)
    }
  })()
  try {
    const file = join(server.folder, 'filler')
    fill(server.folder, file)
    await pause(lab.isReduced ? 4_000 : 20_000)
    rmSync(file)
    await until(() => canQuery(server.url), 60_000, 'the database after the disk was freed')
  } finally {
    isWatched = false
    await supervisor
  }
  return `PostgreSQL was started again ${restarts} times`
}

/** Takes all that a disk has left. The database writes meanwhile, so what was left may be gone when it is asked for. */
function fill(folder: string, file: string): void {
  for (let tries = 1; ; tries++) {
    const { bavail, bsize } = statfsSync(folder)
    const { status, stderr } = spawnSync('fallocate', ['-l', String(bavail * bsize - 64 * 1024), file], {
      encoding: 'utf8',
    })
    if (status === 0) return
    if (tries === 10) throw new Error(stderr)
  }
}

/** All processes stand still while the copy is made, so it is what the disk would hold had the power gone in that moment. */
async function lostPower({ lab, server, load, ground }: Scene): Promise<string> {
  let missing = 0
  let checked = 0
  for (let round = 0; round < (lab.isReduced ? 1 : 10); round++) {
    await pause(500 + Math.random() * 2_000)
    const folder = ground.newFolder(`copy-${round}`)
    const postmaster = Number(
      execFileSync('head', ['-n', '1', join(server.folder, 'data/postmaster.pid')], { encoding: 'utf8' }),
    )
    const all = [postmaster, ...childrenOf(postmaster)]
    for (const pid of all) signal(pid, 'SIGSTOP')
    const acknowledged = [...load.acknowledged]
    execFileSync('cp', ['-a', join(server.folder, 'data'), join(folder, 'data')])
    for (const pid of all) signal(pid, 'SIGCONT')
    rmSync(join(folder, 'data/postmaster.pid'), { force: true })
    const copy = await Postgres.of(ground, { folder })
    const stored = await storedKeys(copy.url)
    missing += acknowledged.filter(({ kind, key }) => !stored[kind].has(key)).length
    checked += acknowledged.length
    await copy.stop()
    rmSync(folder, { recursive: true, force: true })
  }
  if (missing > 0) throw new Error(`${missing} acknowledged writes are missing in copies`)
  return `${checked} acknowledged writes looked for in the copies, ${missing} missing`
}
