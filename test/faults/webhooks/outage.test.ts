import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { type App, openApp } from '../../../src/app.ts'
import { type Database, openDatabase } from '../../../src/database/open.ts'
import { sql } from '../../../src/database/sql.ts'
import { Patience } from '../../../src/jobs/patience.ts'
import { DeliveryWork } from '../../../src/webhooks/delivery/work.ts'
import { FaultyProxy } from '../../support/faulty-proxy.ts'
import { invoiceBody } from '../../support/payer.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, patient, type World } from '../../support/world.ts'

const COUNT = 5
const expireLeases = sql`update delivery_queue set lease_until = clock_timestamp() - interval '1 minute'`
const waiting = sql`select count(*)::int as count from delivery_queue`

describe('Deliveries under way while the database goes away for longer than their lease', () => {
  let world: World
  let other: App
  let proxy: FaultyProxy
  let receiver: Receiver
  let straight: Database
  beforeAll(async () => {
    receiver = await Receiver.open()
    world = await newWorld({
      works: true,
      settings: { WEBHOOK_SIGNATURES: 'standard', LOG_LEVEL: 'silent' },
      through: async (url) => {
        proxy = await FaultyProxy.before(url)
        return { databaseUrl: proxy.url(url) }
      },
    })
    const { settings } = world.app.service
    const databaseUrl = proxy.url(world.databaseUrl)
    other = await openApp({ settings, databaseUrl, log: pino({ level: 'silent' }), works: true, ...patient })
    straight = openDatabase(world.databaseUrl, { connectionsMax: 1 })
  })
  afterAll(async () => {
    await straight.close()
    await other.close()
    await world.close()
    proxy.close()
    await receiver.close()
  })

  it('are written down by whoever made them, and made by nobody else', async () => {
    const answers: (() => void)[] = []
    receiver.behaviour = (_, response) => void answers.push(() => void response.end())
    await world.merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
    for (let i = 0; i < COUNT; i++) await world.merchant.post('/v2/invoicing/invoices', invoiceBody())
    await receiver.until(() => answers.length >= 1)

    proxy.set('closes')
    receiver.behaviour = { status: 200 }
    for (const answer of answers) answer()
    await straight.rows(expireLeases)
    proxy.set('fine')

    await expect.poll(() => straight.row(waiting)).toEqual({ count: 0 })
    const ids = receiver.received.map(({ event }) => event.id)
    expect(new Set(ids).size).toBe(COUNT)
    expect(ids).toHaveLength(COUNT)
  })
})

it('A request that waited for deliveries when the database went away leaves its impatience to nobody', async () => {
  const world = await newWorld()
  const receiver = await Receiver.open()
  const { service, database, clock } = world.app
  await world.merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
  await world.merchant.post('/v2/invoicing/invoices', invoiceBody())
  let isAway = true
  const away: Database = {
    ...database,
    rows: (statement, values) =>
      isAway ? Promise.reject(new Error('The database is away.')) : database.rows(statement, values),
  }
  class Brief extends Patience {
    override get isOver(): boolean {
      return !isAway
    }
  }
  const work = new DeliveryWork(service, { ...patient, database: away, clock, onError: () => {} })
  await expect(work.drain(new Brief(1))).rejects.toThrow('away')

  isAway = false
  work.wake()
  await receiver.has(1)
  await work.close()
  await receiver.close()
  await world.close()
})

it('A process that has closed without its database asks it nothing more', async () => {
  const world = await newWorld()
  const receiver = await Receiver.open()
  const { service, database, clock } = world.app
  await world.merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
  await world.merchant.post('/v2/invoicing/invoices', invoiceBody())
  let isAway = false
  let asked = 0
  const away: Database = {
    ...database,
    rows: (statement, values) => {
      if (!isAway) return database.rows(statement, values)
      asked++
      return Promise.reject(new Error('The database is away.'))
    },
  }
  receiver.behaviour = (_, response) => {
    isAway = true
    response.end()
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const work = new DeliveryWork(service, { ...patient, database: away, clock, onError: () => {} })
  work.wake()
  // The delivery was made, and that cannot be written down.
  await expect.poll(() => asked).toBeGreaterThan(0)
  let isClosed = false
  const closing = work.close().then(() => (isClosed = true))
  while (!isClosed) {
    await vi.advanceTimersByTimeAsync(1_000)
    await new Promise(setImmediate)
  }
  await closing

  const before = asked
  await vi.advanceTimersByTimeAsync(60_000)
  expect(asked).toBe(before)
  vi.useRealTimers()
  await receiver.close()
  await world.close()
})
