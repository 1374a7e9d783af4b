import { setTimeout as pause } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { addressOf } from '../../src/database/address.ts'
import { Broadcast } from '../../src/database/broadcast.ts'
import { Connector, cut } from '../../src/database/connector.ts'
import { isAway } from '../../src/database/errors.ts'
import { type Database, openDatabase } from '../../src/database/open.ts'
import { sql } from '../../src/database/sql.ts'
import { newDatabase, type TestDatabase } from '../support/database.ts'
import { FaultyProxy, type Weather } from '../support/faulty-proxy.ts'
import { times } from '../support/size.ts'

/** Silence is noticed soon after it, and no statement of these tests takes as long, however busy the machine is. */
const STATEMENT_MS = 2_000
const ROUNDS = times(8, 20)

const echo = sql`select $1::int as given`
const sleep = sql`select pg_sleep(0.15)`
const me = sql`select pg_backend_pid() as pid`
const endOthers = sql`select pg_terminate_backend(pid) from pg_stat_activity
  where datname = current_database() and pid <> pg_backend_pid()`
const write = sql`insert into written values ($1)`
const written = sql`select count(*)::int as count from written`

const faults: Weather[] = ['closes', 'resets', 'starting up', 'starting up, and stays', 'hangs']

let own: TestDatabase
let straight: Database
let proxy: FaultyProxy
let database: Database

beforeAll(async () => {
  own = await newDatabase()
  straight = openDatabase(own.url, { connectionsMax: 2 })
  await straight.rows(sql`create table written (at int)`)
})
afterAll(async () => {
  await straight.close()
  await own.drop()
})
beforeEach(async () => {
  proxy = await FaultyProxy.before(own.url)
  database = openDatabase(proxy.url(own.url), { connectionsMax: 8, statementTimeoutMs: STATEMENT_MS })
})
afterEach(async () => {
  await database.close()
  proxy.close()
})

/** What became of it. That it comes to an end at all is the point: a way that hangs never would by itself. */
const outcomeOf = <T>(work: Promise<T>) =>
  work.then(
    () => 'answered',
    (error: unknown) => (isAway(error) ? 'away' : error),
  )
const reads = (count: number) => Array.from({ length: count }, (_, i) => database.row(echo, [i]))

/** Only where nothing ever answers is the limit waited for. Elsewhere a busy machine may take its time to connect. */
const patience = (weather: Weather) => (weather === 'hangs' ? {} : { connectTimeoutMs: 60_000 })

describe.each(faults)('A database whose way %s', (weather) => {
  beforeEach(async () => {
    await database.close()
    database = openDatabase(proxy.url(own.url), {
      ...{ connectionsMax: 8, statementTimeoutMs: STATEMENT_MS },
      ...patience(weather),
    })
  })

  it('fails what is under way, and is used again as soon as it is back', async () => {
    // Of those that open connections one may be late, on a busy machine.
    await expect.poll(async () => new Set(await Promise.all(reads(50).map(outcomeOf)))).toEqual(new Set(['answered']))
    const inside = database.transaction(async (connection) => {
      await connection.rows(echo, [1])
      proxy.set(weather)
      return connection.rows(sleep)
    })
    const underWay = [inside, ...reads(20), database.rows(sleep)].map(outcomeOf)
    for (const outcome of await Promise.all(underWay)) expect(['away', 'answered']).toContain(outcome)
    expect(await outcomeOf(inside)).toBe('away')

    const meanwhile = [...reads(20), database.transaction((connection) => connection.rows(me))].map(outcomeOf)
    expect(new Set(await Promise.all(meanwhile))).toEqual(new Set(['away']))

    proxy.set('fine')
    const back = [...reads(20), database.transaction((connection) => connection.rows(me))].map(outcomeOf)
    expect(new Set(await Promise.all(back))).toEqual(new Set(['answered']))
    expect(database.waitingCount).toBe(0)
  })

  it('is listened to again', async () => {
    let heard = 0
    const broadcast = new Broadcast(proxy.url(own.url), database, { heartbeatMs: 100, reconnectMs: 50 })
    broadcast.on('jobs', () => heard++)
    await broadcast.listen()
    expect(broadcast.isListening).toBe(true)
    const tell = sql`select pg_notify('quittance', 'jobs')`

    proxy.set(weather)
    await expect.poll(() => proxy.knocks).toBeGreaterThan(1)
    await expect.poll(() => broadcast.isListening).toBe(false)
    proxy.set('fine')

    await expect.poll(() => heard).toBe(1)
    await straight.rows(tell)
    await expect.poll(() => heard).toBe(2)
    await broadcast.close()
  })
})

it('A server that had no connection left for a moment is asked again by those who wait', async () => {
  const patient = openDatabase(proxy.url(own.url), { connectionsMax: 8, connectTimeoutMs: 5_000 })
  let letGo = () => {}
  const isOver = new Promise<void>((resolve) => {
    letGo = resolve
  })
  let isHeld = () => {}
  const held = new Promise<void>((resolve) => {
    isHeld = resolve
  })
  const long = patient.transaction(async (connection) => {
    await connection.rows(me)
    isHeld()
    await isOver
  })
  await held
  proxy.set('is full')
  const { knocks } = proxy
  const waiting = patient.transaction((connection) => connection.rows(me))
  await expect.poll(() => proxy.knocks).toBeGreaterThan(knocks)
  proxy.set('fine')

  expect(await outcomeOf(waiting)).toBe('answered')
  letGo()
  await long
  await patient.close()
})

