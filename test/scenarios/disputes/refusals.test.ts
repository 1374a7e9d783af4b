import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, type Person, usd, type World } from '../../support/world.ts'
import {
  address,
  DISPUTES,
  does,
  multipart,
  NOT_AS_DESCRIBED,
  type OpenOptions,
  open,
  type Problem,
  png,
  refusal,
  sees,
  tracking,
} from './people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const breach = (issue: string) => `400 VALIDATION_ERROR ${issue}`
const refused = (issue: string) => `422 UNPROCESSABLE_ENTITY ${issue}`
const note = 'Our offer.'

/** A dispute whose item is on its way back. */
async function returning(): Promise<string> {
  const { buyer, merchant } = world
  const id = await open(buyer, { reason: NOT_AS_DESCRIBED })
  const terms = { note, offer_type: 'REFUND_WITH_RETURN', offer_amount: usd('20.00') }
  await does(merchant, id, 'make-offer', { ...terms, return_shipping_address: address })
  await does(buyer, id, 'accept-offer', {})
  const proof = { evidence_type: 'PROOF_OF_RETURN', evidence_info: { tracking_info: [tracking] } }
  expect((await does(buyer, id, 'provide-evidence', { evidences: [proof] })).status).toBe(200)
  return id
}

const some = (length: number, evidence_type = 'OTHER') => ({
  evidences: Array.from({ length }, () => ({ evidence_type, notes: 'See.' })),
})

/** A claim that the seller lost with so many evidences, and may appeal. */
async function lost(count: number, options: OpenOptions = {}): Promise<string> {
  const id = await open(world.buyer, options)
  await does(world.buyer, id, 'escalate', { note: 'Please decide.' })
  expect((await does(world.merchant, id, 'provide-evidence', some(count))).status).toBe(200)
  expect((await does(world.merchant, id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })).status).toBe(200)
  return id
}

describe('An offer', () => {
  const offers: readonly [what: string, body: object, answer: string][] = [
    ['of a refund without an amount', { offer_type: 'REFUND' }, breach('MISSING_OFFER_AMOUNT')],
    [
      'of a replacement alone with an amount',
      { offer_type: 'REPLACEMENT_WITHOUT_REFUND', offer_amount: usd('5.00') },
      breach('AMOUNT_SHOULD_NOT_BE_PASSED'),
    ],
    [
      'of a refund with an address',
      { offer_type: 'REFUND', offer_amount: usd('5.00'), return_shipping_address: address },
      breach('SHIPPING_ADDRESS_SHOULD_NOT_BE_PASSED'),
    ],
    [
      'of a return to no town',
      { offer_type: 'REFUND_WITH_RETURN', offer_amount: usd('5.00'), return_shipping_address: { country_code: 'US' } },
      breach('INVALID_RETURN_SHIPPING_ADDRESS_FORMAT'),
    ],
  ]
  it.each(offers)('%s is refused, and a sound one is still taken', async (_, body, answer) => {
    const id = await open(world.buyer, { reason: NOT_AS_DESCRIBED })

    expect(refusal(await does(world.merchant, id, 'make-offer', { note, ...body }))).toBe(answer)
    const sound = { note, offer_type: 'REFUND', offer_amount: usd('5.00') }
    expect((await does(world.merchant, id, 'make-offer', sound)).status).toBe(200)
  })
})

