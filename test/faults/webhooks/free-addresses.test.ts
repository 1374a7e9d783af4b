import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { RawReceiver, Receiver } from '../../support/receiver.ts'
import { newWorld, type Person, type World } from '../../support/world.ts'

describe('Simulated events that go to an address of their own', () => {
  let world: World
  let dead: RawReceiver
  let healthy: Receiver
  beforeAll(async () => {
    world = await newWorld({ works: true })
    dead = await RawReceiver.open((socket) => void socket.resume())
    healthy = await Receiver.open()
  })
  afterAll(async () => {
    await Promise.all([dead.close(), healthy.close()])
    await world.close()
  })

  const simulate = async (person: Person, url: string) => {
    const body = { event_type: 'INVOICING.INVOICE.PAID', url }
    expect((await person.post('/v1/notifications/simulate-event', body)).status).toBe(202)
  }

  it('do not wait for a receiver of another account that hangs', async () => {
    await simulate(world.merchant, dead.url())
    await expect.poll(() => dead.open).toBe(1)
    // One that is known to hang, and a line behind it.
    for (let n = 0; n < 3; n++) await simulate(world.merchant, dead.url())

    for (let n = 1; n <= 3; n++) {
      await simulate(world.otherMerchant, healthy.url())
      await healthy.has(n)
    }

    expect([dead.connections, dead.open]).toEqual([1, 1])
  })
})
