import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type Response, usd, type World } from '../../support/world.ts'
import {
  canDo,
  DISPUTES,
  does,
  NOT_AS_DESCRIBED,
  NOT_RECEIVED,
  open,
  type Problem,
  position,
  refusal,
  sees,
  tracking,
} from './people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const paid = async (amount = usd('50.00'), more: object = {}) => {
  const made = await world.merchant.post<{ buyer_transaction_id: string; seller_transaction_id: string }>(
    '/sandbox/transactions',
    { amount, ...more },
  )
  return made.body
}

describe('Opening a dispute', () => {
  const body = (id?: string, more: object = {}) => ({
    disputed_transactions: [{ ...(id && { buyer_transaction_id: id }) }],
    reason: NOT_RECEIVED,
    ...more,
  })

  it('is refused with an issue of its own for everything that is missing or wrong', async () => {
    const { buyer, otherMerchant } = world
    const { buyer_transaction_id: id } = await paid()
    const refusals: [object, string][] = [
      [body(), '400 VALIDATION_ERROR MANDATORY_PARAMETER_MISSING'],
      [{ disputed_transactions: [{ buyer_transaction_id: id }] }, '400 VALIDATION_ERROR MISSING_REASON_CODE'],
      [body(id, { dispute_amount: usd('50.01') }), '400 VALIDATION_ERROR INVALID_DISPUTE_AMOUNT'],
      [
        body(id, { dispute_amount: { currency_code: 'EUR', value: '5.00' } }),
        '400 VALIDATION_ERROR INVALID_DISPUTE_AMOUNT',
      ],
      [body(id, { reason: 'BAD_MOOD' }), '400 INVALID_REQUEST INVALID_PARAMETER_VALUE'],
    ]
    for (const [request, answer] of refusals) expect(refusal(await buyer.post<Problem>(DISPUTES, request))).toBe(answer)
    expect(refusal(await otherMerchant.post<Problem>(DISPUTES, body(id)))).toBe(
      '400 VALIDATION_ERROR INVALID_TRANSACTION_ID',
    )
  })

  it('says what is wrong with an amount: its currency, its decimals, that it is nothing, or that it is too much', async () => {
    const amount = (value: string, currency_code = 'JPY') => ({ currency_code, value })
    const { body: made } = await world.merchant.post<{ buyer_transaction_id: string }>('/sandbox/transactions', {
      amount: amount('800'),
    })
    const said = async (dispute_amount: object) => {
      const answer = await world.buyer.post<Problem>(DISPUTES, body(made.buyer_transaction_id, { dispute_amount }))
      return `${refusal(answer)}: ${answer.body.details[0]!.description}`
    }

    const refused = '400 VALIDATION_ERROR INVALID_DISPUTE_AMOUNT'
    expect(await said(amount('700.5'))).toBe(`${refused}: JPY has 0 decimal places.`)
    expect(await said(amount('7', 'EUR'))).toBe(`${refused}: The dispute is in JPY.`)
    expect(await said(amount('0'))).toBe(`${refused}: The amount must be more than zero.`)
    expect(await said(amount('801'))).toBe(`${refused}: At most 800 JPY is left.`)
  })

  it('answers 202 with a request to ask about when the client prefers that', async () => {
    const { buyer } = world
    const { buyer_transaction_id: id } = await paid()
    const options = { headers: { prefer: 'respond-async' } }
    const { status, body: answer } = await buyer.post<{ links: { href: string }[] }>(DISPUTES, body(id), options)
    expect(status).toBe(202)

    const request = await buyer.get<{ status: string; links: { rel: string }[] }>(
      new URL(answer.links[0]!.href).pathname,
    )

    expect(request.body).toMatchObject({ status: 'COMPLETED', links: [{ rel: 'self' }, { rel: 'related' }] })
    expect((await world.merchant.get(new URL(answer.links[0]!.href).pathname)).status).toBe(404)
  })

  it('can be done by a merchant in the sandbox, with the default buyer', async () => {
    const id = await open(world.merchant, { amount: usd('12.00') })

    expect((await sees(world.buyer, id)).dispute_amount).toEqual(usd('12.00'))
  })

  it('takes several payments that nobody authorised, and lets go of some of them', async () => {
    const { buyer, merchant } = world
    const [first, second] = [await paid(usd('10.00')), await paid(usd('15.00'))]
    const made = await buyer.post<{ links: { href: string }[] }>(DISPUTES, {
      disputed_transactions: [first, second].map(({ buyer_transaction_id }) => ({ buyer_transaction_id })),
      reason: 'UNAUTHORISED',
    })
    const id = made.body.links[0]!.href.split('/').at(-1)!
    expect((await sees(merchant, id)).dispute_amount).toEqual(usd('25.00'))

    expect((await does(buyer, id, 'cancel', { transaction_ids: [first.buyer_transaction_id] })).status).toBe(200)

    expect(await sees(merchant, id)).toMatchObject({
      dispute_amount: usd('15.00'),
      status: 'WAITING_FOR_SELLER_RESPONSE',
    })
    expect((await does(merchant, id, 'accept-claim', { note: 'Right.' })).status).toBe(200)
    expect((await sees(merchant, id)).dispute_outcome?.amount_refunded).toEqual(usd('15.00'))
  })
})

