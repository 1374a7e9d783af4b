import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { newWorld, usd, type World } from '../../support/world.ts'
import {
  address,
  DISPUTES,
  does,
  multipart,
  NOT_AS_DESCRIBED,
  NOT_RECEIVED,
  open,
  type Problem,
  pdf,
  proof,
  refusal,
  sees,
  tracking,
} from './people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

const one = (evidence_type: string | undefined, more: object = {}) => ({
  evidences: [{ ...(evidence_type && { evidence_type }), ...more }],
})
const tracked = { evidence_info: { tracking_info: [tracking] } }

describe('Evidence of the seller', () => {
  type Case = readonly [reason: string, body: object, answer: string]
  const ok = '200 undefined undefined'
  const breach = (issue: string) => `400 VALIDATION_ERROR ${issue}`
  const cases: readonly Case[] = [
    [NOT_RECEIVED, one('PROOF_OF_FULFILLMENT', tracked), ok],
    [NOT_RECEIVED, one('PROOF_OF_FULFILLMENT', { notes: 'Handed over.' }), ok],
    [NOT_RECEIVED, one('PROOF_OF_FULFILLMENT'), breach('MISSING_EVIDENCE_INFO')],
    [
      NOT_RECEIVED,
      one('PROOF_OF_FULFILLMENT', { evidence_info: { tracking_info: [{ carrier_name: 'UPS' }] } }),
      breach('MISSING_TRACKING_INFO'),
    ],
    [
      NOT_RECEIVED,
      one('PROOF_OF_FULFILLMENT', {
        evidence_info: { tracking_info: [{ carrier_name: 'OTHER', tracking_number: '1' }] },
      }),
      breach('MISSING_TRACKING_INFO'),
    ],
    [
      NOT_RECEIVED,
      one('PROOF_OF_FULFILLMENT', {
        evidence_info: { tracking_info: [{ carrier_name: 'SOME_NEW_CARRIER', tracking_number: '1' }] },
      }),
      ok,
    ],
    ['UNAUTHORISED', one('PROOF_OF_FULFILLMENT', { notes: 'Handed over.' }), breach('MISSING_TRACKING_INFO')],
    ['UNAUTHORISED', one('PROOF_OF_FULFILLMENT', tracked), ok],
    [NOT_AS_DESCRIBED, one('PROOF_OF_FULFILLMENT', tracked), breach('INVALID_EVIDENCE_TYPE_PROOF_OF_FULFILLMENT')],
    ['OTHER', one('PROOF_OF_REFUND', { notes: 'Done.' }), breach('MISSING_REFUND_ID')],
    ['OTHER', one('PROOF_OF_REFUND', { evidence_info: { refund_ids: ['R1'] } }), ok],
    ['OTHER', one('OTHER', tracked), breach('MISSING_EVIDENCE_INFO')],
    ['OTHER', one('POLICE_REPORT', { notes: 'See.' }), breach('EVIDENCE_TYPE_IS_NOT_ALLOWED')],
    ['OTHER', one('CREATE', { notes: 'See.' }), breach('EVIDENCE_TYPE_IS_NOT_ALLOWED')],
    ['OTHER', one('PROOF_OF_SHIPMENT', { notes: 'See.' }), '400 INVALID_REQUEST INVALID_PARAMETER_VALUE'],
    ['OTHER', one(undefined, { notes: 'See.' }), breach('MISSING_EVIDENCE_TYPE')],
    ['OTHER', {}, breach('MISSING_EVIDENCE_INFO')],
    ['OTHER', one('OTHER', { notes: 'x'.repeat(2001) }), '400 INVALID_REQUEST INVALID_STRING_LENGTH'],
  ]
  for (const [reason, body, answer] of cases)
    it(`${reason} ${JSON.stringify(body).slice(0, 100)} is answered ${answer.split(' ').at(-1) === 'undefined' ? 200 : answer}`, async () => {
      const id = await open(world.buyer, { reason })

      expect(refusal(await does(world.merchant, id, 'provide-evidence', body))).toBe(answer)
    })

  it('names its item when there are several of both, and every breach is reported at once', async () => {
    const paid = await world.merchant.post<{ buyer_transaction_id: string }>('/sandbox/transactions', {
      amount: usd('20.00'),
      items: [{ item_id: 'I1', item_type: 'PRODUCT' }, { item_id: 'I2' }],
    })
    const id = await open(world.buyer, { transaction: paid.body.buyer_transaction_id })
    const two = (first: object, second: object) => ({
      evidences: [
        { evidence_type: 'OTHER', notes: 'One.', ...first },
        { evidence_type: 'OTHER', notes: 'Two.', ...second },
      ],
    })
    const without = await does(world.merchant, id, 'provide-evidence', two({}, {}))
    expect(without.body.details.map(({ issue, field }) => [issue, field])).toEqual([
      ['ITEM_ID_IS_MANDATORY_FOR_MULTIPLE_EVIDENCES', '/evidences/0/item_id'],
      ['ITEM_ID_IS_MANDATORY_FOR_MULTIPLE_EVIDENCES', '/evidences/1/item_id'],
    ])
    expect((await does(world.merchant, id, 'provide-evidence', two({ item_id: 'I1' }, { item_id: 'I2' }))).status).toBe(
      200,
    )
    expect((await sees(world.merchant, id)).evidences?.at(-2)).toMatchObject({ item_id: 'I1', item_type: 'PRODUCT' })
  })
})

