import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { INVOICES, over, type Refusal, type Seen, shopOf } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'
import { address, DISPUTES, does, NOT_AS_DESCRIBED, open, refusal, sees } from '../disputes/people.ts'

let world: World
let shop: ReturnType<typeof shopOf>
beforeAll(async () => {
  world = await newWorld()
  shop = shopOf(world)
})
afterAll(() => world.close())

const json = { 'content-type': 'application/json' }
const claim = () => open(world.buyer, { reason: 'INCORRECT_AMOUNT' })

describe('null is absent', () => {
  it('in the bodies of disputes, at every depth', async () => {
    const made = await world.buyer.post<{ links: { href: string }[] }>(DISPUTES, {
      disputed_transactions: [{ buyer_transaction_id: 'NULLPAYMENT1', items: null }],
      reason: NOT_AS_DESCRIBED,
      dispute_amount: null,
      extensions: { merchandize_dispute_properties: null },
      evidences: [{ notes: 'Broken.', documents: null }],
      messages: null,
    })
    expect(made.status, JSON.stringify(made.body)).toBe(201)
    const id = made.body.links[0]!.href.split('/').at(-1)!

    const answers = [
      await does(world.merchant, id, 'send-message', { message: 'Hello.', note: null }),
      await does(world.merchant, id, 'make-offer', {
        note: 'Send it back.',
        offer_type: 'REFUND_WITH_RETURN',
        offer_amount: { currency_code: 'USD', value: '10.00' },
        return_shipping_address: { ...address, address_line_2: null, address_details: null },
        invoice_id: null,
      }),
      await does(world.buyer, id, 'deny-offer', { note: 'No.', offer_amount: null }),
      await does(world.merchant, id, 'escalate', { note: 'Please decide.', buyer_requested_amount: null }),
    ]
    expect(answers.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual([200, 200, 200, 200])
  })

  it('in evidence, and in a change of a dispute', async () => {
    const id = await claim()
    const patched = await world.merchant.patch(`${DISPUTES}/${id}`, [
      { op: 'add', path: '/communication_details', value: { email: 'help@example.com', note: null }, from: null },
    ])
    const provided = await does(world.merchant, id, 'provide-evidence', {
      evidences: [{ evidence_type: 'OTHER', evidence_info: null, documents: null, notes: 'Right.', item_id: null }],
      return_shipping_address: null,
    })

    expect([patched.status, provided.status], patched.text + provided.text).toEqual([204, 200])
    expect((await sees(world.merchant, id)).communication_details).toMatchObject({ email: 'help@example.com' })
  })

  it('where a field is needed too: it is missing, not wrong', async () => {
    const id = await open(world.buyer)

    const { status, body } = await does(world.merchant, id, 'send-message', { message: null })

    expect([status, body.details[0]]).toMatchObject([400, { issue: 'MISSING_REQUIRED_PARAMETER', field: '/message' }])
  })

  it('as a whole body where one is optional', async () => {
    const { id } = await shop.drafts()
    const sent = await world.merchant.post(shop.path(id, '/send'), 'null', { headers: json })
    const reminded = await world.merchant.post(shop.path(id, '/remind'), 'null', { headers: json })
    const cancelled = await world.merchant.post(shop.path(id, '/cancel'), ' null ', { headers: json })
    const dispute = await open(world.buyer)
    await does(world.merchant, dispute, 'make-offer', { note: 'n', offer_type: 'REFUND', offer_amount: usd('5.00') })
    const accepted = await does(world.buyer, dispute, 'accept-offer', 'null', json)

    expect([sent.status, reminded.status, cancelled.status]).toEqual([200, 204, 204])
    expect(accepted.status, accepted.text).toBe(200)
    expect((await world.merchant.post(INVOICES, 'null', { headers: json })).status).toBe(400)
  })
})

describe('Money', () => {
  it('is taken as a JSON number wherever it is taken', async () => {
    const opened = await world.buyer.post<{ links: { href: string }[] }>(DISPUTES, {
      disputed_transactions: [{ buyer_transaction_id: 'NUMBERPAYMENT1' }],
      reason: NOT_AS_DESCRIBED,
      dispute_amount: { currency_code: 'USD', value: 20 },
    })
    expect(opened.status, JSON.stringify(opened.body)).toBe(201)
    const id = opened.body.links[0]!.href.split('/').at(-1)!
    expect((await sees(world.merchant, id)).dispute_amount).toEqual(usd('20.00'))

    const offered = await does(world.merchant, id, 'make-offer', {
      note: 'Half of it.',
      offer_type: 'REFUND',
      offer_amount: { currency_code: 'USD', value: 10.5 },
    })
    expect(offered.status, offered.text).toBe(200)
    expect((await sees(world.merchant, id)).offer?.seller_offered_amount).toEqual(usd('10.50'))

    const made = await world.call<{ seller_transaction_id: string }>('POST', '/sandbox/transactions', {
      amount: { currency_code: 'USD', value: 30 },
    })
    expect(made.status, made.text).toBe(201)
    const refunded = await world.merchant.post<{ id: string }>(
      `/v2/payments/captures/${made.body.seller_transaction_id}/refund`,
      { amount: { currency_code: 'USD', value: 12.34 } },
    )
    expect(refunded.status, refunded.text).toBe(201)
    const refund = await world.merchant.get<{ amount: object }>(`/v2/payments/refunds/${refunded.body.id}`)
    expect(refund.body.amount).toEqual(usd('12.34'))

    const invoice = await shop.drafts(
      over('1.00', { items: [{ name: 'Work', quantity: 2, unit_amount: { currency_code: 'USD', value: 49.5 } }] }),
    )
    expect(invoice.amount).toMatchObject(usd('99.00'))
    await world.merchant.post(shop.path(invoice.id, '/send'))
    const paid = await world.merchant.post(shop.path(invoice.id, '/payments'), {
      method: 'CASH',
      amount: { currency_code: 'USD', value: 9 },
    })
    expect(paid.status, paid.text).toBe(200)
    const hosted = await world.call('POST', `/sandbox/invoices/${invoice.id}/pay`, {
      amount: { currency_code: 'USD', value: 90 },
    })
    expect(hosted.status, hosted.text).toBeLessThan(300)
    const found = await world.merchant.post<{ items: Seen[] }>('/v2/invoicing/search-invoices', {
      total_amount_range: {
        lower_amount: { currency_code: 'USD', value: 98.99 },
        upper_amount: { currency_code: 'USD', value: 99 },
      },
    })
    expect(found.body.items.map((one) => one.id)).toEqual([invoice.id])
  })

  it('that no decimal text stands for is refused', async () => {
    const id = await open(world.buyer)
    for (const value of ['1e21', '1e-7', '-5', '0.001', 'true', '{}', '[]']) {
      const answer = await does(
        world.merchant,
        id,
        'make-offer',
        `{"note":"n","offer_type":"REFUND","offer_amount":{"currency_code":"USD","value":${value}}}`,
        json,
      )
      expect(answer.status, `${value} ${answer.text}`).toBe(400)
    }
  })
})

describe('A number of more digits than it can keep', () => {
  it('is refused instead of becoming another number', async () => {
    const withReference = (reference: string) =>
      world.merchant.post<Refusal>(INVOICES, `{"detail":{"currency_code":"USD","reference":${reference}}}`, {
        headers: json,
      })

    expect((await withReference('123456789012345')).status).toBe(201)
    expect(await withReference('12345678901234567890')).toMatchObject({
      status: 400,
      body: { details: [{ field: '/detail/reference' }] },
    })
  })
})

describe('Queries', () => {
  it('take booleans in any case', async () => {
    const { id } = await shop.sends()
    for (const yes of ['true', 'True', 'TRUE']) {
      const listed = await world.merchant.get<{ total_items?: number }>(INVOICES, { query: { total_required: yes } })
      expect([listed.status, typeof listed.body.total_items]).toEqual([200, 'number'])
    }
    for (const no of ['False', 'FALSE']) {
      const listed = await world.merchant.get<{ total_items?: number }>(INVOICES, { query: { total_required: no } })
      expect([listed.status, listed.body.total_items]).toEqual([200, undefined])
      const updated = await world.merchant.put(
        `${shop.path(id)}?send_to_recipient=${no}&send_to_invoicer=${no}`,
        over('90.00'),
      )
      expect(updated.status, updated.text).toBe(200)
    }
    expect((await world.merchant.get(INVOICES, { query: { total_required: 'yes' } })).status).toBe(400)
  })

  it('take a list as repeated keys, as with commas', async () => {
    const id = await claim()
    await claim()
    const query = (text: string) =>
      world.merchant.get<{ items: { dispute_id: string; dispute_state: string }[] }>(`${DISPUTES}?${text}`)

    const commas = await query('dispute_state=REQUIRED_ACTION,RESOLVED&page_size=50')
    const repeated = await query('dispute_state=REQUIRED_ACTION&dispute_state=RESOLVED&page_size=50')
    const brackets = await query('dispute_state[]=REQUIRED_ACTION&dispute_state[]=RESOLVED&page_size=50')
    const indexes = await query('dispute_state%5B0%5D=REQUIRED_ACTION&dispute_state%5B1%5D=RESOLVED&page_size=50')
    const other = await query('dispute_state[]=RESOLVED')

    for (const { status, text, body } of [repeated, brackets, indexes]) {
      expect(status, text).toBe(200)
      expect(body.items).toEqual(commas.body.items)
    }
    expect(other.body.items.every(({ dispute_state }) => dispute_state === 'RESOLVED')).toBe(true)
    expect(repeated.body.items.some(({ dispute_id }) => dispute_id === id)).toBe(true)
    const fields = await world.merchant.get<{ items: Seen[] }>(`${INVOICES}?fields=items&fields=payments&fields=amount`)
    expect(fields.status, fields.text).toBe(200)
    expect(fields.body.items[0]).toHaveProperty('items')
  })

  it('do not take two values where one is meant', async () => {
    expect((await world.merchant.get(`${DISPUTES}?page_size=1&page_size=2`)).status).toBe(400)
    expect((await world.merchant.get(`${INVOICES}?page=1&page=2`)).status).toBe(400)
  })
})

describe('An Accept header', () => {
  it.each([
    'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2',
    '*',
    '*;q=0.5',
    'application/json;q=1.0000',
    'text/html, */*;q=.01',
  ])('is understood: %s', async (accept) => {
    expect((await world.merchant.get(INVOICES, { headers: { accept } })).status).toBe(200)
  })

  it('that takes nothing we have is still refused', async () => {
    for (const accept of ['text/html', 'application/json;q=0', '*;q=.0'])
      expect((await world.merchant.get(INVOICES, { headers: { accept } })).status).toBe(406)
  })
})

describe('Addresses and methods', () => {
  it('may have doubled slashes, and mean the same operation then', async () => {
    const { id } = await shop.drafts()
    const twice = { headers: { 'service-request-id': 'the same request, written twice' } }

    expect((await world.merchant.get<Seen>(`//v2//invoicing/invoices/${id}`)).body.id).toBe(id)
    const first = await world.merchant.post(INVOICES, over('5.00'), twice)
    const second = await world.merchant.post(`/${INVOICES}`, over('5.00'), twice)
    expect([first.status, second.headers['idempotent-replayed'], second.text]).toEqual([201, 'true', first.text])
    expect((await world.merchant.get(`${INVOICES}?fields=//`)).status).toBe(200)
    // Outside the API an address has one spelling, so that a proxy can keep it from the public.
    for (const path of ['//metrics', '//sandbox/clock']) expect((await world.call('GET', path)).status).toBe(404)
  })

  it('may name the method of a POST in a header', async () => {
    const dispute = await claim()
    const { id } = await shop.drafts()
    const as = (method: string) => ({ headers: { 'x-http-method-override': method, ...json } })
    const entries = JSON.stringify([{ op: 'add', path: '/communication_details', value: { note: 'Call us.' } }])

    expect((await world.merchant.post(`${DISPUTES}/${dispute}`, entries, as('PATCH'))).status).toBe(204)
    expect((await sees(world.merchant, dispute)).communication_details).toMatchObject({ note: 'Call us.' })
    expect((await world.merchant.post(shop.path(id), JSON.stringify(over('7.00')), as('put'))).status).toBe(200)
    expect((await shop.sees(id)).amount).toMatchObject(usd('7.00'))
    expect(
      (await world.merchant.post(shop.path(id), undefined, { headers: { 'x-http-method-override': 'DELETE' } })).status,
    ).toBe(204)
  })

  it('are not led astray by it', async () => {
    const { id } = await shop.drafts()
    const override = (method: string) => ({ headers: { 'x-http-method-override': method } })

    expect((await world.merchant.get(shop.path(id), override('DELETE'))).status).toBe(200)
    expect((await world.merchant.post(INVOICES, over('1.00'), override('POST'))).status).toBe(201)
    for (const method of ['GET', 'HEAD', 'TRACE', 'nonsense', 'PATCH, DELETE'])
      expect((await world.merchant.post(INVOICES, over('1.00'), override(method))).status).toBe(400)
    expect((await world.merchant.post(`${shop.path(id)}/send`, {}, override('DELETE'))).status).toBe(405)
  })
})

describe('Bodies', () => {
  it('of a change may say that they are a JSON patch, or be a single entry', async () => {
    const id = await claim()
    const entry = (note: string) => ({ op: 'add', path: '/communication_details', value: { note } })
    const patch = { headers: { 'content-type': 'application/json-patch+json' } }

    expect((await world.merchant.patch(`${DISPUTES}/${id}`, JSON.stringify([entry('One.')]), patch)).status).toBe(204)
    expect((await sees(world.merchant, id)).communication_details).toMatchObject({ note: 'One.' })
    expect((await world.merchant.patch(`${DISPUTES}/${id}`, entry('Two.'))).status).toBe(204)
    expect((await sees(world.merchant, id)).communication_details).toMatchObject({ note: 'Two.' })
    expect((await world.merchant.post(INVOICES, JSON.stringify(over('1.00')), patch)).status).toBe(415)
  })

  it('may have [] where an empty object is meant', async () => {
    const { id } = await shop.drafts(over('3.00', { configuration: [], invoicer: [] }))
    expect((await world.merchant.post(shop.path(id, '/send'), [])).status).toBe(200)
    expect((await world.merchant.post(shop.path(id, '/cancel'), [])).status).toBe(204)
    const dispute = await claim()
    const provided = await does(world.merchant, dispute, 'provide-evidence', {
      evidences: [{ evidence_type: 'OTHER', notes: 'Right.', evidence_info: [] }],
    })
    expect(provided.status, provided.text).toBe(200)
    const other = await open(world.buyer, { reason: NOT_AS_DESCRIBED })
    expect(refusal(await does(world.merchant, other, 'provide-evidence', []))).not.toMatch(/SYNTAX/)
  })

  it('may have an empty list where none is needed', async () => {
    const id = await open(world.buyer, { reason: NOT_AS_DESCRIBED })
    const offered = await does(world.merchant, id, 'make-offer', {
      note: 'Send it back.',
      offer_type: 'REFUND_WITH_RETURN',
      offer_amount: usd('20.00'),
      return_shipping_address: address,
    })
    expect(offered.status, offered.text).toBe(200)
    expect((await does(world.buyer, id, 'accept-offer', {})).status).toBe(202)
    const shipped = await does(world.buyer, id, 'provide-evidence', {
      evidences: [
        {
          evidence_type: 'PROOF_OF_RETURN',
          evidence_info: { tracking_info: [{ carrier_name: 'FEDEX', tracking_number: '1' }], refund_ids: [] },
          documents: [],
        },
      ],
    })
    expect(shipped.status, shipped.text).toBe(200)

    const acknowledged = await does(world.merchant, id, 'acknowledge-return-item', {
      acknowledgement_type: 'ITEM_RECEIVED',
      evidences: [],
    })

    expect(acknowledged.status, acknowledged.text).toBe(200)
  })

  it('of one thing are not those of another: [] is no list of entries, and {} no invoice', async () => {
    expect((await world.merchant.post<Refusal>(INVOICES, [])).status).toBe(400)
    expect((await world.merchant.post<Refusal>(INVOICES, {})).status).toBe(400)
    expect((await world.merchant.post<Refusal>(INVOICES, [{}])).status).toBe(400)
  })
})