describe('Cancelling and changing the reason', () => {
  it('lets the buyer take a dispute back, with a note where the reason asks for one', async () => {
    const id = await open(world.buyer)
    const bare = await does(world.buyer, id, 'cancel', { cancellation_reason: 'OTHER' })
    expect(refusal(bare)).toBe('400 INVALID_REQUEST MISSING_REQUIRED_PARAMETER')

    expect((await does(world.buyer, id, 'cancel', { cancellation_reason: 'ITEM_RECEIVED' })).status).toBe(200)

    expect((await sees(world.merchant, id)).dispute_outcome).toEqual({
      outcome_code: 'CANCELED_BY_BUYER',
      outcome_reason: 'BUYER_CANCELLED_CASE',
    })
  })

  it('turns not received into not as described, as a claim, also at its old address', async () => {
    for (const name of ['change-reason', 'changeReason']) {
      const id = await open(world.buyer)
      const body = {
        reason: NOT_AS_DESCRIBED,
        note: 'It came, broken.',
        item_info: [{ item_id: 'I1', item_type: 'PRODUCT' }],
      }

      expect((await does(world.buyer, id, name, body)).status).toBe(200)

      const claim = await sees(world.merchant, id)
      expect(position(claim)).toBe('CHARGEBACK/WAITING_FOR_SELLER_RESPONSE REQUIRED_ACTION')
      expect(claim.reason).toBe(NOT_AS_DESCRIBED)
      expect(claim.evidences?.map(({ evidence_type }) => evidence_type)).toEqual([
        'CHANGE_REASON',
        'OTHER',
        'PROOF_OF_REFUND',
      ])
      const again = await does(world.buyer, id, name, { reason: 'UNAUTHORISED' })
      expect(again.status).toBe(422)
    }
    const id = await open(world.buyer)
    const wrong = await does(world.buyer, id, 'change-reason', { reason: 'OTHER' })
    expect(refusal(wrong)).toBe('400 VALIDATION_ERROR DISPUTE_REASON_NOT_ELIGIBLE')
    expect(refusal(await does(world.buyer, id, 'change-reason', {}))).toBe('400 VALIDATION_ERROR MISSING_REASON_CODE')
  })

  it('gives the seller of a claim ten days for the new reason, and tells them by mail', async () => {
    const own = await newWorld()
    const id = await open(own.buyer)
    await does(own.buyer, id, 'escalate', {})
    expect((await sees(own.merchant, id)).seller_response_due_date).toBe('2026-03-13T06:59:59.000Z')
    await own.pass('P9D')

    expect((await does(own.buyer, id, 'change-reason', { reason: 'UNAUTHORISED' })).status).toBe(200)

    expect((await sees(own.merchant, id)).seller_response_due_date).toBe('2026-03-22T06:59:59.000Z')
    await own.pass('P2D')
    expect((await sees(own.merchant, id)).status).toBe('WAITING_FOR_SELLER_RESPONSE')
    const query = { to: own.people.merchant.email }
    const { body } = await own.call<{ mails: { text: string }[] }>('GET', '/sandbox/mail', undefined, { query })
    expect(body.mails[0]!.text).toContain('Answer by March 21, 2026')
    await own.close()
  })
})