describe('Accepting a claim', () => {
  const snad = { reason: NOT_AS_DESCRIBED }
  const note = 'Fine.'
  type Case = readonly [title: string, options: object, body: object, answer: string]
  const breach = (issue: string) => `400 VALIDATION_ERROR ${issue}`
  const partial = { note, accept_claim_type: 'PARTIAL_REFUND' }
  const back = { note, accept_claim_type: 'REFUND_WITH_RETURN' }
  const cases: readonly Case[] = [
    ['a partial refund needs an amount', {}, partial, breach('MISSING_REFUND_AMOUNT')],
    [
      'an amount is of the same currency',
      {},
      { ...partial, refund_amount: { currency_code: 'EUR', value: '1.00' } },
      breach('INVALID_REFUND_AMOUNT'),
    ],
    ['an amount is more than nothing', {}, { ...partial, refund_amount: usd('0.00') }, breach('INVALID_REFUND_AMOUNT')],
    [
      'an amount is no more than is disputed',
      {},
      { ...partial, refund_amount: usd('20.01') },
      breach('INVALID_REFUND_AMOUNT'),
    ],
    [
      'a refund has no address',
      {},
      { note, return_shipping_address: address },
      breach('SHIPPING_ADDRESS_SHOULD_NOT_BE_PASSED'),
    ],
    ['a return has an address', snad, back, breach('MISSING_RETURN_SHIPPING_ADDRESS')],
    [
      'an address is one',
      snad,
      { ...back, return_shipping_address: { country_code: 'USA' } },
      breach('INVALID_RETURN_SHIPPING_ADDRESS_FORMAT'),
    ],
    [
      'an address has a street and a town',
      snad,
      { ...back, return_shipping_address: { country_code: 'US' } },
      breach('INVALID_RETURN_SHIPPING_ADDRESS_FORMAT'),
    ],
    [
      'a return fixes the amount',
      snad,
      { ...back, return_shipping_address: address, refund_amount: usd('1.00') },
      breach('AMOUNT_SHOULD_NOT_BE_PASSED'),
    ],
    [
      'nothing unreceived comes back',
      {},
      { ...back, return_shipping_address: address },
      '400 INVALID_REQUEST INVALID_ACCEPT_CLAIM_TYPE',
    ],
    [
      'a service does not come back',
      { ...snad, extensions: { merchandize_dispute_properties: { issue_type: 'SERVICE' } } },
      { ...back, return_shipping_address: address },
      breach('INTANGIBLE_ITEM_CANNOT_BE_RETURNED'),
    ],
    [
      'an unknown type is none',
      {},
      { note, accept_claim_type: 'VOUCHER' },
      '400 INVALID_REQUEST INVALID_PARAMETER_VALUE',
    ],
  ]
  for (const [title, options, body, answer] of cases)
    it(title, async () => {
      const id = await open(world.buyer, options)
      const before = await sees(world.merchant, id)

      expect(refusal(await does(world.merchant, id, 'accept-claim', body))).toBe(answer)

      expect(await sees(world.merchant, id)).toEqual(before)
    })

  it('with a shipment label gives the label to the buyer', async () => {
    const id = await open(world.buyer, snad)
    await does(world.buyer, id, 'escalate', {})
    const input = {
      ...back,
      accept_claim_type: 'REFUND_WITH_RETURN_SHIPMENT_LABEL',
      return_shipping_address: address,
    }
    expect(refusal(await does(world.merchant, id, 'accept-claim', input))).toBe(
      '400 VALIDATION_ERROR MISSING_RETURN_SHIPMENT_INFO',
    )
    const accepts = (...shipments: object[]) => {
      const label = { name: 'label.pdf', part: 'accept-claim-document', bytes: pdf }
      const { payload, headers } = multipart({ ...input, return_shipment_info: shipments }, [label])
      return does(world.merchant, id, 'accept-claim', payload, headers)
    }
    const shipment = { shipment_label: { name: 'label.pdf' }, tracking_info: tracking }

    expect(refusal(await accepts())).toBe('400 VALIDATION_ERROR MISSING_RETURN_SHIPMENT_INFO')
    for (const lacking of [{}, { carrier_name: 'UPS' }, { carrier_name: 'OTHER', tracking_number: '1' }]) {
      const refused = await accepts(shipment, { ...shipment, tracking_info: lacking })
      expect(refusal(refused)).toBe('400 VALIDATION_ERROR MISSING_TRACKING_INFO')
      expect(refused.body.details[0]!.field).toBe('/return_shipment_info/1/tracking_info')
    }
    expect((await sees(world.merchant, id)).status).toBe('WAITING_FOR_SELLER_RESPONSE')
    expect((await accepts(shipment)).status).toBe(200)

    const shown = (
      await world.buyer.get<{ return_shipments: { shipment_label: { url: string } }[] }>(`${DISPUTES}/${id}`)
    ).body
    const url = new URL(shown.return_shipments[0]!.shipment_label.url).pathname
    expect((await world.buyer.get(url)).status).toBe(200)
  })
})

