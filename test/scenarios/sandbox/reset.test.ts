import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSheet } from '../../support/payer.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const INVOICES = '/v2/invoicing/invoices'
const WEBHOOKS = '/v1/notifications/webhooks'

describe('A sandbox', () => {
  let world: World
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await Receiver.open()
    world = await newWorld({ works: true, settings: { HOST: '0.0.0.0' } })
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })
  const sent = async () => {
    const { body } = await world.merchant.post<{ href: string }>(INVOICES, {
      detail: { currency_code: 'USD' },
      primary_recipients: [{ billing_info: { email_address: 'payer@example.com' } }],
      items: [{ name: 'A chair', quantity: '1', unit_amount: usd('10.00') }],
    })
    const id = body.href.split('/').at(-1)!
    await world.merchant.post(`${INVOICES}/${id}/send`, {})
    return id
  }

  const mailed = async () => {
    const query = { to: 'payer@example.com', limit: '200' }
    return (await world.call<{ mails: unknown[] }>('GET', '/sandbox/mail', undefined, { query })).body.mails
  }

  it('has done what a call of its own started when it answers', async () => {
    for (let round = 1; round <= 5; round++) {
      const id = await sent()
      await world.call('POST', `/sandbox/invoices/${id}/pay`, {})

      const { body } = await world.merchant.get<{ status: string }>(`${INVOICES}/${id}`)
      const mails = await world.call<{ mails: { subject: string }[] }>('GET', '/sandbox/mail', undefined, {
        query: { to: 'payer@example.com' },
      })
      expect(body.status).toBe('PAID')
      expect(mails.body.mails.length).toBeGreaterThanOrEqual(2 * round)
    }
  })

  it('has done what the form of a payer started when the page after it is drawn', async () => {
    const arrived = () => receiver.received.filter(({ path }) => path === '/paid').length
    await world.merchant.post(WEBHOOKS, {
      url: receiver.url('/paid'),
      event_types: [{ name: 'INVOICING.INVOICE.PAID' }],
    })
    const before = (await mailed()).length
    for (let round = 1; round <= 5; round++) {
      const id = await sent()
      const { send } = await openSheet(world, `/invoice/p/${id.replace('INV2-', '').replaceAll('-', '')}`)

      expect((await send({}, { origin: 'http://shop', headers: { host: 'shop' } })).status).toBe(303)

      expect(arrived()).toBe(round)
      const { body } = await world.merchant.get<{ status: string }>(`${INVOICES}/${id}`)
      expect(body.status).toBe('PAID')
      expect((await mailed()).length).toBeGreaterThanOrEqual(before + 2 * round)
    }
  })

  it('shows all of its mails, page by page', async () => {
    const page = async (number: number) =>
      (
        await world.call<{ mails: { id: string }[]; has_more: boolean }>('GET', '/sandbox/mail', undefined, {
          query: { limit: '3', page: String(number) },
        })
      ).body
    const ids: string[] = []
    for (let number = 1; ; number++) {
      const { mails, has_more } = await page(number)
      ids.push(...mails.map(({ id }) => id))
      if (!has_more) break
    }

    const all = await world.call<{ mails: { id: string }[] }>('GET', '/sandbox/mail', undefined, {
      query: { limit: '200' },
    })
    expect(ids).toEqual(all.body.mails.map(({ id }) => id))
    expect(new Set(ids).size).toBeGreaterThan(6)
  })

  it('makes links that can be followed when it listens on every address', async () => {
    const { body } = await world.merchant.get<{ links: { href: string }[] }>(INVOICES)

    expect(body.links[0]!.href).toMatch(/^http:\/\/127\.0\.0\.1:/)
  })

  it('keeps webhooks through a reset when it is asked to, and then they get events', async () => {
    const hook = { url: receiver.url(), event_types: [{ name: 'INVOICING.INVOICE.CREATED' }] }
    await world.merchant.post(WEBHOOKS, hook)
    const before = await world.merchant.get<{ webhooks: unknown[] }>(WEBHOOKS)

    expect((await world.call('POST', '/sandbox/reset', { keep: ['webhooks'] })).status).toBe(200)

    expect((await world.merchant.get<{ webhooks: unknown[] }>(WEBHOOKS)).body).toEqual(before.body)
    await sent()
    await receiver.has(1)
    expect((await world.call('POST', '/sandbox/reset', { keep: ['everything'] })).status).toBe(400)
    await world.call('POST', '/sandbox/reset')
    expect((await world.merchant.get<{ webhooks: unknown[] }>(WEBHOOKS)).body.webhooks).toEqual([])
  })
})