describe('Asking about disputes', () => {
  interface Eligibility {
    eligible_dispute_reasons: { dispute_reason: string; allowable_life_cycle: { stage: string } }[]
    ineligible_dispute_reasons: { ineligibility_reason: string }[]
  }
  const ask = (body: object) => world.buyer.post<Eligibility>(`${DISPUTES}/validate-eligibility`, body)

  it('says which reasons a payment can be disputed for', async () => {
    const { buyer_transaction_id: id } = await paid()
    const before = await ask({ encrypted_transaction_id: id })
    expect(before.body.eligible_dispute_reasons).toHaveLength(10)
    expect(before.body.eligible_dispute_reasons[0]).toEqual({
      dispute_reason: NOT_RECEIVED,
      allowable_life_cycle: { stage: 'INQUIRY' },
    })
    const dispute_id = await open(world.buyer, { transaction: id, amount: usd('1.00') })

    const { body } = await ask({ dispute_id })

    expect(body.eligible_dispute_reasons.map(({ dispute_reason }) => dispute_reason)).toEqual([
      NOT_AS_DESCRIBED,
      'UNAUTHORISED',
    ])
    expect(new Set(body.ineligible_dispute_reasons.map((one) => one.ineligibility_reason))).toEqual(
      new Set(['DISPUTE_ALREADY_EXISTS']),
    )
    expect((await ask({})).status).toBe(400)
  })

  it('names no reason that a dispute cannot turn into where it stands', async () => {
    const dispute_id = await open(world.buyer)
    await does(world.merchant, dispute_id, 'provide-evidence', {
      evidences: [{ evidence_type: 'OTHER', notes: 'Sent.' }],
    })

    const { body } = await ask({ dispute_id })

    expect(body.eligible_dispute_reasons).toEqual([])
    expect(body.ineligible_dispute_reasons).toHaveLength(10)
    expect((await does(world.buyer, dispute_id, 'change-reason', { reason: 'UNAUTHORISED' })).status).toBe(422)
  })

  it('counts and adds up', async () => {
    const quiet = await newWorld()
    for (const amount of ['10.00', '20.00']) await open(quiet.buyer, { amount: usd(amount) })
    await open(quiet.buyer, { reason: 'INCORRECT_AMOUNT', amount: { currency_code: 'EUR', value: '7.00' } })
    const compute = (dimension: string, measure: string, filter?: object) =>
      quiet.merchant.post<{ metrics: object[] }>(`${DISPUTES}/compute-metrics`, {
        dimension,
        measure,
        ...(filter && { filter }),
      })

    expect((await compute('REASON', 'COUNT')).body.metrics).toEqual([
      { key: 'INCORRECT_AMOUNT', count: 1 },
      { key: NOT_RECEIVED, count: 2 },
    ])
    expect((await compute('DISPUTE_STATE', 'DISPUTE_AMOUNT_SUM')).body.metrics).toEqual([
      { key: 'REQUIRED_ACTION', amount: [{ currency_code: 'EUR', value: '7.00' }, usd('30.00')] },
    ])
    expect((await compute('STATUS', 'TRANSACTION_AMOUNT_SUM', { reasons: [NOT_RECEIVED] })).body.metrics).toEqual([
      { key: 'WAITING_FOR_SELLER_RESPONSE', amount: [usd('30.00')] },
    ])
    // A list that names nothing leaves nothing out.
    expect((await compute('STATUS', 'COUNT', { reasons: [], statuses: [] })).body.metrics).toEqual([
      { key: 'WAITING_FOR_SELLER_RESPONSE', count: 3 },
    ])
    await quiet.close()
  })

  it('suggests what begins so, and never the address of a customer to a merchant', async () => {
    const { buyer_transaction_id: transaction } = await paid(usd('5.00'), { invoice_number: 'INVOICE-77' })
    const id = await open(world.buyer, { transaction, amount: usd('5.00') })
    const suggest = async (query: string) =>
      (await world.merchant.get<{ suggestions: string[] }>(`${DISPUTES}/search-suggestions?${query}`)).body.suggestions

    expect(await suggest('search_text=INVOICE-7')).toEqual(['INVOICE-77'])
    expect(await suggest(`search_text=${id}&search_field=DISPUTE_ID`)).toEqual([id])
    expect(await suggest('search_text=sandbox%20b&search_field=NAME')).toEqual(['Sandbox Buyer'])
    expect(await suggest('search_text=buyer@&search_field=EMAIL')).toEqual([])
    expect(await suggest('search_text=buyer@')).toEqual([])
  })

  it('suggests each text once, the first ten of them, to both sides', async () => {
    const own = await newWorld()
    const pay = async (invoice_number: string) => {
      const paid = await own.call<{ buyer_transaction_id: string; seller_transaction_id: string }>(
        'POST',
        '/sandbox/transactions',
        { amount: usd('5.00'), invoice_number },
      )
      const id = await open(own.buyer, { transaction: paid.body.buyer_transaction_id, amount: usd('5.00') })
      return { ...paid.body, id }
    }
    const numbers = [
      'B-1',
      'B-1',
      'B-1',
      ...Array.from({ length: 11 }, (_, i) => `C-${String(i).padStart(2, '0')}`),
      'D',
    ]
    const paid: Awaited<ReturnType<typeof pay>>[] = []
    for (const number of numbers) paid.push(await pay(number))
    const suggest = async (who: World['buyer'], query: string) =>
      (await who.get<{ suggestions: string[] }>(`${DISPUTES}/search-suggestions?${query}`)).body.suggestions
    const firstTen = (texts: readonly string[]) => texts.toSorted().slice(0, 10)

    for (const who of [own.merchant, own.buyer]) {
      expect(await suggest(who, 'search_text=B-&search_field=INVOICE_NUMBER')).toEqual(['B-1'])
      expect(await suggest(who, 'search_text=C-&search_field=INVOICE_NUMBER')).toEqual(numbers.slice(3, 13))
      expect(await suggest(who, 'search_text=c-&search_field=INVOICE_NUMBER')).toEqual([])
      expect(await suggest(who, 'search_text=SANDBOX&search_field=NAME')).toEqual(['Sandbox Buyer'])
      const ids = paid.map(({ id }) => id)
      expect(await suggest(who, 'search_text=pp-r&search_field=DISPUTE_ID')).toEqual(firstTen(ids))
      expect(await suggest(who, `search_text=${ids[7]}`)).toEqual([ids[7]])
    }
    const sellers = paid.map((one) => one.seller_transaction_id)
    const buyers = paid.map((one) => one.buyer_transaction_id)
    const alike = (texts: readonly string[]) => texts.filter((text) => text.startsWith(texts[0]!.slice(0, 2)))
    const of = (texts: readonly string[]) => `search_text=${texts[0]!.slice(0, 2)}&search_field=DISPUTED_TRANSACTION_ID`
    expect(await suggest(own.merchant, of(sellers))).toEqual(firstTen(alike(sellers)))
    expect(await suggest(own.otherMerchant, 'search_text=B-')).toEqual([])
    expect((await suggest(own.buyer, of(buyers))).length).toBeGreaterThan(0)
    const sellsToo = await own.personWithApp(own.people.buyer.id, ['disputes/read-buyer', 'disputes/read-seller'])
    expect(await suggest(sellsToo, of(buyers))).toEqual(await suggest(own.buyer, of(buyers)))
    await own.close()
  })
})

