import { randomBytes } from 'node:crypto'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { openOutbound } from '../../../src/outbound/http.ts'
import { DeliveryWork } from '../../../src/webhooks/delivery/work.ts'
import { type DispatchRules, dispatchRules } from '../../../src/webhooks/dispatch/lanes.ts'
import { makeSeal } from '../../../src/webhooks/signing/seal.ts'
import { RawReceiver, Receiver } from '../../support/receiver.ts'
import { newWorld, patient, type World } from '../../support/world.ts'

const HEALTHY = 20
const DEAD = 300
const ROUNDS = 5
const PER_APP = 10
/** As many as one queue would have slots for. */
const SLOTS = 100

/** A dead receiver keeps its socket for longer than the test takes: whoever waits for it waits for ever. */
const DEADLINE_MS = 600_000

const fifo: DispatchRules = {
  lanes: {
    0: { slots: SLOTS, each: SLOTS, slotMs: DEADLINE_MS },
    1: { slots: SLOTS, each: SLOTS, slotMs: DEADLINE_MS },
    2: { slots: SLOTS, each: SLOTS, slotMs: DEADLINE_MS },
  },
  promptMs: DEADLINE_MS,
  overflow: 0,
  overflowMs: DEADLINE_MS,
  slowEach: SLOTS,
}

const appId = (kind: string, n: number) => `APP-${kind}${String(Math.floor(n / PER_APP)).padStart(4, '0')}`

describe('Healthy webhooks beside hundreds of dead ones', () => {
  let world: World
  let healthy: Receiver
  let dead: RawReceiver
  beforeAll(async () => {
    world = await newWorld()
  })
  beforeEach(async () => {
    healthy = await Receiver.open()
    dead = await RawReceiver.open((socket) => void socket.resume())
  })
  afterEach(async () => {
    await dead.close()
    await healthy.close()
  })
  afterAll(() => world.close())

  /** Starts over with all webhooks new, as many an app as there may be. */
  async function subscribeAll(): Promise<void> {
    const seal = makeSeal(world.app.service.settings.secrets!)
    const rows = [
      ...Array.from({ length: HEALTHY }, (_, n) => ({
        app: appId('HEALTHY', n),
        id: `H${n}`,
        url: healthy.url(`/${n}`),
      })),
      ...Array.from({ length: DEAD }, (_, n) => ({ app: appId('DEAD', n), id: `D${n}`, url: dead.url(`/${n}`) })),
    ].map((row) => ({ ...row, secret: seal.close(randomBytes(32), row.id).toString('hex') }))
    await world.app.database.query(
      'truncate deliveries, delivery_queue, delivery_attempts, webhooks, event_audience, events',
    )
    await world.app.database.query(
      `insert into apps (id, account_id, client_id, name, features, scopes, status, create_time)
       select distinct app, $2, app, app, '{}'::text[], '{}'::text[], 'ENABLED', $3
       from json_to_recordset($1) as r (app text) on conflict do nothing`,
      [JSON.stringify(rows), world.people.merchant.id, world.now()],
    )
    await world.app.database.query(
      `insert into webhooks (account_id, app_id, id, url, event_types, secret, create_time, update_time)
       select $2, app, id, url, '{*}', decode(secret, 'hex'), $3, $3
       from json_to_recordset($1) as r (app text, id text, url text, secret text)`,
      [JSON.stringify(rows), world.people.merchant.id, world.now()],
    )
  }

  const emit = (app: string, count = 1) =>
    world.app.transact(async (tx) => {
      for (let i = 0; i < count; i++)
        tx.emit({
          accountId: world.people.merchant.id,
          appId: app,
          type: 'INVOICING.INVOICE.PAID',
          resourceId: tx.newId('invoice'),
          resource: { id: 'A' },
          summary: 'Paid.',
        })
    })

  function deliverWith(rules: DispatchRules): DeliveryWork {
    const { service, database, clock } = world.app
    const outbound = openOutbound({ allowHttp: true, allowPrivate: true, totalTimeoutMs: DEADLINE_MS })
    const onError = () => {}
    return new DeliveryWork(service, { ...patient, database, clock, onError }, { rules, outbound })
  }

  /** The dead ones hold as much as one queue could give; then come events for the healthy ones. */
  async function eventsBesideTheDead(rules: DispatchRules): Promise<DeliveryWork> {
    await subscribeAll()
    const work = deliverWith(rules)
    for (let n = 0; n < DEAD; n += PER_APP) await emit(appId('DEAD', n))
    work.wake()
    await expect.poll(() => dead.open).toBeGreaterThanOrEqual(SLOTS)
    for (let app = 0; app < HEALTHY / PER_APP; app++) await emit(appId('HEALTHY', app * PER_APP), ROUNDS)
    work.wake()
    return work
  }

  /** The dead ones hang up with it, so that it has nobody to wait for. */
  const close = (work: DeliveryWork) => Promise.all([work.close(), dead.close()])

  // How much later than alone is measured by `npm run bench:webhooks`; here, that they need not wait for the dead at all.
  it('all get their events while the dead ones hang', async () => {
    const work = await eventsBesideTheDead(dispatchRules)

    await healthy.has(HEALTHY * ROUNDS)

    expect(dead.open).toBeGreaterThanOrEqual(SLOTS)
    await close(work)
  })

  it('need lanes for that: with one queue they starve', async () => {
    const work = await eventsBesideTheDead(fifo)

    await expect(healthy.has(1, { within: 500 })).rejects.toThrow('and has 0')
    expect(dead.open).toBe(SLOTS)
    await close(work)
  })
})