describe('An appeal', () => {
  it('takes the evidence that its reason takes, with what its type needs', async () => {
    const id = await lost(1)
    const appeals = (evidence: object) => does(world.merchant, id, 'appeal', { evidences: [evidence] })
    const one = (evidence_type: string, evidence_info?: object) => ({
      evidence_type,
      ...(evidence_info && { evidence_info }),
    })

    expect(refusal(await appeals({ notes: 'See.' }))).toBe(breach('MISSING_EVIDENCE_TYPE'))
    expect(refusal(await appeals({ ...one('POLICE_REPORT'), notes: 'See.' }))).toBe(
      breach('EVIDENCE_TYPE_IS_NOT_ALLOWED'),
    )
    expect(refusal(await appeals(one('PROOF_OF_FULFILLMENT')))).toBe(breach('MISSING_EVIDENCE_INFO'))
    expect(refusal(await appeals(one('PROOF_OF_FULFILLMENT', { tracking_info: [{ carrier_name: 'UPS' }] })))).toBe(
      breach('MISSING_TRACKING_INFO'),
    )
    expect(refusal(await appeals({ ...one('PROOF_OF_REFUND'), notes: 'Done.' }))).toBe(breach('MISSING_REFUND_ID'))
    const { payload, headers } = multipart(some(1), [{ name: 'note.txt', bytes: Buffer.from('plain') }])
    expect(refusal(await does(world.merchant, id, 'appeal', payload, headers))).toBe(breach('INVALID_EVIDENCE_FILE'))
    expect((await does(world.merchant, id, 'appeal', some(1))).status).toBe(200)
  })

  it('is not about delivery where the dispute is not, and names the item of each of several', async () => {
    const other = await lost(1, { reason: NOT_AS_DESCRIBED })
    const proof = { evidence_type: 'PROOF_OF_FULFILLMENT', evidence_info: { tracking_info: [tracking] } }
    expect(refusal(await does(world.merchant, other, 'appeal', { evidences: [proof] }))).toBe(
      breach('INVALID_EVIDENCE_TYPE_PROOF_OF_FULFILLMENT'),
    )

    const paid = await world.merchant.post<{ buyer_transaction_id: string }>('/sandbox/transactions', {
      amount: usd('20.00'),
      items: [{ item_id: 'I1' }, { item_id: 'I2' }],
    })
    const several = await lost(1, { transaction: paid.body.buyer_transaction_id })
    expect(refusal(await does(world.merchant, several, 'appeal', some(2)))).toBe(
      breach('ITEM_ID_IS_MANDATORY_FOR_MULTIPLE_EVIDENCES'),
    )
  })

  it('does not go beyond what a dispute holds of a side', async () => {
    const [almost, full] = [await lost(99), await lost(100)]

    expect(refusal(await does(world.merchant, almost, 'appeal', some(2)))).toBe(refused('TOO_MANY_EVIDENCES'))
    expect((await does(world.merchant, almost, 'appeal', some(1))).status).toBe(200)
    const shown = await sees(world.merchant, full)
    expect(shown.dispute_state).toBe('RESOLVED')
    expect(shown.links.map(({ rel }) => rel)).toEqual(['self'])
    expect(refusal(await does(world.merchant, full, 'appeal', some(1)))).toBe(
      refused('ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE'),
    )
  })
})

describe('A hundred evidences of a side', () => {
  const shownOf = async (who: Person, id: string) => (await sees(who, id)).evidences?.length

  it('leave no room for a document with the acceptance of a claim, nor with an acknowledgement', async () => {
    const { buyer, merchant } = world
    const id = await open(buyer, { reason: NOT_AS_DESCRIBED })
    await does(merchant, id, 'provide-evidence', some(100))
    await does(merchant, id, 'require-evidence', { action: 'SELLER_EVIDENCE' })
    const back = { note, accept_claim_type: 'REFUND_WITH_RETURN', return_shipping_address: address }
    const { payload, headers } = multipart(back, [{ name: 'note.png', bytes: png }])
    expect(refusal(await does(merchant, id, 'accept-claim', payload, headers))).toBe(refused('TOO_MANY_EVIDENCES'))
    expect((await does(merchant, id, 'accept-claim', back)).status).toBe(200)
    const proof = { evidence_type: 'PROOF_OF_RETURN', evidence_info: { tracking_info: [tracking] } }
    await does(buyer, id, 'provide-evidence', { evidences: [proof] })

    const damaged = multipart({ acknowledgement_type: 'DAMAGED' }, [{ name: 'note.png', bytes: png }])
    expect(refusal(await does(merchant, id, 'acknowledge-return-item', damaged.payload, damaged.headers))).toBe(
      refused('TOO_MANY_EVIDENCES'),
    )
    expect(await shownOf(merchant, id)).toBe(100)
  })

  it('leave no room for another reason', async () => {
    const { buyer, merchant } = world
    const id = await open(buyer, { evidences: [{ notes: 'It did not come.' }] })
    await does(merchant, id, 'make-offer', { note, offer_type: 'REFUND', offer_amount: usd('5.00') })
    const relations = async () => (await sees(buyer, id)).links.map(({ rel }) => rel)
    expect(await relations()).toContain('change_reason')
    expect((await does(buyer, id, 'provide-evidence', some(99))).status).toBe(200)

    expect(await relations()).not.toContain('change_reason')
    expect(refusal(await does(buyer, id, 'change-reason', { reason: NOT_AS_DESCRIBED }))).toBe(
      refused('ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE'),
    )
    expect(await shownOf(buyer, id)).toBe(100)
  })
})