describe('A partner', () => {
  it('adds what it did and brings it up to date, for a merchant that consented', async () => {
    const { partner, merchant, buyer } = world
    const id = await open(buyer)
    const action = { id: 'PA-1', name: 'PROVIDE_PROVISIONAL_CREDIT', status: 'PENDING', amount: usd('20.00') }
    const added = await partner.patch(`${DISPUTES}/${id}`, [{ op: 'add', path: '/partner_actions/-', value: action }])
    expect(added.status, added.text).toBe(204)

    const change = [{ op: 'replace', path: '/status', value: 'COMPLETED' }]
    expect((await partner.patch(`${DISPUTES}/${id}/partner-actions/PA-1`, change)).status).toBe(204)

    const shown = await partner.get(`${DISPUTES}/${id}/partner-actions/PA-1`)
    expect(shown.body).toMatchObject({ id: 'PA-1', status: 'COMPLETED', amount: usd('20.00') })
    expect((await sees(partner, id)).partner_actions).toHaveLength(1)
    expect((await sees(merchant, id)).partner_actions).toBeUndefined()
    expect(await canDo(partner, id)).toEqual(['provide_evidence', 'provide-evidence'])
    for (const amount of [usd('20.001'), { currency_code: 'ZZZ', value: '1.00' }]) {
      const value = { ...action, id: 'PA-2', amount }
      const wrong = await partner.patch(`${DISPUTES}/${id}`, [{ op: 'add', path: '/partner_actions/-', value }])
      expect(wrong.status, wrong.text).toBe(400)
    }
    for (const time of ['create_time', 'update_time', 'due_time']) {
      const value = { ...action, id: 'PA-2', [time]: 'soon' }
      const wrong = await partner.patch<Problem>(`${DISPUTES}/${id}`, [
        { op: 'add', path: '/partner_actions/-', value },
      ])
      expect([wrong.status, wrong.body.details[0]!.field]).toEqual([400, `/0/value/${time}`])
    }
    const short = { ...action, id: 'PA-3', amount: usd('7'), due_time: '2026-04-01T09:00:00+02:00' }
    await partner.patch(`${DISPUTES}/${id}`, [{ op: 'add', path: '/partner_actions/-', value: short }])
    expect((await partner.get(`${DISPUTES}/${id}/partner-actions/PA-3`)).body).toMatchObject({
      amount: usd('7.00'),
      due_time: '2026-04-01T07:00:00.000Z',
    })
    const forged = [{ op: 'replace', path: '/name', value: 'WRITE_OFF' }]
    expect(refusal(await partner.patch<Problem>(`${DISPUTES}/${id}/partner-actions/PA-1`, forged))).toContain('422')
    expect((await partner.get(`${DISPUTES}/${id}/partner-actions/PA-2`)).status).toBe(404)
    const listed = await partner.get<{ items: object[] }>(DISPUTES)
    expect(listed.body.items.length).toBeGreaterThan(0)
  })
})

