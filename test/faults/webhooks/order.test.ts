import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { DeliveryWork } from '../../../src/webhooks/delivery/work.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, patient, type World } from '../../support/world.ts'

const RESOURCES = 5
const EVENTS = 75

describe('Events of one resource, delivered by two processes at once', () => {
  let world: World
  let receiver: Receiver
  let works: DeliveryWork[]
  beforeAll(async () => {
    world = await newWorld()
    receiver = await Receiver.open()
    // Now and then an answer takes longer, so that whatever is not held back overtakes.
    receiver.behaviour = (call, response) =>
      void setTimeout(() => response.writeHead(200).end(), call.event.id.charCodeAt(19) % 3 === 0 ? 25 : 0)
    const { service, database, clock } = world.app
    works = [0, 1].map(() => new DeliveryWork(service, { ...patient, database, clock, onError: () => {} }))
    await world.merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
  })
  afterAll(async () => {
    for (const work of works) await work.close()
    await receiver.close()
    await world.close()
  })

  /** Emits numbered events of a few things, delivers them, and tells how often one arrived after a later one. */
  async function overtakings(resourceIdOf: (thing: number, n: number) => string): Promise<number> {
    receiver.forget()
    for (let n = 0; n < EVENTS; n++)
      await world.app.transact(async (tx) =>
        tx.emit({
          accountId: world.people.merchant.id,
          appId: 'APP-SANDBOXMERCHANT01',
          type: 'INVOICING.INVOICE.UPDATED',
          resourceId: resourceIdOf(n % RESOURCES, n),
          resource: { thing: n % RESOURCES, n },
          summary: 'An invoice changed.',
        }),
      )
    await Promise.all(works.map((work) => work.drain()))
    expect(receiver.received.length).toBe(EVENTS)
    const latest = new Map<unknown, number>()
    let count = 0
    for (const { event } of receiver.received) {
      const { thing, n } = event.resource as { thing: number; n: number }
      if (n < (latest.get(thing) ?? -1)) count++
      else latest.set(thing, n)
    }
    return count
  }

  it('arrive in the order of their commits', async () => {
    expect(await overtakings((thing) => `THING-${thing}`)).toBe(0)
  })

  it('would overtake each other if nothing tied them together', async () => {
    expect(await overtakings((thing, n) => `THING-${thing}-${n}`)).toBeGreaterThan(0)
  })
})
