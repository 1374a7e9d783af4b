import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INVOICES, issuesOf, over, type Refusal, shopOf } from '../../support/shop.ts'
import { newWorld, type World } from '../../support/world.ts'

const TEMPLATES = '/v2/invoicing/templates'

let world: World
let shop: ReturnType<typeof shopOf>
beforeAll(async () => {
  world = await newWorld()
  shop = shopOf(world)
  await shop.watchMails()
})
afterAll(() => world.close())

describe('An invoice number', () => {
  it('may stand beside the details, and is shown there too', async () => {
    const made = await shop.drafts(over('1.00', { invoice_number: 'TOP-1' }))
    const generated = await shop.drafts()

    expect(made).toMatchObject({ invoice_number: 'TOP-1', detail: { invoice_number: 'TOP-1' } })
    expect(await shop.sees(made.id)).toMatchObject({ invoice_number: 'TOP-1' })
    expect(generated).toMatchObject({ invoice_number: generated.detail.invoice_number })
    const { body } = await world.merchant.get<{ items: { id: string; invoice_number: string }[] }>(INVOICES)
    expect(body.items.find(({ id }) => id === made.id)?.invoice_number).toBe('TOP-1')
    const taken = await world.merchant.post<Refusal>(INVOICES, over('1.00', { invoice_number: 'TOP-1' }))
    expect(issuesOf(taken.body)).toEqual(['DUPLICATE_INVOICE_NUMBER'])
    const long = await world.merchant.post<Refusal>(INVOICES, over('1.00', { invoice_number: 'x'.repeat(26) }))
    expect(issuesOf(long.body)).toEqual(['INVALID_STRING_MAX_LENGTH'])
  })

  it('in the details wins, so that a document that is read can be changed there and sent back', async () => {
    const made = await shop.drafts(over('1.00', { invoice_number: 'TOP-2' }, { invoice_number: 'DETAIL-2' }))
    expect(made.detail.invoice_number).toBe('DETAIL-2')

    const shown = await shop.sees(made.id)
    await world.merchant.put(shop.path(made.id), { ...shown, detail: { ...shown.detail, invoice_number: 'DETAIL-3' } })
    expect(await shop.sees(made.id)).toMatchObject({
      invoice_number: 'DETAIL-3',
      detail: { invoice_number: 'DETAIL-3' },
    })

    await world.merchant.put(shop.path(made.id), over('1.00', { invoice_number: 'TOP-4' }))
    expect(await shop.sees(made.id)).toMatchObject({ invoice_number: 'TOP-4' })
    await world.merchant.put(shop.path(made.id), over('2.00'))
    expect(await shop.sees(made.id)).toMatchObject({ invoice_number: 'TOP-4' })
  })
})

describe('What the published service never sends', () => {
  it('is not in our answers: who last changed something', async () => {
    const { id } = await shop.sends()
    await world.merchant.put(shop.path(id), over('90.00'))
    const template = await world.merchant.post<object>(
      TEMPLATES,
      { name: 'Quiet', template_info: { detail: { currency_code: 'USD' } } },
      { headers: { prefer: 'return=representation' } },
    )
    const listed = await world.merchant.get<object>(`${INVOICES}?fields=all`)

    const answers = [await shop.sees(id), template.body, listed.body, await world.events(id)]
    for (const answer of answers) expect(JSON.stringify(answer)).not.toContain('last_updated_by')
    expect((await shop.sees(id)).detail.metadata).toHaveProperty('last_update_time')
  })
})

describe('A template', () => {
  it('is known by template_id as by id', async () => {
    const { body } = await world.merchant.post<{ id: string; template_id: string }>(
      TEMPLATES,
      { name: 'By either name', template_info: { detail: { currency_code: 'USD' } } },
      { headers: { prefer: 'return=representation' } },
    )
    const { body: list } = await world.merchant.get<{ templates: { id: string; template_id: string }[] }>(TEMPLATES)
    const { body: brief } = await world.merchant.get<typeof list>(`${TEMPLATES}?fields=none`)

    expect(body.template_id).toBe(body.id)
    expect((await world.merchant.get<typeof body>(`${TEMPLATES}/${body.id}`)).body.template_id).toBe(body.id)
    for (const { id, template_id } of [...list.templates, ...brief.templates]) expect(template_id).toBe(id)
  })

  it.each(['', ' ', '\t\n '])('cannot have a name that says nothing: %j', async (name) => {
    const refused = await world.merchant.post<Refusal>(TEMPLATES, { name })
    const { body: made } = await world.merchant.post<{ id: string }>(TEMPLATES, {})
    const renamed = await world.merchant.put<Refusal>(`${TEMPLATES}/${made.id}`, { name })

    for (const { status, body } of [refused, renamed])
      expect([status, body.details?.[0]]).toMatchObject([400, { field: '/name' }])
    await world.merchant.delete(`${TEMPLATES}/${made.id}`)
  })

  it('without a name gets one, also where it is null', async () => {
    for (const body of [{}, { name: null }]) {
      const { status, body: made } = await world.merchant.post<{ name: string; id: string }>(TEMPLATES, body, {
        headers: { prefer: 'return=representation' },
      })
      expect([status, made.name]).toEqual([201, expect.stringMatching(/^Template \d+$/)])
    }
  })
})