describe('A referred dispute', () => {
  const base = '/v1/customer/referred-disputes'

  it('is kept, told of refunds, closed by a decision, and then takes nothing more', async () => {
    const { partner } = world
    const made = await partner.post<{ links: { href: string }[] }>(base, {
      transaction: { id: 'T-1', gross_amount: usd('30.00') },
      reference_dispute: { id: 'THEIRS-1' },
      dispute_flow: 'THIRD_PARTY_CLAIM',
      reason: NOT_RECEIVED,
    })
    expect(made.status).toBe(201)
    const url = new URL(made.body.links[0]!.href).pathname
    const refund = {
      recipient: 'BUYER',
      amount: usd('30.00'),
      create_time: world.now(),
      payout_type: 'REVERSAL',
      seller_protection_eligible: false,
      transaction_source: 'PAYPAL',
    }
    expect((await partner.post(`${url}/process-refund-event`, refund)).status).toBe(200)
    const told = await partner.get<{ status: string; refund_info: object }>(url)
    expect(told.body).toMatchObject({ status: 'OPEN', refund_info: { transaction_source: 'SERVICE' } })

    const decision = { outcome: { faulty_party: 'SELLER', adjudication_reason: 'ITEM_NOT_SHIPPED' } }
    expect((await partner.post(`${url}/process-adjudication-event`, decision)).status).toBe(200)

    expect((await partner.get(url)).body).toMatchObject({ status: 'CLOSED', outcome: { faulty_party: 'SELLER' } })
    expect((await partner.post(`${url}/process-refund-event`, refund)).status).toBe(422)
    const range = 'create_time_after=2026-01-01T00:00:00Z&create_time_before=2026-12-31T00:00:00Z'
    const listed = await partner.get<{ items: object[]; total_items: number }>(`${base}?${range}&status=CLOSED`)
    expect(listed.body).toMatchObject({ total_items: 1, items: [{ status: 'CLOSED', dispute_amount: usd('30.00') }] })
    expect((await partner.get(base)).status).toBe(400)
    expect((await world.merchant.get(url)).status).toBe(403)
  })

  it('is listed page by page, forwards and back', async () => {
    const partner = await world.personWithApp(world.people.otherMerchant.id, ['referred-disputes/readwrite'])
    for (let i = 1; i <= 7; i++)
      await partner.post(base, { transaction: { id: `P-${i}` }, reference_dispute: { id: `PAGED-${i}` } })
    interface Page {
      items: { dispute_id: string }[]
      links: { rel: string; href: string }[]
    }
    const range = 'create_time_after=2026-01-01T00:00:00Z&create_time_before=2026-12-31T00:00:00Z'
    const read = async (address: string) => (await partner.get<Page>(address)).body
    const follow = async (rel: string, from: Page) => {
      const href = from.links.find((link) => link.rel === rel)?.href
      return href === undefined ? undefined : read(href.slice(new URL(href).origin.length))
    }
    const walk = async (rel: string, first: Page) => {
      const pages = [first]
      for (let page = await follow(rel, first); page; page = await follow(rel, page)) pages.push(page)
      return pages
    }
    const idsOf = (pages: readonly Page[]) => pages.map(({ items }) => items.map(({ dispute_id }) => dispute_id))
    const there = await walk('next', await read(`${base}?${range}&page_size=2`))
    const back = await walk('prev', there.at(-1)!)

    expect(idsOf(there).map((ids) => ids.length)).toEqual([2, 2, 2, 1])
    expect(idsOf(back)).toEqual(idsOf(there).toReversed())
    expect(idsOf(await walk('next', back[1]!))).toEqual(idsOf(there.slice(2)))
    const strange = Buffer.from('2 2026-05-01T00:00:00.000Z X aside').toString('base64')
    expect((await partner.get(`${base}?${range}&page_token=${strange}`)).status).toBe(400)
  })

  it('is what was told when it was told: no decision of a client before there is one, and exact amounts', async () => {
    const { partner } = world
    const usual = { transaction: { id: 'T-2' }, reference_dispute: { id: 'THEIRS-2' } }
    const made = await partner.post<{ links: { href: string }[] }>(base, {
      ...usual,
      transaction: { id: 'T-2', gross_amount: usd('30'), items: [{ id: 'I1', amount: usd('.5') }], colour: 'red' },
      outcome: { faulty_party: 'BUYER' },
      refund_info: { recipient: 'BUYER' },
      dispute_amount: usd('7'),
      colour: 'red',
    })
    const url = new URL(made.body.links[0]!.href).pathname
    const shown = async () => (await partner.get<Record<string, unknown>>(url)).body
    const transaction = { id: 'T-2', gross_amount: usd('30.00'), items: [{ id: 'I1', amount: usd('0.50') }] }
    const opened = await shown()
    expect(opened).toMatchObject({ status: 'OPEN', transaction })
    expect(opened['transaction']).not.toHaveProperty('colour')
    for (const later of ['outcome', 'refund_info', 'dispute_amount', 'colour']) expect(opened).not.toHaveProperty(later)

    const outcome = { faulty_party: 'SELLER', adjudication_reason: 'ITEM_NOT_SHIPPED' }
    const decides = (body: object) => partner.post<Problem>(`${url}/process-adjudication-event`, { outcome, ...body })
    const strange = { currency_code: 'QQQ', value: '1.00' }
    expect(refusal(await decides({ dispute_amount: strange }))).toBe('400 INVALID_REQUEST INVALID_PARAMETER_VALUE')
    expect(refusal(await decides({ items: [{ amount: usd('1.001') }] }))).toBe(
      '400 INVALID_REQUEST INVALID_PARAMETER_SYNTAX',
    )
    expect((await decides({ dispute_amount: usd('7'), colour: 'red' })).status).toBe(200)
    expect(await shown()).toMatchObject({ status: 'CLOSED', dispute_amount: usd('7.00') })
    expect(refusal(await decides({}))).toBe('422 UNPROCESSABLE_ENTITY ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE')
  })

  it('has times that are times, and no list that is empty', async () => {
    const { partner } = world
    const never = 'at no time whatsoever'
    const refers = (body: object) =>
      partner.post<Problem & { links: { href: string }[] }>(base, {
        transaction: { id: 'T-3' },
        reference_dispute: { id: 'THEIRS-3' },
        ...body,
      })
    const breach = '400 INVALID_REQUEST INVALID_PARAMETER_SYNTAX'
    expect(refusal(await refers({ transaction: { id: 'T-3', create_time: never } }))).toBe(breach)
    expect(refusal(await refers({ reference_dispute: { id: 'THEIRS-3', create_time: never } }))).toBe(breach)
    const messages = [{ posted_by: 'BUYER', content: 'Hello.', posted_time: never }]
    expect(refusal(await refers({ messages }))).toBe(breach)

    const url = new URL((await refers({})).body.links[0]!.href).pathname
    const outcome = { faulty_party: 'SELLER', adjudication_reason: 'ITEM_NOT_SHIPPED' }
    const decides = (body: object) => partner.post<Problem>(`${url}/process-adjudication-event`, body)
    expect(refusal(await decides({ outcome: { ...outcome, resolution_date: never } }))).toBe(breach)
    expect((await decides({ outcome })).status).toBe(200)
    const shown = (await partner.get(url)).body
    for (const name of ['evidences', 'messages']) expect(shown).not.toHaveProperty(name)
  })

  it('is checked for eligibility first', async () => {
    const ask = (transaction_id: string) =>
      world.partner.post<{ eligible: boolean; ineligibility_reason?: string }>(
        '/v1/customer/validate-referred-dispute-eligibility',
        { transaction_id },
      )
    const { buyer_transaction_id: id } = await paid()
    expect((await ask(id)).body).toMatchObject({ eligible: true, allowable_life_cycle: 'INQUIRY' })
    await open(world.buyer, { transaction: id, amount: usd('5.00') })

    expect((await ask(id)).body).toMatchObject({ eligible: false, ineligibility_reason: 'DISPUTE_ALREADY_EXISTS' })
  })

  it('is not told apart from an unknown payment when the payment is somebody else’s', async () => {
    const stranger = await world.personWithApp(world.people.otherMerchant.id, ['referred-disputes/readwrite'])
    const ask = async (transaction_id: string) =>
      (await stranger.post('/v1/customer/validate-referred-dispute-eligibility', { transaction_id })).body
    const foreign = await paid()
    await open(world.buyer, { transaction: foreign.buyer_transaction_id, amount: usd('5.00') })

    const unknown = await ask('UNKNOWN')
    for (const id of Object.values(foreign)) if (typeof id === 'string') expect(await ask(id)).toEqual(unknown)
    expect(unknown).toEqual({ eligible: false, ineligibility_reason: 'TRANSACTION_TYPE_NOT_DISPUTABLE' })
  })
})

