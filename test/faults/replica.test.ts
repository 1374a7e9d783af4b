import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { type Logger, pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../../src/app.ts'
import { migrate } from '../../src/database/migrate.ts'
import { readSettings } from '../../src/settings.ts'
import { newCluster, type TestCluster } from '../support/cluster.ts'
import { INVOICES, type Listed, over } from '../support/shop.ts'
import { basic, patient } from '../support/world.ts'

let primary: TestCluster
let replica: TestCluster
let remove: () => Promise<void>
const apps: App[] = []

const open = async (
  databaseUrl: string,
  readUrl: string,
  { log = pino({ level: 'silent' }), ...more }: { log?: Logger; READ_MEMORY_MB?: string } = {},
): Promise<App> => {
  const settings = readSettings({ LOG_LEVEL: 'silent', PORT: '0', DATABASE_READ_URL: readUrl, ...more })
  return openApp({ settings, databaseUrl, log, ...patient })
}

/** A merchant at one of the processes. */
async function merchantAt(app: App) {
  const form = { 'content-type': 'application/x-www-form-urlencoded' }
  const asked = await app.server.inject({
    method: 'POST',
    url: '/v1/oauth2/token',
    headers: { authorization: basic('sandbox-merchant', 'sandbox-merchant-secret'), ...form },
    payload: 'grant_type=client_credentials',
  })
  const headers = { authorization: `Bearer ${asked.json<{ access_token: string }>().access_token}` }
  const get = (url: string) => app.server.inject({ method: 'GET', url, headers })
  return {
    async creates(detail: Record<string, unknown> = {}): Promise<string> {
      const payload = over('10.00', {}, detail)
      const made = await app.server.inject({ method: 'POST', url: INVOICES, headers, payload })
      expect(made.statusCode, made.body).toBe(201)
      return made.json<{ id: string }>().id
    },
    async sends(id: string): Promise<string> {
      const sent = await app.server.inject({ method: 'POST', url: `${INVOICES}/${id}/send`, headers, payload: {} })
      expect(sent.statusCode, sent.body).toBe(200)
      return `/invoice/p/${id.replace('INV2-', '').replaceAll('-', '')}`
    },
    newest: async () => (await get(`${INVOICES}?page_size=1`)).json<Listed>().items[0]?.id,
    page: async (path: string) => (await get(path)).statusCode,
    /** Also lets go of what is noted of requests, which is not what is held of answers. */
    lists: async () => {
      expect((await get(`${INVOICES}?page_size=100`)).json<Listed>().items.length).toBeGreaterThanOrEqual(40)
      await get('/sandbox/requests?page_size=1')
    },
  }
}

/** What a process says of its replica. */
async function figures(app: App) {
  const { body } = await app.server.inject('/metrics')
  const value = (name: string) => Number(new RegExp(`^quittance_replica_${name} (\\S+)`, 'm').exec(body)?.[1])
  return {
    inUse: value('in_use'),
    lag: value('lag_seconds'),
    bytes: value('lag_bytes'),
    byReplica: value('reads_total{answered_by="replica"}'),
    byPrimary: value('reads_total{answered_by="primary"}'),
  }
}

describe('A replica', () => {
  let here: Awaited<ReturnType<typeof merchantAt>>
  let there: typeof here
  beforeAll(async () => {
    const made = await newCluster()
    primary = made.cluster
    remove = made.remove
    await migrate(primary.url)
    replica = await primary.replica('replica')
    await replica.start()
    for (let i = 0; i < 2; i++) apps.push(await open(primary.url, replica.url))
    here = await merchantAt(apps[0]!)
    there = await merchantAt(apps[1]!)
  })
  afterAll(async () => {
    await Promise.all(apps.map((app) => app.close()))
    await remove()
  })

  it('answers lists and pages, which show what any process has acknowledged', async () => {
    await expect.poll(async () => (await figures(apps[0]!)).inUse).toBe(1)
    for (let i = 0; i < 20; i++) {
      const id = await there.creates()
      expect(await here.newest()).toBe(id)
      if (i === 0) expect(await here.page(await there.sends(id))).toBe(200)
    }

    const { byReplica } = await figures(apps[0]!)
    expect(byReplica).toBeGreaterThan(0)
  })

  it('keeps nothing alive of what it has answered', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const app = await open(primary.url, replica.url, { READ_MEMORY_MB: '0' })
    const merchant = await merchantAt(app)
    for (let i = 0; i < 40; i++) await merchant.creates({ memo: 'x'.repeat(500), note: 'y'.repeat(4_000) })
    const heapAfter = async (lists: number) => {
      for (let i = 0; i < lists; i++) await merchant.lists()
      collect()
      return process.memoryUsage().heapUsed
    }
    const before = await heapAfter(10)
    const grownBy = (await heapAfter(60)) - before
    const { byReplica } = await figures(app)
    await app.close()

    expect(byReplica).toBeGreaterThan(45)
    // So many lists have some sixteen megabytes.
    expect(grownBy).toBeLessThan(6_000_000)
  })

  it('that falls behind leaves reads to the primary until it has caught up', async () => {
    await replica.query('select pg_wal_replay_pause()')
    await expect
      .poll(async () => (await replica.query<{ s: string }>('select pg_get_wal_replay_pause_state() as s'))[0]!.s)
      .toBe('paused')
    const id = await there.creates()

    expect(await here.newest()).toBe(id)
    expect((await figures(apps[0]!)).inUse).toBe(0)
    await expect.poll(async () => (await figures(apps[0]!)).lag).toBeGreaterThan(0.5)
    const behind = await figures(apps[0]!)
    expect(behind.bytes).toBeGreaterThan(0)
    expect(behind.byPrimary).toBeGreaterThan(0)

    await replica.query('select pg_wal_replay_resume()')
    await expect.poll(async () => (await figures(apps[0]!)).inUse).toBe(1)
    expect(await here.newest()).toBe(id)
    expect(await figures(apps[0]!)).toMatchObject({ byPrimary: behind.byPrimary, byReplica: behind.byReplica + 1 })
  })

  it('of another database is refused at the start', async () => {
    const other = replica.url.replace(/postgres$/, 'template1')

    await expect(open(primary.url, other)).rejects.toThrow('DATABASE_READ_URL leads to a server that is no replica')
  })

  it('that cannot be reached says why in the log', async () => {
    const lines: string[] = []
    const log = pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) })
    const app = await open(primary.url, 'postgres://nobody@127.0.0.1:1/books', { log })

    expect(JSON.parse(lines[0]!)).toMatchObject({
      replica: 'gone',
      err: { message: expect.stringContaining('ECONNREFUSED') },
    })
    await app.close()
  })

  it('that is gone leaves reads to the primary, and is used again when it is back', async () => {
    await replica.kill()
    const id = await there.creates()

    expect(await here.newest()).toBe(id)
    await expect.poll(async () => (await figures(apps[0]!)).inUse).toBe(0)

    await replica.start()
    await expect.poll(async () => (await figures(apps[0]!)).inUse).toBe(1)
    expect(await here.newest()).toBe(id)
  })

  it('that was promoted has gone its own way, and is asked nothing more', async () => {
    await replica.query('select pg_promote()')
    const id = await there.creates()

    expect(await here.newest()).toBe(id)
    await expect.poll(async () => (await figures(apps[0]!)).inUse).toBe(0)
    expect(await here.newest()).toBe(id)
  })

  it('of the primary before a failover is not used, however far its log is', async () => {
    // The old primary has written more than the new one, and comes back as a standby of nobody.
    await primary.query("create table lost as select repeat('x', 100) from generate_series(1, 20000)")
    await Promise.all(apps.splice(0).map((app) => app.close()))
    await primary.kill()
    primary.follow()
    await primary.start()
    const app = await open(replica.url, primary.url)
    apps.push(app)
    const merchant = await merchantAt(app)
    const id = await merchant.creates()

    expect(await merchant.newest()).toBe(id)
    expect(await figures(app)).toMatchObject({ inUse: 0, byReplica: 0, byPrimary: 1 })
  })
})
