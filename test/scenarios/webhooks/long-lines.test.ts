import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const WEBHOOKS = '/v1/notifications/webhooks'
const LINE = 60

describe('A line that has grown before a receiver', () => {
  let world: World
  let receiver: Receiver
  beforeAll(async () => {
    world = await newWorld({ works: true, settings: { CLOCK_PATIENCE_SECONDS: '1' } })
  })
  beforeEach(async () => {
    await world.call('POST', '/sandbox/reset')
    receiver = await Receiver.open()
  })
  afterEach(() => receiver.close())
  afterAll(() => world.close())

  const subscribe = (path: string, name: string) =>
    world.merchant.post(WEBHOOKS, { url: receiver.url(path), event_types: [{ name }] })
  const heard = (path: string) => receiver.received.filter((call) => call.path === path)
  /** The first is under way and gets no answer, so that none of the others has its turn. */
  const growLine = async () => {
    receiver.answers('/down', () => {})
    await subscribe('/down', 'INVOICING.INVOICE.CREATED')
    for (let i = 0; i < LINE; i++)
      await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
    await receiver.has(1)
  }

  it('is not worked off before a reset that forgets it', async () => {
    await growLine()
    const { status } = await world.call('POST', '/sandbox/reset')
    expect([status, heard('/down').length]).toEqual([200, 1])
    expect((await world.merchant.get('/v2/invoicing/invoices')).body).toMatchObject({ items: [] })
  })

  it('is not worked off before the answer to a request that has done its own', async () => {
    const { body } = await world.merchant.post<{ href: string }>('/v2/invoicing/invoices', {
      detail: { currency_code: 'USD' },
      primary_recipients: [{ billing_info: { email_address: 'payer@example.com' } }],
      items: [{ name: 'A chair', quantity: '1', unit_amount: usd('10.00') }],
    })
    const id = body.href.split('/').at(-1)
    await world.merchant.post(`/v2/invoicing/invoices/${id}/send`, {})
    await growLine()
    await subscribe('/up', 'INVOICING.INVOICE.PAID')
    // Fails often enough to be left alone, and then hangs again, so that the worker does not get further by itself.
    receiver.answers('/down', (_call, response) => {
      if (heard('/down').length <= LINE / 2) response.writeHead(500).end()
    })
    const { status } = await world.call('POST', `/sandbox/invoices/${id}/pay`, {})
    expect([status, heard('/up').length]).toEqual([201, 1])
    expect(heard('/down').length).toBeGreaterThan(20)
    expect(heard('/down').length).toBeLessThan(LINE)
  })
})