describe('An event of another system', () => {
  it('is validated, kept and answered with 204', async () => {
    const event = {
      specversion: '1.0',
      id: 'E-1',
      type: 'dispute.opened',
      source: 'https://example.com',
      datacontenttype: 'application/json',
      data: { dispute_id: 'THEIRS-1', reason: NOT_RECEIVED },
    }
    const send = (body: object) => world.merchant.post<Problem>('/v1/customer/dispute-events', body)

    expect([(await send(event)).status, (await send(event)).status]).toEqual([204, 204])
    expect((await send({ ...event, specversion: '0.3' })).status).toBe(400)
  })
})

describe('Refund preference and return compensation', () => {
  it('takes one preference of the buyer in a claim', async () => {
    const id = await open(world.buyer, { reason: 'INCORRECT_AMOUNT' })
    const prefer = (body: object) => does(world.buyer, id, 'provide-refund-preference', body)
    const both = { funding_instrument_preference: { type: 'BALANCE' }, provisional_credit_preference: { accept: true } }
    expect(refusal(await prefer(both))).toBe('400 VALIDATION_ERROR REFUND_PREFERENCE_MUTUALLY_EXCLUSIVE')
    expect(refusal(await prefer({ funding_instrument_preference: { type: 'CRYPTO' } }))).toBe(
      '422 UNPROCESSABLE_ENTITY FUNDING_INSTRUMENT_PREFERENCE_NOT_ALLOWED',
    )
    expect((await prefer({ funding_instrument_preference: { type: 'BALANCE' } })).status).toBe(200)
    expect((await prefer({ provisional_credit_preference: { accept: true } })).status).toBe(200)
    expect(refusal(await prefer({ provisional_credit_preference: { accept: true } }))).toBe(
      '422 UNPROCESSABLE_ENTITY PROVISIONAL_CREDIT_PREFERENCE_NOT_ALLOWED',
    )
    const inquiry = await open(world.buyer)
    const early = await does(world.buyer, inquiry, 'provide-refund-preference', {
      funding_instrument_preference: { type: 'BALANCE' },
    })
    expect(early.status).toBe(422)
  })

  it('pays small return postage once, while the return is under way', async () => {
    const { buyer, merchant } = world
    const id = await open(buyer, { reason: NOT_AS_DESCRIBED })
    const url = `${DISPUTES}/${id}/return-compensation`
    expect((await does(buyer, id, 'return-compensation', { amount: usd('9.00') })).status).toBe(422)
    const address = { address_line_1: '1 Road', admin_area_2: 'Town', country_code: 'US' }
    const accept = { note: 'Send it.', accept_claim_type: 'REFUND_WITH_RETURN', return_shipping_address: address }
    expect((await does(merchant, id, 'accept-claim', accept)).status).toBe(200)
    const proof = { evidences: [{ evidence_type: 'PROOF_OF_RETURN', evidence_info: { tracking_info: [tracking] } }] }
    expect((await does(buyer, id, 'provide-evidence', proof)).status).toBe(200)

    expect((await does(buyer, id, 'return-compensation', { amount: usd('9.00'), note: 'Postage.' })).status).toBe(200)

    expect((await buyer.get(url)).body).toMatchObject({ status: 'PAID', amount: usd('9.00') })
    expect((await does(buyer, id, 'return-compensation', { amount: usd('9.00') })).status).toBe(422)
    expect((await does(merchant, id, 'acknowledge-return-item', {})).status).toBe(200)
    expect((await sees(buyer, id)).fund_movements).toMatchObject([{ amount: usd('9.00') }, { amount: usd('20.00') }])
  })
})

