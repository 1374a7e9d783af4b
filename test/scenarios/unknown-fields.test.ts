import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newLiveWorld } from '../support/live.ts'
import { newWorld, type World } from '../support/world.ts'

const INVOICES = '/v2/invoicing/invoices'
const item = { name: 'A chair', quantity: '1', unit_amount: { currency_code: 'USD', value: '10.00' } }
const full = { headers: { prefer: 'return=representation' } }

describe('A sandbox', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  it('names misspelt fields and takes the rest', async () => {
    const { status, headers } = await world.merchant.post(INVOICES, {
      detail: { currency_code: 'USD', refrence: 'R-1' },
      items: [{ ...item, descripton: 'Oak' }],
      primary_recipient: [],
      entirely_else: 1,
    })

    expect(status).toBe(201)
    expect(headers['service-warnings']).toBe(
      [
        'unknown field /detail/refrence, did you mean reference',
        'unknown field /items/0/descripton, did you mean description',
        'unknown field /primary_recipient, did you mean primary_recipients',
        'unknown field /entirely_else',
      ].join('; '),
    )
  })

  it('names the field that was probably meant also where its absence is an error', async () => {
    const { status, headers } = await world.merchant.post(INVOICES, { detial: { currency_code: 'USD' } })

    expect([status, headers['service-warnings']]).toEqual([400, 'unknown field /detial, did you mean detail'])
  })

  it('says nothing of what a client got and sends back', async () => {
    const { body } = await world.merchant.post<{ id: string }>(
      INVOICES,
      {
        detail: { currency_code: 'USD' },
        items: [item],
        primary_recipients: [{ billing_info: { email_address: 'a@example.com' } }],
      },
      full,
    )
    const shown = await world.merchant.get(`${INVOICES}/${body.id}`)

    const { status, headers } = await world.merchant.put(`${INVOICES}/${body.id}`, shown.body)

    expect([status, headers['service-warnings']]).toEqual([200, undefined])
  })

  it('names misspelt events, parameters and fields of its own operations', async () => {
    const warned = async (call: Promise<{ headers: Record<string, unknown> }>) =>
      (await call).headers['service-warnings']
    const hook = { url: 'https://receiver.example.com/a', event_types: [{ name: 'INVOICING.INVOICE.PIAD' }] }

    expect(await warned(world.merchant.post('/v1/notifications/webhooks', hook))).toBe(
      'unknown value INVOICING.INVOICE.PIAD in /event_types/0/name, did you mean INVOICING.INVOICE.PAID',
    )
    expect(await warned(world.merchant.get(`${INVOICES}?page_sze=5`))).toBe(
      'unknown field page_sze, did you mean page_size',
    )
    expect(await warned(world.call('POST', '/sandbox/clock', { freeze: true, advnace: 'P1D' }))).toBe(
      'unknown field /advnace, did you mean advance',
    )
  })
})

describe('With STRICT_FIELDS', () => {
  it('what is not known is refused, and what was got and is sent back is not', async () => {
    const world = await newWorld({ settings: { STRICT_FIELDS: 'true' } })
    const draft = { detail: { currency_code: 'USD' }, items: [item] }

    const refused = await world.merchant.post<{ details: object[] }>(INVOICES, { ...draft, refrence: 'R-1' })
    const { body } = await world.merchant.post<{ id: string }>(INVOICES, draft, full)
    const sentBack = await world.merchant.put(`${INVOICES}/${body.id}`, body)

    expect(refused.status).toBe(400)
    expect(refused.body.details[0]).toMatchObject({ issue: 'UNKNOWN_FIELD', field: '/refrence', location: 'body' })
    expect(sentBack.status).toBe(200)

    for (const list of ['/v2/invoicing/templates', INVOICES]) {
      const { body: page } = await world.merchant.get<{ links: { href: string }[] }>(`${list}?page_size=1&page=2`)
      expect(page.links.length).toBeGreaterThan(1)
      for (const { href } of page.links) {
        const { pathname, search } = new URL(href)
        expect((await world.merchant.get(pathname + search)).status, href).toBe(200)
      }
    }

    const webhooks = '/v1/notifications/webhooks'
    const subscribe = (name: string) =>
      world.merchant.post<{ details: object[] }>(webhooks, { url: 'https://a.example.com/', event_types: [{ name }] })
    const misspelt = await subscribe('INVOICING.INVOICE.PIAD')
    expect(misspelt.status).toBe(400)
    expect(misspelt.body.details).toMatchObject([
      { code: 'UNKNOWN_VALUE', field: 'event_types.0.name', issue: expect.stringMatching(/did you mean .*\.PAID/) },
    ])
    expect((await world.merchant.get(webhooks)).body).toEqual({ webhooks: [] })
    expect((await subscribe('INVOICING.INVOICE.PAID')).status).toBe(201)
    await world.close()
  })
})

describe('In live', () => {
  it('what is not known is ignored without a word', async () => {
    const world = await newLiveWorld()
    const merchant = await world.personWithApp(world.people.merchant.id, ['invoicing/invoices/readwrite'])

    const { status, headers } = await merchant.post(INVOICES, { detail: { currency_code: 'USD' }, refrence: 'R-1' })

    expect([status, headers['service-warnings']]).toEqual([201, undefined])
    await world.close()
  })
})