describe('Money', () => {
  it('that the seller does not have cannot be promised or given', async () => {
    const own = await newWorld()
    const { merchant: account } = own.people
    const gross = { currency_code: 'PLN', value: '20.00' }
    const id = await open(own.buyer, { reason: 'OTHER', amount: gross })
    await does(own.merchant, id, 'provide-evidence', one('OTHER', { notes: 'No.' }))
    await does(own.merchant, id, 'adjudicate', { adjudication_outcome: 'SELLER_FAVOR' })
    await does(own.buyer, id, 'appeal', one('OTHER', { notes: 'Yes.' }))
    // The hold is gone with the first decision, and so is the balance.
    await own.app.transact(async (tx) =>
      makeLedger(own.app.service).chargeFee(tx, account.id, { ...gross, value: '15.00' }, 'TEST', 'test'),
    )

    expect(refusal(await does(own.merchant, id, 'accept-claim', { note: 'Fine.' }))).toBe(
      '400 VALIDATION_ERROR INSUFFICIENT_FUNDS',
    )
    // What an agent decides happens all the same, and is a debt.
    expect((await does(own.merchant, id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })).status).toBe(200)
    expect((await sees(own.merchant, id)).dispute_outcome?.amount_refunded).toEqual(gross)
    await own.close()
  })

  it('is never refunded twice when the seller refunds outside the dispute', async () => {
    const paid = await world.merchant.post<{ buyer_transaction_id: string; seller_transaction_id: string }>(
      '/sandbox/transactions',
      { amount: usd('20.00') },
    )
    const id = await open(world.buyer, { transaction: paid.body.buyer_transaction_id })
    const refunded = await world.merchant.post(`/v2/payments/captures/${paid.body.seller_transaction_id}/refund`, {})
    expect(refunded.status, refunded.text).toBe(201)

    expect((await does(world.merchant, id, 'accept-claim', { note: 'It is done.' })).status).toBe(200)

    const closed = await sees(world.merchant, id)
    expect(closed.status).toBe('RESOLVED')
    expect(closed.dispute_outcome?.amount_refunded).toEqual(usd('20.00'))
    expect(closed.refund_details?.transactions).toHaveLength(1)
    expect(closed.disputed_transactions[0]!['transaction_status']).toBe('REFUNDED')
  })

  it('that was all given back beside the dispute cannot be offered in it', async () => {
    const givenBack = async (reason?: string) => {
      const paid = await world.merchant.post<{ buyer_transaction_id: string; seller_transaction_id: string }>(
        '/sandbox/transactions',
        { amount: usd('20.00') },
      )
      const transaction = paid.body.buyer_transaction_id
      const id = await open(world.buyer, { transaction, ...(reason && { reason }) })
      await world.merchant.post(`/v2/payments/captures/${paid.body.seller_transaction_id}/refund`, {})
      const { links, allowed_response_options } = await sees(world.merchant, id)
      return { id, relations: links.map(({ rel }) => rel), options: allowed_response_options }
    }
    const offer = { note: 'Something.', offer_type: 'REFUND', offer_amount: usd('1.00') }

    const missing = await givenBack()
    expect(missing.relations).toEqual(expect.arrayContaining(['accept_claim', 'send_message', 'escalate']))
    expect(missing.relations).not.toContain('make_offer')
    expect(missing.options).toEqual({ accept_claim: { accept_claim_types: ['REFUND'] } })
    expect(refusal(await does(world.merchant, missing.id, 'make-offer', offer))).toBe(
      '422 UNPROCESSABLE_ENTITY ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE',
    )

    // Another item costs no money.
    const wrong = await givenBack(NOT_AS_DESCRIBED)
    expect(wrong.options?.['make_offer']).toEqual({ offer_types: ['REPLACEMENT_WITHOUT_REFUND'] })
    expect(refusal(await does(world.merchant, wrong.id, 'make-offer', offer))).toBe(
      '400 INVALID_REQUEST INVALID_OFFER_TYPE',
    )
    const replacement = { note: 'Another one.', offer_type: 'REPLACEMENT_WITHOUT_REFUND' }
    expect((await does(world.merchant, wrong.id, 'make-offer', replacement)).status).toBe(200)
  })

  it('is declined by a compliance check when the sandbox is set to', async () => {
    const strict = await newWorld({ settings: { DISPUTE_DECLINE_REFUNDS: 'true' } })
    const id = await open(strict.buyer)

    expect(refusal(await does(strict.merchant, id, 'accept-claim', { note: 'Fine.' }))).toBe(
      '422 UNPROCESSABLE_ENTITY REFUND_DECLINED_BY_COMPLIANCE_SCANNING',
    )
    await strict.close()
  })

  it('that a lost dispute costs is shown with all decimals, however the setting writes it', async () => {
    const strict = await newWorld({ settings: { DISPUTE_FEES: 'EUR:14,USD:5' } })
    const id = await open(strict.buyer)
    await does(strict.buyer, id, 'escalate', {})
    await strict.pass('P12D')

    const { fund_movements } = await sees(strict.merchant, id)
    expect(fund_movements).toContainEqual(expect.objectContaining({ reason: 'DISPUTE_FEE', amount: usd('5.00') }))
    await strict.close()
  })

  it('that is held is shown among the movements when a setting says so', async () => {
    const open_ = await newWorld({ settings: { DISPUTE_HOLD_MOVEMENTS: 'true' } })
    const id = await open(open_.buyer)
    await does(open_.buyer, id, 'cancel', {})

    expect((await sees(open_.merchant, id)).fund_movements?.map(({ reason }) => reason)).toEqual([
      'HOLD_PLACED',
      'HOLD_RELEASED',
    ])
    await open_.close()
  })
})

