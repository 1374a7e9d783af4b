import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { defaultScopes } from '../../src/accounts/scopes.ts'
import { openApp } from '../../src/app.ts'
import { sql } from '../../src/database/sql.ts'
import { newLiveWorld } from '../support/live.ts'
import { invoiceBody } from '../support/payer.ts'
import { Receiver } from '../support/receiver.ts'
import { type Person, patient, type World } from '../support/world.ts'

const HOURS = 3_600_000
const fromNow = sql`select abs(extract(epoch from (create_time::timestamptz - clock_timestamp())))::float8 as seconds from events`

// Only the clock on the wall: what passes is counted by another, which nobody can set.
const setClock = (aheadMs: number) => vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + aheadMs })

describe('A machine whose clock is wrong', () => {
  let world: World
  let merchant: Person
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await Receiver.open()
    world = await newLiveWorld({
      WEBHOOK_SIGNATURES: 'standard',
      WEBHOOK_ALLOW_HTTP: 'true',
      WEBHOOK_ALLOW_PRIVATE: 'true',
      SHUTDOWN_GRACE_SECONDS: '0',
    })
    merchant = await world.personWithApp(world.people.merchant.id, defaultScopes('BUSINESS', ['invoicing', 'webhooks']))
    await merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })
  afterEach(() => void vi.useRealTimers())

  it.each([
    ['two hours ahead', 2 * HOURS],
    ['three days behind', -72 * HOURS],
  ])('%s goes by that of the database, and so do others', async (_, aheadMs) => {
    const before = receiver.received.length
    setClock(aheadMs)
    expect((await merchant.post('/v2/invoicing/invoices', invoiceBody())).status).toBe(201)
    vi.useRealTimers()

    // Another process, whose machine is right, finds it due.
    const other = await openApp({
      settings: world.app.service.settings,
      databaseUrl: world.databaseUrl,
      log: pino({ level: 'silent' }),
      works: true,
      ...patient,
    })
    await receiver.has(before + 1)
    await other.close()

    const rows = await world.app.database.rows<{ seconds: number }>(fromNow)
    expect(rows.filter(({ seconds }) => seconds > 1800)).toEqual([])
  })

  it('when it starts does too, and a token is good for as long as it says', async () => {
    setClock(72 * HOURS)
    merchant.signOut()

    expect((await merchant.get('/v2/invoicing/invoices')).status).toBe(200)
    vi.useRealTimers()
    expect((await merchant.get('/v2/invoicing/invoices')).status).toBe(200)
  })
})
