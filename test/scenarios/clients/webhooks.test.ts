import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Receiver } from '../../support/receiver.ts'
import { shopOf } from '../../support/shop.ts'
import { newWorld, type World } from '../../support/world.ts'
import { open } from '../disputes/people.ts'

const root = '/v1/notifications'

let world: World
let receiver: Receiver
let webhookId: string
beforeAll(async () => {
  world = await newWorld()
  receiver = await Receiver.open()
  const made = await world.merchant.post<{ id: string }>(`${root}/webhooks`, {
    url: receiver.url('/hook'),
    event_types: [{ name: '*' }],
  })
  webhookId = made.body.id
})
afterAll(async () => {
  await world.close()
  await receiver.close()
})

/** What PHP makes of a JSON text that it reads into arrays and writes again: an empty object comes out as a list. */
const throughPhp = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(throughPhp)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([name, member]) => [name, throughPhp(member)])
  return members.length === 0 ? [] : Object.fromEntries(members)
}

const emptyObjects = (value: unknown, path = ''): string[] => {
  if (typeof value !== 'object' || value === null) return []
  const members = Object.entries(value)
  if (members.length === 0 && !Array.isArray(value)) return [path]
  return members.flatMap(([name, member]) => emptyObjects(member, `${path}/${name}`))
}

const verifies = async (headers: Record<string, unknown>, webhook_event: unknown) =>
  (
    await world.merchant.post<{ verification_status: string }>(`${root}/verify-webhook-signature`, {
      auth_algo: headers['service-auth-algo'],
      cert_url: headers['service-cert-url'],
      transmission_id: headers['service-transmission-id'],
      transmission_sig: headers['service-transmission-sig'],
      transmission_time: headers['service-transmission-time'],
      webhook_id: webhookId,
      webhook_event,
    })
  ).body.verification_status

describe('Events', () => {
  it('hold no empty objects, so that a client in PHP can have them verified', async () => {
    const shop = shopOf(world)
    const { id } = await shop.drafts({ detail: { currency_code: 'USD' } })
    await shop.sends()
    await shop.has('PARTIALLY_REFUNDED')
    await open(world.buyer)
    await world.settle()

    expect((await shop.sees(id)).invoicer).toEqual({})
    const arrived = receiver.received
    expect(arrived.length).toBeGreaterThan(5)
    for (const { headers, body } of arrived) {
      const event: unknown = JSON.parse(body)
      expect(emptyObjects(event)).toEqual([])
      expect(await verifies(headers, throughPhp(event))).toBe('SUCCESS')
    }
  })

  it('that are something else are still not verified', async () => {
    const { headers, body } = receiver.received[0]!
    const event = JSON.parse(body) as Record<string, unknown>

    expect(await verifies(headers, { ...event, extra: [] })).toBe('FAILURE')
    expect(await verifies(headers, { ...event, resource: [] })).toBe('FAILURE')
  })
})

describe('A simulated event', () => {
  it.each(['PAYMENT.AUTHORIZATION.CREATED', 'PAYMENT.SALE.COMPLETED', 'BILLING.SUBSCRIPTION.ACTIVATED'])(
    'may be any that can be subscribed to: %s',
    async (event_type) => {
      const { status, body, text } = await world.merchant.post<{ id: string; resource: { id: string } }>(
        `${root}/simulate-event`,
        { webhook_id: webhookId, event_type, resource_version: '1.0' },
      )

      expect(status, text).toBe(202)
      await world.settle()
      const delivered = receiver.received.at(-1)!
      expect(JSON.parse(delivered.body)).toMatchObject({
        id: body.id,
        event_type,
        resource: { id: expect.any(String) },
      })
      expect(await verifies(delivered.headers, JSON.parse(delivered.body))).toBe('SUCCESS')
    },
  )

  it('is as the documentation writes it: an address, a type and a version', async () => {
    const { status, text } = await world.merchant.post(`${root}/simulate-event`, {
      url: receiver.url('/sample'),
      event_type: 'PAYMENT.AUTHORIZATION.CREATED',
      resource_version: '1.0',
    })

    expect(status, text).toBe(202)
  })

  it('comes in a version that there is', async () => {
    const ask = (resource_version: string) =>
      world.merchant.post<{ resource_version: string }>(`${root}/simulate-event`, {
        ...{ webhook_id: webhookId, event_type: 'PAYMENT.CAPTURE.COMPLETED', resource_version },
      })
    for (const version of ['1.0', '2.0'])
      expect(await ask(version)).toMatchObject({ status: 202, body: { resource_version: version } })
    for (const version of ['1.1', '3.0', '99.99', '2', '02.0']) expect((await ask(version)).status, version).toBe(400)
  })

  it('cannot be one that nobody could subscribe to', async () => {
    for (const event_type of ['*', 'nonsense', 'payment.capture.completed'])
      expect((await world.merchant.post(`${root}/simulate-event`, { webhook_id: webhookId, event_type })).status).toBe(
        400,
      )
  })
})