describe('An address for what is sent back', () => {
  it('comes with an appeal as it comes with evidence', async () => {
    const id = await open(world.buyer, { reason: NOT_AS_DESCRIBED })
    await does(world.merchant, id, 'provide-evidence', proof)
    await does(world.merchant, id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })

    const appealed = await does(world.merchant, id, 'appeal', { ...proof, return_shipping_address: address })

    expect(appealed.status, appealed.text).toBe(200)
    for (const who of [world.merchant, world.buyer])
      expect((await sees(who, id)).extensions?.merchandize_dispute_properties?.return_shipping_address).toEqual(address)
  })

  it('is nothing that a buyer who appeals could say', async () => {
    const id = await open(world.buyer, { reason: NOT_AS_DESCRIBED })
    await does(world.merchant, id, 'provide-evidence', proof)
    await does(world.merchant, id, 'adjudicate', { adjudication_outcome: 'SELLER_FAVOR' })

    await does(world.buyer, id, 'appeal', { ...proof, return_shipping_address: address })

    expect(await sees(world.merchant, id)).not.toHaveProperty('extensions')
  })
})

describe('A patch', () => {
  const cases: readonly [patch: unknown, answer: string][] = [
    [[{ op: 'add', path: 'communication_details', value: {} }], '422 UNPROCESSABLE_ENTITY INVALID_JSON_POINTER_FORMAT'],
    [[{ op: 'add', path: '/communication_details' }], '422 UNPROCESSABLE_ENTITY PATCH_VALUE_REQUIRED'],
    [[{ op: 'move', from: '/reason', path: '/status' }], '422 UNPROCESSABLE_ENTITY INVALID_PATCH_OPERATION'],
    [[{ op: 'remove', path: '/communication_details' }], '422 UNPROCESSABLE_ENTITY INVALID_PATCH_OPERATION'],
    [[{ op: 'test', path: '/communication_details/note', value: 'x' }], '422 UNPROCESSABLE_ENTITY PATCH_TEST_FAILED'],
    [
      [{ op: 'add', path: '/communication_details', value: { email: 'x' } }],
      '400 INVALID_REQUEST INVALID_PARAMETER_VALUE',
    ],
    [[{ op: 'add', path: '/partner_actions/-', value: {} }], '422 UNPROCESSABLE_ENTITY NOT_PATCHABLE'],
    [
      [
        { op: 'add', path: '/communication_detail', value: { note: 'Kept only if all of it is.' } },
        { op: 'replace', path: '/status', value: 'RESOLVED' },
      ],
      '422 UNPROCESSABLE_ENTITY NOT_PATCHABLE',
    ],
    [{}, '400 INVALID_REQUEST MISSING_REQUIRED_PARAMETER'],
  ]
  for (const [patch, answer] of cases)
    it(`${JSON.stringify(patch).slice(0, 90)} is refused with ${answer.split(' ')[2]}`, async () => {
      const id = await open(world.buyer)
      expect(refusal(await world.merchant.patch<Problem>(`${DISPUTES}/${id}`, patch))).toBe(answer)
      expect((await sees(world.merchant, id)).communication_details).toBeUndefined()
    })

  it('changes, tests and removes, answers 202 when asked to, and an empty one changes nothing', async () => {
    const id = await open(world.buyer)
    const url = `${DISPUTES}/${id}`
    expect((await world.merchant.patch(url, [])).status).toBe(204)
    const events = (await world.events(id)).length
    const entries = [
      { op: 'add', path: '/communication_detail', value: { note: 'Call.' } },
      { op: 'test', path: '/communication_details/note', value: 'Call.' },
      { op: 'add', path: '/communication_details/email', value: 'help@example.com' },
      { op: 'remove', path: '/communication_details/note' },
    ]
    const answer = await world.merchant.patch(url, entries, { headers: { prefer: 'respond-async' } })
    expect(answer.status, answer.text).toBe(202)

    expect((await sees(world.merchant, id)).communication_details).toEqual({
      email: 'help@example.com',
      time_posted: world.now(),
    })
    expect((await world.events(id)).length).toBe(events + 1)
    await does(world.buyer, id, 'cancel', {})
    expect((await world.merchant.patch(url, entries)).status).toBe(422)
  })

  it('tests for what was shown, with the time it was posted and without', async () => {
    const id = await open(world.buyer)
    const value = { note: 'Call.', email: 'help@example.com' }
    const patches = (op: string, of: object | undefined) =>
      world.merchant.patch<Problem>(`${DISPUTES}/${id}`, [{ op, path: '/communication_details', value: of }])
    await patches('add', value)
    const { communication_details: shown, update_time } = await sees(world.merchant, id)
    const events = await world.events(id)
    await world.pass('PT1M')

    expect((await patches('test', shown)).status).toBe(204)
    expect((await patches('test', value)).status).toBe(204)
    expect((await sees(world.merchant, id)).update_time, 'who asks changes nothing').toBe(update_time)
    expect(await world.events(id)).toEqual(events)
    const older = { ...shown, time_posted: '2026-03-01T00:00:00.000Z' }
    expect(refusal(await patches('test', older))).toBe('422 UNPROCESSABLE_ENTITY PATCH_TEST_FAILED')
  })
})
