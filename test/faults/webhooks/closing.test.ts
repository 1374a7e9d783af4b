import { expect, it, vi } from 'vitest'
import { openDatabase } from '../../../src/database/open.ts'
import { openOutbound } from '../../../src/outbound/http.ts'
import { DeliveryWork } from '../../../src/webhooks/delivery/work.ts'
import { FaultyProxy } from '../../support/faulty-proxy.ts'
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

it('A process that closes while the database is away closes all it has, and says what it could not give back', async () => {
  const world = await newWorld()
  const receiver = await Receiver.open()
  receiver.behaviour = () => {}
  const proxy = await FaultyProxy.before(world.databaseUrl)
  const database = openDatabase(proxy.url(world.databaseUrl))
  const { service, clock } = world.app
  const outbound = openOutbound({ allowHttp: true, allowPrivate: true })
  let isOutboundClosed = false
  const close = () => outbound.close().finally(() => (isOutboundClosed = true))
  const onError = vi.fn()
  await world.merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
  await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
  const work = new DeliveryWork(service, { database, clock, onError }, { outbound: { ...outbound, close } })
  work.wake()
  await receiver.has(1)

  proxy.set('closes')
  await work.close()

  expect(onError).toHaveBeenCalled()
  expect(isOutboundClosed).toBe(true)
  await database.close()
  proxy.close()
  await receiver.close()
  await world.close()
})