describe('A chargeback by a bank', () => {
  const charge = (id_enc: string, dispute: object = {}): Promise<Response<{ dispute_id: string }>> =>
    world.merchant.post('/v2/customer-support/process-chargeback', { transaction: { id_enc }, dispute })

  it('takes the place of a dispute between the parties and gives the buyer nothing to do', async () => {
    const { buyer, merchant } = world
    const { buyer_transaction_id: transaction, seller_transaction_id: sellers } = await paid()
    const first = await open(buyer, { transaction, amount: usd('50.00') })

    const dispute = { processor_info: { reason_code: '4853' }, response_date: '2026-03-09T00:00:00Z' }
    const made = await charge(sellers, dispute)

    expect(made.status).toBe(201)
    const bank = await sees(merchant, made.body.dispute_id)
    expect(bank).toMatchObject({
      dispute_channel: 'EXTERNAL',
      external_reason_code: '4853',
      seller_response_due_date: '2026-03-09T00:00:00.000Z',
      reason: NOT_AS_DESCRIBED,
    })
    expect(bank.allowed_response_options).toEqual({ accept_claim: { accept_claim_types: ['REFUND'] } })
    expect((await sees(merchant, first)).dispute_outcome).toEqual({ outcome_code: 'NONE' })
    expect(await canDo(buyer, made.body.dispute_id)).toEqual([])
    const evidence = { evidences: [{ evidence_type: 'OTHER', notes: 'Sold as seen.' }] }
    expect((await does(merchant, made.body.dispute_id, 'provide-evidence', evidence)).status).toBe(200)
    const lost = await does(merchant, made.body.dispute_id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })
    expect(lost.status).toBe(200)
    expect((await sees(merchant, made.body.dispute_id)).fund_movements?.at(-1)).toMatchObject({
      reason: 'CHARGEBACK_FEE',
      amount: usd('20.00'),
    })
  })

  it.each(['constructor', '__proto__'])('has a reason whatever code the bank gives: %s', async (reason_code) => {
    const { seller_transaction_id: sellers } = await paid()
    const made = await charge(sellers, { processor_info: { reason_code } })

    expect(made.status).toBe(201)
    const shown = await sees(world.merchant, made.body.dispute_id)
    expect(shown).toMatchObject({ reason: NOT_RECEIVED, external_reason_code: reason_code })
  })

  it('can be an alert, which the seller can only accept', async () => {
    const { seller_transaction_id: sellers } = await paid()
    // Words that keep other disputes with the agents.
    const { body } = await charge(sellers, { event_type: 'ALERT', processor_info: { notes: 'HOLD_IN_REVIEW' } })

    expect(await canDo(world.merchant, body.dispute_id)).toEqual(['accept_claim'])
    expect((await sees(world.merchant, body.dispute_id)).seller_response_due_date).toBe('2026-03-03T05:00:00.000Z')
  })

  it.each(['CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION'])(
    'can be an alert at the stage %s, which ends',
    async (stage) => {
      const { seller_transaction_id: sellers } = await paid()
      const { body } = await charge(sellers, { event_type: 'ALERT', stage })

      await world.pass('P1D')

      const { status, dispute_outcome } = await sees(world.merchant, body.dispute_id)
      expect([status, dispute_outcome]).toEqual(['RESOLVED', { outcome_code: 'NONE' }])
    },
  )
})
