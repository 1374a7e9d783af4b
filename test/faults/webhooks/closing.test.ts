import { expect, it, vi } from 'vitest'
import { DeliveryWork } from '../../../src/webhooks/delivery/work.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld } from '../../support/world.ts'

it('A process that closes gives back at once what it cannot sign, and another delivers it', async () => {
  const world = await newWorld()
  const receiver = await Receiver.open()
  const { service, database, clock } = world.app
  const webhook = { url: receiver.url(), event_types: [{ name: '*' }] }
  await world.merchant.post('/v1/notifications/webhooks', webhook)
  const otherSecret = { ...service, settings: { ...service.settings, secrets: ['x'.repeat(32)] as const } }
  const onError = vi.fn()
  const work = new DeliveryWork(otherSecret, { database, clock, onError })
  await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
  // The key is there already, so that the secret of this process does not open it.
  await world.settle()
  await receiver.has(1)
  await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
  work.wake()
  await vi.waitFor(() => expect(onError).toHaveBeenCalled(), { interval: 2 })

  const began = performance.now()
  await work.close()
  const closedWithin = performance.now() - began
  await world.settle()

  expect(closedWithin).toBeLessThan(800)
  expect(onError).toHaveBeenCalledOnce()
  expect(receiver.received).toHaveLength(2)
  await receiver.close()
  await world.close()
})