describe('Whom to tell: the customer, those in copy and the merchant', () => {
  const copies = { additional_recipients: ['cc@example.com', 'boss@example.com'] }
  const told = async (id: string, kind: string) =>
    (await shop.mails(id)).filter((mail) => mail.kind === kind).flatMap(({ recipients }) => recipients)

  // biome-ignore format: a table reads best as a table
  const choices: readonly (readonly [what: string, body: object, told: readonly string[]])[] = [
    ['everybody but the merchant',      {},                                                                              ['payer@example.com', 'cc@example.com', 'boss@example.com']],
    ['the copies without the customer', { send_to_recipient: false },                                                    ['cc@example.com', 'boss@example.com']],
    ['one copy without the customer',   { send_to_recipient: false, additional_recipients: ['BOSS@example.com'] },       ['boss@example.com']],
    ['the customer without copies',     { additional_recipients: [] },                                                   ['payer@example.com']],
    ['the merchant alone',              { send_to_recipient: false, additional_recipients: [], send_to_invoicer: true }, ['merchant@example.com']],
    ['nobody',                          { send_to_recipient: false, additional_recipients: [] },                         []],
  ]
  it.each(choices)('sending tells %s', async (_what, body, expected) => {
    const { id } = await shop.drafts(over('10.00', copies))
    expect((await world.merchant.post(shop.path(id, '/send'), body)).status).toBe(200)
    expect(await told(id, 'invoice')).toEqual(expected)
  })

  it.each(choices)('cancelling tells %s', async (_what, body, expected) => {
    const { id } = await shop.sends(over('10.00', copies))
    expect((await world.merchant.post(shop.path(id, '/cancel'), body)).status).toBe(204)
    expect(await told(id, 'invoice-cancelled')).toEqual(expected)
  })

  it('copies are told where there is no customer to tell', async () => {
    const { id } = await shop.drafts(
      over('10.00', { ...copies, primary_recipients: [{ billing_info: { business_name: 'Acme' } }] }),
    )
    expect((await world.merchant.post(shop.path(id, '/send'))).status).toBe(200)
    expect(await told(id, 'invoice')).toEqual(copies.additional_recipients)
  })

  it('an update tells those in copy when it tells the customer, and not otherwise', async () => {
    const { id } = await shop.sends(over('10.00', copies))
    await world.merchant.put(`${shop.path(id)}?send_to_recipient=false&send_to_invoicer=false`, over('11.00', copies))
    expect(await told(id, 'invoice-updated')).toEqual([])

    await world.merchant.put(`${shop.path(id)}?send_to_invoicer=false`, over('12.00', copies))
    expect(await told(id, 'invoice-updated')).toEqual(['payer@example.com', ...copies.additional_recipients])
  })

  it('a scheduled invoice goes to the copies that were chosen when it was scheduled', async () => {
    const { id } = await shop.drafts(over('10.00', copies, { invoice_date: '2026-03-05' }))
    await world.merchant.post(shop.path(id, '/send'), { additional_recipients: [] })
    await shop.pass('P4D')
    expect(await told(id, 'invoice')).toEqual(['payer@example.com', 'merchant@example.com'])
  })
})

describe('The page of an invoice that does not exist', () => {
  it('is a page, and says so', async () => {
    for (const path of [
      '/invoice/p/NOSUCHINVOICE123',
      '/invoice/p/x',
      '/invoice/details/INV2-AAAA-AAAA-AAAA-AAAA',
      '/invoice/p/NOSUCHINVOICE123/pdf',
      '/invoice/p/NOSUCHINVOICE123/problem',
    ]) {
      const { status, headers, text } = await world.call('GET', path, undefined, { headers: { accept: '*/*' } })
      expect([path, status, headers['content-type']]).toEqual([path, 404, 'text/html; charset=utf-8'])
      expect(text).toMatch(/^<!doctype html>/i)
    }
  })
})

describe('The API document', () => {
  it('declares the refusals of pages as pages, and names the version of the dispute interface', async () => {
    const { body } = await world.call<{
      info: { description: string }
      paths: Record<string, { get: { responses: { default: { $ref: string } } } }>
      components: { responses: Record<string, { content: object }> }
    }>('GET', '/openapi.json')
    const refusedWith = (path: string) => {
      const { $ref } = body.paths[path]!.get.responses.default
      return Object.keys(body.components.responses[$ref.split('/').at(-1)!]!.content)
    }

    expect(refusedWith('/invoice/p/{code}')).toContain('text/html')
    expect(refusedWith('/v2/invoicing/invoices')).toEqual(['application/json'])
    expect(body.info.description).toContain('version 1.12')
  })

  it('says what may be sent also where the refusal has a name of its own', async () => {
    const { body } = await world.call<{
      paths: Record<string, { get: { parameters: { name?: string; schema?: object }[] } }>
      components: { schemas: Record<string, { properties: Record<string, { $ref?: string }> }> }
    }>('GET', '/openapi.json')
    const { parameters } = body.paths['/v1/customer/disputes']!.get
    const { schemas } = body.components

    expect(parameters.find(({ name }) => name === 'page_size')!.schema).toEqual({
      type: 'integer',
      minimum: 1,
      maximum: 50,
      default: 10,
    })
    for (const name of ['DisputeMakeOfferInput', 'DisputeAcceptClaimInput'])
      expect(schemas[name]!.properties['return_shipping_address']!.$ref).toBe('#/components/schemas/DisputeAddress')
  })
})
