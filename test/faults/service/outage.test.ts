import { pino } from 'pino'
import { afterAll, beforeAll, describe, it } from 'vitest'
import { openDatabase } from '../../../src/database/open.ts'
import { Outages } from '../../../src/database/outages.ts'
import { sql } from '../../../src/database/sql.ts'
import { FaultyProxy } from '../../support/faulty-proxy.ts'
import { newLiveWorld } from '../../support/live.ts'
import { startOwnServer } from '../../support/own-server.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

// Some wait for seconds to pass, so they wait together.
describe.concurrent('While the database is away', () => {
  let proxy: FaultyProxy
  let world: World
  const lines: string[] = []
  beforeAll(async () => {
    world = await newWorld({
      works: true,
      log: pino({ level: 'warn' }, { write: (line: string) => void lines.push(line) }),
      through: async (url) => {
        proxy = await FaultyProxy.before(url)
        return { databaseUrl: proxy.url(url) }
      },
    })
  })
  afterAll(async () => {
    await world.close()
    proxy.close()
  })

  it('every call is told to come back, nobody knocks without end, and all goes on by itself afterwards', async ({
    expect,
  }) => {
    expect((await world.merchant.get('/v2/payments/captures/X')).status).toBe(404)
    expect((await world.call('GET', '/metrics')).text).toMatch(/^quittance_jobs_oldest_due_seconds /m)
    proxy.set('closes')
    proxy.knocks = 0

    const { status, headers, body } = await world.merchant.get<{ name: string }>('/v2/payments/captures/X')
    expect(status).toBe(503)
    expect(body.name).toBe('SERVICE_UNAVAILABLE')
    expect(Number(headers['retry-after'])).toBeGreaterThan(0)
    // Whoever runs it learns why, by the debug id of the answer.
    const [line] = lines.filter((one) => one.includes(String(headers['service-debug-id'])))
    expect(JSON.parse(line!)).toMatchObject({
      msg: 'a request could not be answered',
      err: { message: expect.stringMatching(/connection/i) },
    })
    expect((await world.call('GET', '/healthz')).status).toBe(200)
    expect((await world.call('GET', '/readyz')).status).toBe(503)
    const scraped = await world.call('GET', '/metrics')
    expect(scraped.status).toBe(200)
    expect(scraped.text).toContain('quittance_webhook_attempts_total')
    expect(scraped.text).not.toMatch(/^quittance_webhook_(deliveries_pending|oldest_due_seconds)/m)
    expect(scraped.text).not.toMatch(/^quittance_jobs_(due|parked|oldest_due_seconds)/m)

    // Long enough for attempts that doubled every second to show.
    await new Promise((resolve) => setTimeout(resolve, 4_500))
    expect(proxy.knocks).toBeLessThan(100)
    const told = () => lines.map((text) => JSON.parse(text) as { msg: string; faults?: number })
    // A test that takes longer than it should is told in between that it is still so.
    const ofTheDatabase = () => told().filter(({ msg }) => /^the database (does not|answers)/.test(msg))
    expect(ofTheDatabase()).toEqual([
      expect.objectContaining({
        level: 50,
        err: expect.objectContaining({ message: expect.stringMatching(/connection/i) }),
      }),
    ])
    expect(told().filter(({ msg }) => !/^the database|^a request/.test(msg))).toEqual([])
    expect(lines.join('')).not.toContain(' at ')

    proxy.set('fine')
    const pay = () => world.call('POST', '/sandbox/transactions', { amount: usd('1.00') })
    await expect.poll(async () => (await pay()).status).toBe(201)
    expect((await world.call('GET', '/readyz')).status).toBe(200)
    await expect
      .poll(() => ofTheDatabase().map(({ msg }) => msg))
      .toEqual(['the database does not answer', 'the database answers again'])
    // The workers alone ask twice a second.
    expect(ofTheDatabase()[1]!.faults).toBeGreaterThan(5)
  })
})