describe('What nobody knows', () => {
  it('is not kept, and amounts are kept with the decimals of their currency', async () => {
    const { buyer, merchant } = world
    const item = (expected_refund: object) => ({ item_id: 'I1', expected_refund, colour: 'red' })
    const opens = (id: string, expected_refund: object) =>
      buyer.post<Problem & { links: { href: string }[] }>(DISPUTES, {
        disputed_transactions: [{ buyer_transaction_id: id, items: [item(expected_refund)] }],
        reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
        dispute_amount: usd('20.00'),
      })
    expect(refusal(await opens('BUYERPAYMENTWITHCENTS', usd('5.001')))).toBe(
      '400 INVALID_REQUEST INVALID_PARAMETER_SYNTAX',
    )
    const made = await opens('BUYERPAYMENTWITHCENTS', usd('5'))
    const id = made.body.links[0]!.href.split('/').at(-1)!
    const itemsOf = async () => (await sees(merchant, id)).disputed_transactions[0]!['items']
    expect(await itemsOf()).toEqual([{ item_id: 'I1', expected_refund: usd('5.00') }])

    const evidence_info = { tracking_info: [{ ...tracking, colour: 'red' }], colour: 'red' }
    const proof = { evidence_type: 'PROOF_OF_FULFILLMENT', evidence_info, colour: 'red' }
    expect((await does(merchant, id, 'provide-evidence', { evidences: [proof] })).status).toBe(200)
    expect((await sees(merchant, id)).evidences?.at(-1)?.evidence_info).toEqual({ tracking_info: [tracking] })
    expect((await does(merchant, id, 'require-evidence', { action: 'SELLER_EVIDENCE' })).status).toBe(200)
    const change = { reason: NOT_AS_DESCRIBED, item_info: [item(usd('7'))] }
    expect((await does(buyer, id, 'change-reason', change)).status).toBe(200)
    expect(await itemsOf()).toEqual([{ item_id: 'I1', expected_refund: usd('7.00') }])
  })

  it('of items is no reason to lose some: with another reason there are no more than a dispute holds', async () => {
    const item = (n: number) => ({ item_id: `I${n}` })
    const paid = await world.merchant.post<{ buyer_transaction_id: string }>('/sandbox/transactions', {
      amount: usd('20.00'),
      items: Array.from({ length: 99 }, (_, n) => item(n)),
    })
    const id = await open(world.buyer, { transaction: paid.body.buyer_transaction_id })
    const changes = (...numbers: number[]) =>
      does(world.buyer, id, 'change-reason', { reason: NOT_AS_DESCRIBED, item_info: numbers.map(item) })

    expect(refusal(await changes(0, 99, 100))).toBe('400 INVALID_REQUEST INVALID_PARAMETER_VALUE')

    expect((await changes(0, 100)).status).toBe(200)
    const numbers = [...Array.from({ length: 99 }, (_, n) => n), 100]
    expect((await sees(world.merchant, id)).disputed_transactions[0]!['items']).toEqual(numbers.map(item))
  })

  it('is not kept of what was bought either', async () => {
    const paid = await world.merchant.post<{ buyer_transaction_id: string }>('/sandbox/transactions', {
      amount: usd('20.00'),
      items: [{ item_id: 'I1', colour: 'red' }],
    })
    const id = await open(world.buyer, { transaction: paid.body.buyer_transaction_id })

    expect((await sees(world.merchant, id)).disputed_transactions[0]!['items']).toEqual([{ item_id: 'I1' }])
  })
})

describe('What a buyer asks for', () => {
  it('is at most what is disputed, when escalating and with another reason', async () => {
    const id = await open(world.buyer)
    const tooMuch = { buyer_requested_amount: usd('20000.00') }

    expect(refusal(await does(world.buyer, id, 'escalate', tooMuch))).toBe(breach('INVALID_DISPUTE_AMOUNT'))
    for (const address of ['change-reason', 'changeReason'])
      expect(refusal(await does(world.buyer, id, address, { reason: NOT_AS_DESCRIBED, ...tooMuch }))).toBe(
        breach('INVALID_DISPUTE_AMOUNT'),
      )
  })

  it('to let go is a payment of the dispute', async () => {
    const id = await open(world.buyer, { reason: 'UNAUTHORISED' })

    expect(refusal(await does(world.buyer, id, 'cancel', { transaction_ids: ['ANOTHERPAYMENT'] }))).toBe(
      breach('INVALID_TRANSACTION_ID'),
    )
  })
})

describe('A return address that no parcel finds', () => {
  it('is refused with evidence and with an appeal', async () => {
    const body = { ...some(1), return_shipping_address: { country_code: 'US' } }
    const answer = breach('INVALID_RETURN_SHIPPING_ADDRESS_FORMAT')

    expect(refusal(await does(world.merchant, await open(world.buyer), 'provide-evidence', body))).toBe(answer)
    expect(refusal(await does(world.merchant, await lost(1), 'appeal', body))).toBe(answer)
  })
})

