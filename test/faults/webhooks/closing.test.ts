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
  let closed: Promise<void> | undefined
  // Told to close at the very moment it fails, however busy the machine is; it would try again a second later.
  const onError = vi.fn(() => {
    closed ??= work.close()
  })
  const work = new DeliveryWork(otherSecret, { database, clock, onError })
  await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
  // The key is there already, so that the secret of this process does not open it.
  await world.settle()
  await receiver.has(1)
  await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
  work.wake()
  await expect.poll(() => closed !== undefined).toBe(true)
  await closed
  await world.settle()

  expect(onError).toHaveBeenCalledOnce()
  expect(receiver.received).toHaveLength(2)
  await receiver.close()
  await world.close()
})
