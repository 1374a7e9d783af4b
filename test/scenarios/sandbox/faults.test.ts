import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

interface Fault {
  readonly id: string
  readonly fault: string
  readonly hits: number
}

const INVOICES = '/v2/invoicing/invoices'

describe('Faults of a sandbox', () => {
  let world: World
  let receiver: Receiver
  let address: string
  beforeAll(async () => {
    world = await newWorld()
    address = await world.app.listen()
    receiver = await Receiver.open()
    await world.merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  const add = async (fault: object) => {
    const { status, body, text } = await world.call<Fault>('POST', '/sandbox/faults', fault)
    expect(status, text).toBe(201)
    return body
  }
  const list = async () => (await world.call<{ faults: Fault[] }>('GET', '/sandbox/faults')).body.faults
  const clear = async () => expect((await world.call('DELETE', '/sandbox/faults')).status).toBe(204)
  const faultOf = (value: string) => world.merchant.get(INVOICES, { headers: { 'service-fault': value } })

  it('come by a header: refusals with what a client must heed, a token that is not taken, latency', async () => {
    expect((await faultOf('429=7')).headers['retry-after']).toBe('7')
    expect(
      await Promise.all(
        ['429', '500', '503=3', 'token', 'latency=1', 'nonsense'].map(async (value) => (await faultOf(value)).status),
      ),
    ).toEqual([429, 500, 503, 401, 200, 400])
    const began = performance.now()
    expect((await faultOf('latency=60')).status).toBe(200)
    expect(performance.now() - began).toBeGreaterThan(55)
    expect((await world.merchant.get(INVOICES)).status).toBe(200)
    expect(await list()).toEqual([])
  })

  it('come by a rule, for what it names alone, as often as it says, and are counted', async () => {
    const twice = await add({ fault: '503', operation: 'listInvoices', times: 2 })
    await add({ fault: '500', client_id: 'sandbox-buyer', method: 'GET', path: '/v1/customer' })

    const statuses = []
    for (let i = 0; i < 3; i++) statuses.push((await world.merchant.get(INVOICES)).status)
    expect(statuses).toEqual([503, 503, 200])
    expect((await world.merchant.get('/v1/customer/disputes')).status).toBe(200)
    expect((await world.buyer.get('/v1/customer/disputes')).status).toBe(500)
    expect(await list()).toMatchObject([
      { id: twice.id, fault: '503', hits: 2 },
      { fault: '500', hits: 1 },
    ])
    expect((await world.call('DELETE', `/sandbox/faults/${twice.id}`)).status).toBe(204)
    expect((await world.call('DELETE', `/sandbox/faults/${twice.id}`)).status).toBe(404)
    expect((await world.call('POST', '/sandbox/faults', { fault: 'duplicate', operation: 'x' })).status).toBe(400)
    expect((await world.call('POST', '/sandbox/faults', { fault: 'flood' })).status).toBe(400)
    await clear()
  })

  it('cut a connection, and leave the next one alone', async () => {
    await add({ fault: 'drop', path: INVOICES, times: 1 })
    const headers = { authorization: `Bearer ${await world.tokenFor('sandbox-merchant')}` }

    await expect(fetch(`${address}${INVOICES}`, { headers })).rejects.toThrow()
    expect((await fetch(`${address}${INVOICES}`, { headers })).status).toBe(200)
    await clear()
  })

  it('deliver an event twice, late, or behind a later one', async () => {
    const draft = {
      detail: { currency_code: 'USD' },
      items: [{ name: 'Hat', quantity: '1', unit_amount: usd('5.00') }],
    }
    const typesOf = () =>
      receiver.received.splice(0).map(({ body }) => (JSON.parse(body) as { event_type: string }).event_type)
    typesOf()
    await add({ fault: 'duplicate', event_type: 'INVOICING.INVOICE.CREATED', times: 1 })
    const made = await world.merchant.post<{ href: string }>(INVOICES, draft)
    await world.settle()
    expect(typesOf()).toEqual(['INVOICING.INVOICE.CREATED', 'INVOICING.INVOICE.CREATED'])

    await add({ fault: 'out-of-order', event_type: 'INVOICING.INVOICE.CREATED', times: 1 })
    const second = await world.merchant.post<{ href: string }>(INVOICES, draft)
    await world.merchant.delete(new URL(second.body.href).pathname)
    await world.merchant.put(new URL(made.body.href).pathname, draft)
    await world.settle()
    const early = typesOf()
    await world.pass('PT1S')
    expect(early).not.toContain('INVOICING.INVOICE.CREATED')
    expect(typesOf()).toEqual(['INVOICING.INVOICE.CREATED'])

    await add({ fault: 'delay', seconds: 3_600, url: receiver.url() })
    await world.merchant.post(INVOICES, draft)
    await world.settle()
    expect(typesOf()).toEqual([])
    await world.pass('PT1H')
    expect(typesOf()).toEqual(['INVOICING.INVOICE.CREATED'])
  })

  it('end with a reset', async () => {
    expect((await list()).length).toBeGreaterThan(0)
    await world.call('POST', '/sandbox/reset')
    expect(await list()).toEqual([])
  })
})