describe.concurrent('The log of a service', () => {
  it('tells in few lines of a server that goes away for good, and whole of all that is something else', async ({
    expect,
  }) => {
    const server = await startOwnServer({ name: 'outage', connectionsMax: 10 })
    const database = openDatabase(server.url)
    const lines: string[] = []
    const outages = new Outages(pino({}, { write: (line: string) => void lines.push(line) }), database)
    const { log } = outages
    type Line = { msg: string; faults: number; err?: { stack?: string } }
    const still = 'the database still does not answer'
    const all = () => lines.map((line) => JSON.parse(line) as Line)
    const told = () => all().filter(({ msg }) => msg !== still)
    const ask = async () => {
      for (let i = 0; i < 20; i++)
        await database.rows(sql`select 1`).catch((err: unknown) => log.error({ err }, 'background work failed'))
    }
    await ask()
    expect(told()).toEqual([])

    await server.stop()
    await ask()
    expect(told()).toMatchObject([{ msg: 'the database does not answer', err: { stack: '' } }])
    log.warn({ err: new Error('something else') }, 'background work failed')
    log.error({ err: new TypeError('ours') }, 'a request failed')
    log.info('all else')
    expect(told().slice(1)).toMatchObject([
      { msg: 'background work failed', err: { stack: expect.stringContaining('outage.test.ts') } },
      { msg: 'a request failed', err: { type: 'TypeError', stack: expect.stringContaining('outage.test.ts') } },
      { msg: 'all else' },
    ])

    // Whoever looks later learns that it is still so.
    await expect.poll(() => all().at(-1)).toMatchObject({ msg: still, faults: 20 })
    outages.close()
    await database.close()
  })
})

describe.concurrent('A token that nobody can look up', () => {
  it('is no guess: whoever brings it is told to come back, however often, and let in afterwards', async ({
    expect,
  }) => {
    let proxy: FaultyProxy | undefined
    const world = await newLiveWorld(
      { TOKEN_RATE_LIMIT_PER_MINUTE: '2' },
      {
        through: async (url) => {
          proxy = await FaultyProxy.before(url)
          return { databaseUrl: proxy.url(url) }
        },
      },
    )
    const merchant = await world.personWithApp(world.people.merchant.id, ['invoicing'])
    const look = async () => (await merchant.get('/v2/invoicing/invoices')).status
    expect(await look()).toBe(200)
    // As after a notification that somebody's access has changed.
    world.app.forgetTokens()
    proxy!.set('closes')

    const statuses = new Set<number>()
    for (let i = 0; i < 30; i++) statuses.add(await look())

    expect([...statuses]).toEqual([503])
    proxy!.set('fine')
    await expect.poll(look).toBe(200)
    await world.close()
    proxy!.close()
  })
})

describe.concurrent('A process whose database is slow', () => {
  let proxy: FaultyProxy
  let world: World
  beforeAll(async () => {
    world = await newWorld({
      settings: { LOG_LEVEL: 'silent', DATABASE_CONNECTIONS: '4' },
      through: async (url) => {
        proxy = await FaultyProxy.before(url)
        return { databaseUrl: proxy.url(url) }
      },
    })
  })
  afterAll(async () => {
    await world.close()
    proxy.close()
  })
  const readiness = () => world.call<{ status: string; reasons?: string[] }>('GET', '/readyz')

  it('is ready while the database answers anything at all, and not when it has fallen silent', async ({ expect }) => {
    await world.app.database.transaction(async (connection) => {
      await connection.rows(sql`lock table migrations in access exclusive mode`)
      expect(await readiness()).toMatchObject({ status: 200, body: { status: 'ready' } })
    })

    // Every connection is taken, and the check is among those who wait for one.
    const waits = Promise.all(Array.from({ length: 3 }, () => world.app.database.rows(sql`select pg_sleep(1)`)))
    expect(await readiness()).toMatchObject({ status: 200, body: { status: 'ready' } })
    await waits

    proxy.set('hangs')
    expect(await readiness()).toMatchObject({ status: 200, body: { status: 'ready' } })
    await expect
      .poll(async () => (await readiness()).body)
      .toEqual({ status: 'not ready', reasons: ['the database has not answered for 5 s'] })
    expect((await world.call('GET', '/healthz')).status).toBe(200)

    // What hangs would do so for a minute, the limit of a statement in a test.
    proxy.set('closes')
    proxy.set('fine')
    await expect.poll(async () => (await readiness()).status).toBe(200)
  })
})