describe('A refund that a compliance check declines', () => {
  it('is refused with an offer of everything, with the acceptance of an offer, and when the item is back', async () => {
    const strict = await newWorld({ settings: { DISPUTE_DECLINE_REFUNDS: 'true' } })
    const { buyer, merchant } = strict
    const declined = refused('REFUND_DECLINED_BY_COMPLIANCE_SCANNING')
    const refund = { note, offer_type: 'REFUND' }
    const id = await open(buyer)
    expect(refusal(await does(merchant, id, 'make-offer', { ...refund, offer_amount: usd('20.00') }))).toBe(declined)
    expect((await does(merchant, id, 'make-offer', { ...refund, offer_amount: usd('5.00') })).status).toBe(200)
    expect(refusal(await does(buyer, id, 'accept-offer', {}))).toBe(declined)

    const back = await open(buyer, { reason: NOT_AS_DESCRIBED })
    const terms = { note, accept_claim_type: 'REFUND_WITH_RETURN', return_shipping_address: address }
    await does(merchant, back, 'accept-claim', terms)
    const proof = { evidence_type: 'PROOF_OF_RETURN', evidence_info: { tracking_info: [tracking] } }
    await does(buyer, back, 'provide-evidence', { evidences: [proof] })
    expect(refusal(await does(merchant, back, 'acknowledge-return-item', {}))).toBe(declined)
    await strict.close()
  })
})

describe('What a partner did', () => {
  const entry = (id: string) => ({
    op: 'add',
    path: '/partner_actions/-',
    value: { id, name: 'PROVIDE_PROVISIONAL_CREDIT', status: 'PENDING' },
  })
  const patch = (path: string, body: unknown) => world.partner.patch<Problem>(`${DISPUTES}/${path}`, body)

  it('is told once by its id, and so often for a dispute', async () => {
    const id = await open(world.buyer)
    expect((await patch(id, [entry('PA-0')])).status).toBe(204)
    expect(refusal(await patch(id, [entry('PA-0')]))).toBe(refused('DUPLICATE_PARTNER_ACTION'))

    const many = Array.from({ length: 100 }, (_, i) => entry(`PA-${i + 1}`))
    expect(refusal(await patch(id, many))).toBe(refused('TOO_MANY_PARTNER_ACTIONS'))
  })

  it('is changed by replacing its status or amount, for as long as the dispute is open', async () => {
    const id = await open(world.buyer)
    await patch(id, [entry('PA-1')])
    const changes = (...body: object[]) => patch(`${id}/partner-actions/PA-1`, body)

    expect(refusal(await changes({ op: 'add', path: '/status', value: 'COMPLETED' }))).toBe(
      refused('INVALID_PATCH_OPERATION'),
    )
    expect(refusal(await changes({ op: 'replace', path: '/status' }))).toBe(refused('PATCH_VALUE_REQUIRED'))
    expect(refusal(await changes({ op: 'replace', path: '/name', value: 'X' }))).toBe(refused('NOT_PATCHABLE'))
    await does(world.merchant, id, 'accept-claim', { note })
    expect(refusal(await changes({ op: 'replace', path: '/status', value: 'COMPLETED' }))).toBe(
      refused('ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE'),
    )
  })
})

describe('The postage of a return', () => {
  it('is more than nothing and of the currency of the dispute', async () => {
    const id = await returning()
    for (const amount of [usd('0.00'), { currency_code: 'EUR', value: '5.00' }])
      expect(refusal(await does(world.buyer, id, 'return-compensation', { amount }))).toBe(
        breach('INVALID_COMPENSATION_AMOUNT'),
      )
  })
})

describe('What came back', () => {
  it('is acknowledged as one of the types there are', async () => {
    const id = await returning()
    const answer = await does(world.merchant, id, 'acknowledge-return-item', { acknowledgement_type: 'ITEM_LIKED' })

    expect(refusal(answer)).toBe('400 INVALID_REQUEST INVALID_ACKNOWLEDGEMENT_TYPE')
  })
})

describe('Another reason', () => {
  it('is named, and one that a dispute can have, at the older address too', async () => {
    const id = await open(world.buyer)
    const changes = (body: object) => does(world.buyer, id, 'changeReason', body)

    expect(refusal(await changes({}))).toBe(breach('MISSING_REASON_CODE'))
    expect(refusal(await changes({ reason: 'OTHER' }))).toBe(breach('DISPUTE_REASON_NOT_ELIGIBLE'))
  })
})