it('Whoever tells something knows whether all have acted on it', async () => {
  const broadcast = new Broadcast(own.url, straight)
  expect(await broadcast.tell(['access'])).toBe(true)

  const noServer = { ...straight, rows: () => Promise.reject(new Error('The database is away.')) }
  expect(await new Broadcast(own.url, noServer).tell(['access'])).toBe(false)
})

it('A server that says nothing any more is not waited for by whoever ends', async () => {
  const broadcast = new Broadcast(proxy.url(own.url), database)
  await broadcast.listen()

  proxy.set('hangs')

  await broadcast.close()
})

describe('A backend that is terminated', () => {
  it('inside a transaction fails the transaction and nothing else', async () => {
    const work = database.transaction(async (connection) => {
      await connection.rows(write, [1])
      await straight.rows(endOthers)
      // Long enough for the end of the connection to be noticed while nobody waits for an answer on it.
      await straight.rows(sleep)
      return connection.rows(echo, [1])
    })

    expect(await outcomeOf(work)).toBe('away')
    expect(await straight.row(written)).toEqual({ count: 0 })
    await database.transaction((connection) => connection.rows(write, [2]))
    expect(await straight.row(written)).toEqual({ count: 1 })
  })

  it('again and again under load costs what was under way and is made good at once', async () => {
    let loading = true
    const outcomes: Record<string, number> = {}
    const load = Array.from({ length: 10 }, async (_, i) => {
      while (loading) {
        const outcome = await outcomeOf(
          i % 5 === 0 ? database.transaction((one) => one.rows(me)) : database.row(echo, [i]),
        )
        outcomes[String(outcome)] = (outcomes[String(outcome)] ?? 0) + 1
      }
    })
    for (let round = 0; round < ROUNDS; round++) {
      await straight.rows(endOthers)
      await straight.rows(sleep)
    }
    loading = false
    await Promise.all(load)

    expect(Object.keys(outcomes).sort()).toEqual(['answered', 'away'])
    // At each end a statement may be lost on each of the connections, with those that share it, and few more.
    expect(outcomes['away']).toBeLessThan(ROUNDS * 10 * 2)
    expect(await database.row(echo, [7])).toEqual({ given: 7 })
  })
})

describe('An address with several servers', () => {
  let others: FaultyProxy[]
  beforeEach(async () => {
    others = await Promise.all([FaultyProxy.before(own.url), FaultyProxy.before(own.url)])
  })
  afterEach(() => {
    for (const other of others) other.close()
  })
  const through = (proxies: readonly FaultyProxy[], query = '') => {
    const { href } = new URL(proxies[0]!.url(own.url))
    const hosts = proxies.map(({ port }) => `127.0.0.1:${port}`).join(',')
    return href.replace(/127\.0\.0\.1:\d+/, hosts) + query
  }

  it.each<Weather>([...faults, 'is a standby', 'is a pooler before a standby'])(
    'leads to the one that takes writes when another %s',
    async (weather) => {
      others[0]!.set(weather)
      // Half of it for each server: the silent one is waited for as long, and the right one is never late.
      const limits = { connectionsMax: 4, connectTimeoutMs: 10_000 }
      const several = openDatabase(through([others[0]!, others[1]!]), limits)

      expect(await several.row(echo, [1])).toEqual({ given: 1 })
      await several.transaction((connection) => connection.rows(write, [9]))
      const knocks = others[0]!.knocks
      // Who was right last time is asked first, by both connections that are opened.
      await Promise.all(Array.from({ length: 3 }, () => several.rows(sleep)))
      expect(others[0]!.knocks).toBe(knocks)

      // The other way round, as after a failover.
      others[0]!.set('fine')
      others[1]!.set('closes')
      await expect.poll(() => several.row(echo, [2]).catch(() => {})).toEqual({ given: 2 })
      await several.close()
    },
  )

  it('waits for no server that is silent after a failover when another would do', async () => {
    const url = through([others[0]!, others[1]!])
    const several = openDatabase(url, { connectionsMax: 4, connectTimeoutMs: 3_600_000 })
    expect(await several.row(echo, [1])).toEqual({ given: 1 })

    others[0]!.set('resets')
    others[0]!.set('hangs')

    const answered = expect.poll(() => several.row(echo, [2]).catch(() => {})).toEqual({ given: 2 })
    // Whoever waits for the silent one waits for an hour.
    const late = pause(60_000, 'nobody answered', { ref: false })
    expect(await Promise.race([answered.then(() => 'answered'), late])).toBe('answered')
    await several.close()
  })

  it('says of each why it cannot be used', async () => {
    others[0]!.set('is a standby')
    others[1]!.set('starting up')
    const several = openDatabase(through(others))

    const error = await several.row(echo, [1]).catch((error: Error) => error)

    expect(String(error)).toMatch(
      /None of the database servers can be used: 127\.0\.0\.1:\d+: the database server takes no writes; 127\.0\.0\.1:\d+: the database system is starting up\./,
    )
    expect(isAway(error)).toBe(true)
    await several.close()
  })

  it('may lead to one that only reads when it says so', async () => {
    others[0]!.set('is a standby')
    const client = new Connector(addressOf(through([others[0]!], '?target_session_attrs=any')), {})

    const connected = await client.connect()

    cut(connected)
  })
})

describe('A transaction', () => {
  it('in which a statement failed is not taken for committed', async () => {
    const work = database.transaction(async (connection) => {
      await connection.rows(write, [3])
      await connection.rows(sql`select 1 / $1::int`, [0]).catch(() => {})
    })

    await expect(work).rejects.toThrow('nothing was committed')
    expect(await straight.row(sql`select 1 from written where at = 3`)).toBeUndefined()
  })
})
