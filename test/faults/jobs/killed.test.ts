import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type AppOptions, openApp } from '../../../src/app.ts'
import { randomIds } from '../../../src/kernel/ids.ts'
import { readSettings } from '../../../src/settings.ts'
import { sentInvoice } from '../../support/payer.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, patient, type World } from '../../support/world.ts'

let world: World
let receiver: Receiver
beforeAll(async () => {
  receiver = await Receiver.open()
  world = await newWorld({ isOwn: true })
  await world.merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
})
afterAll(async () => {
  await world.close()
  await receiver.close()
})

/** What due work a process that was killed leaves behind: everything is held, and by nobody who will let go. */
async function holdEverything(): Promise<void> {
  const { database } = world.app
  await database.query("update jobs set lease_until = clock_timestamp() + interval '1 hour'")
  await database.query("update delivery_queue set claim = 1, lease_until = clock_timestamp() + interval '1 hour'")
}
const held = async () => {
  const { rows } = await world.app.database.query(`
    select (select count(*)::int from jobs where lease_until is not null) as jobs,
      (select count(*)::int from delivery_queue where lease_until is not null) as deliveries`)
  return rows[0] as { jobs: number; deliveries: number }
}
const openAnother = (options: Pick<AppOptions, 'dataDir'>) =>
  openApp({
    ...{ ...patient, ...options, works: true, databaseUrl: world.databaseUrl, ids: randomIds },
    ...{ settings: readSettings({ LOG_LEVEL: 'error', PORT: '0' }), log: pino({ level: 'silent' }) },
  })

describe('Work that a killed process had begun', () => {
  it('is left alone while others may be doing it, and done at once by a process that has the database to itself', async () => {
    await sentInvoice(world)
    await holdEverything()
    const before = await held()
    expect(before.jobs).toBeGreaterThan(0)
    expect(before.deliveries).toBeGreaterThan(0)

    const beside = await openAnother({})
    expect(await held()).toEqual(before)
    await beside.close()

    const alone = await openAnother({ dataDir: '/' })
    await receiver.has(before.deliveries)
    await expect.poll(held).toEqual({ jobs: 0, deliveries: 0 })
    await alone.close()
  })
})