describe('A payment that cannot be disputed', () => {
  const charge = (id_enc: string, amount?: object) =>
    world.merchant.post<Problem>('/v2/customer-support/process-chargeback', {
      transaction: { id_enc },
      dispute: { ...(amount && { amount }) },
    })
  const pays = async () =>
    (
      await world.merchant.post<{ seller_transaction_id: string; buyer_transaction_id: string }>(
        '/sandbox/transactions',
        {
          amount: usd('20.00'),
        },
      )
    ).body

  it('is refused to its buyer and to a bank, as is more than was paid', async () => {
    const { seller_transaction_id: id, buyer_transaction_id } = await pays()
    expect(refusal(await charge('NOSUCHPAYMENT'))).toBe(breach('INVALID_TRANSACTION_ID'))
    expect(refusal(await charge(id, usd('20.01')))).toBe(breach('INVALID_DISPUTE_AMOUNT'))

    await world.merchant.post(`/v2/payments/captures/${id}/refund`, {})
    const body = { disputed_transactions: [{ buyer_transaction_id }], reason: NOT_AS_DESCRIBED }
    expect(refusal(await world.buyer.post<Problem>(DISPUTES, body))).toBe(breach('DISPUTE_REASON_NOT_ELIGIBLE'))
    expect(refusal(await charge(id))).toBe(breach('DISPUTE_REASON_NOT_ELIGIBLE'))
  })
})

describe('A file that is none of a kind we keep', () => {
  const text = { name: 'note.txt', bytes: Buffer.from('plain') }
  const refusesText = async (who: Person, path: string, input: object) => {
    const send = (file: { name: string; bytes: Buffer }) => {
      const { payload, headers } = multipart(input, [file])
      return who.post<Problem>(path, payload, { headers })
    }
    expect(refusal(await send(text))).toBe(breach('INVALID_EVIDENCE_FILE'))
    const answer = await send({ name: 'note.png', bytes: png })
    expect(answer.status, answer.text).toBeLessThan(300)
  }

  it('is refused, as any other, where none is taken', async () => {
    const { buyer, merchant } = world
    const reviewed = await open(buyer, { reason: 'OTHER', evidences: [{ notes: 'HOLD_IN_REVIEW' }] })
    const fresh = await open(buyer)
    const offered = await open(buyer)
    const offer = { note, offer_type: 'REFUND', offer_amount: usd('5.00') }
    await does(merchant, offered, 'make-offer', offer)
    const actions: readonly [who: Person, id: string, action: string, body: object][] = [
      [merchant, fresh, 'make-offer', offer],
      [buyer, fresh, 'escalate', {}],
      [buyer, fresh, 'cancel', {}],
      [buyer, offered, 'accept-offer', {}],
      [buyer, offered, 'deny-offer', { note }],
      [merchant, reviewed, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' }],
      [merchant, reviewed, 'require-evidence', { action: 'BUYER_EVIDENCE' }],
      [buyer, reviewed, 'provide-refund-preference', { funding_instrument_preference: { type: 'BALANCE' } }],
    ]
    for (const [who, id, action, body] of actions) {
      const { payload, headers } = multipart(body, [{ name: 'note.png', bytes: png }])
      expect(refusal(await does(who, id, action, payload, headers)), action).toBe(breach('INVALID_EVIDENCE_FILE'))
    }
  })

  it('is refused with a new dispute', () =>
    refusesText(world.buyer, DISPUTES, {
      disputed_transactions: [{ buyer_transaction_id: 'BUYERPAYMENTWITHFILE' }],
      reason: NOT_AS_DESCRIBED,
      dispute_amount: usd('20.00'),
    }))

  it('is refused beside what came back and the bill of its postage', async () => {
    const id = await returning()
    await refusesText(world.buyer, `${DISPUTES}/${id}/return-compensation`, { amount: usd('5.00') })
    await refusesText(world.merchant, `${DISPUTES}/${id}/acknowledge-return-item`, {
      acknowledgement_type: 'ITEM_RECEIVED',
    })
  })

  it('is refused with the acceptance of a claim', async () => {
    const id = await open(world.buyer)
    await refusesText(world.merchant, `${DISPUTES}/${id}/accept-claim`, { note })
  })

  it('is refused with what supports a claim', async () => {
    const id = await open(world.buyer)
    await does(world.buyer, id, 'escalate', { note: 'Please decide.' })
    await refusesText(world.merchant, `${DISPUTES}/${id}/provide-supporting-info`, { notes: 'See.' })
  })
})
