import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, usd, type World } from '../../support/world.ts'
import {
  address,
  canDo,
  DISPUTES,
  does,
  eventsOf,
  multipart,
  NOT_AS_DESCRIBED,
  open,
  type Problem,
  pdf,
  position,
  refusal,
  type Shown,
  sees,
  tracking,
} from './people.ts'

let world: World
beforeAll(async () => {
  world = await newWorld()
})
afterAll(() => world.close())

describe('A partial offer accepted in the inquiry', () => {
  it('refunds what was offered and releases the rest', async () => {
    const { buyer, merchant: seller } = world
    const id = await open(buyer, { amount: usd('20.00'), evidences: [{ notes: 'It never came.' }] })
    const opened = await sees(seller, id)
    expect(position(opened)).toBe('INQUIRY/WAITING_FOR_SELLER_RESPONSE REQUIRED_ACTION')
    expect(opened.seller_response_due_date).toBe('2026-03-22T09:00:00.000Z')
    expect(opened.disputed_transactions[0]!['transaction_status']).toBe('HELD')
    expect(await eventsOf(world, id)).toEqual(['CREATED', 'UPDATED'])
    const [created] = await world.events(id)
    expect(created!.resource).toMatchObject({ status: 'OPEN', dispute_state: 'OPEN_INQUIRIES' })

    const listed = await seller.get<{ items: Shown[] }>(`${DISPUTES}?dispute_state=REQUIRED_ACTION`)
    expect(listed.body.items.map(({ dispute_id }) => dispute_id)).toEqual([id])
    expect(await canDo(seller, id)).toEqual([
      'send_message',
      'send-message',
      'make_offer',
      'accept_claim',
      'provide_evidence',
      'provide-evidence',
      'escalate',
    ])
    expect(opened.allowed_response_options).toEqual({
      accept_claim: { accept_claim_types: ['PARTIAL_REFUND', 'REFUND'] },
      make_offer: { offer_types: ['REFUND'] },
    })

    expect((await does(seller, id, 'send-message', { message: 'We are looking.' })).status).toBe(200)
    expect((await sees(buyer, id)).messages).toHaveLength(2)
    const replacement = { note: 'Take another.', offer_type: 'REPLACEMENT_WITHOUT_REFUND' }
    expect(refusal(await does(seller, id, 'make-offer', replacement))).toBe('400 INVALID_REQUEST INVALID_OFFER_TYPE')
    const offer = { note: 'Half of it?', offer_type: 'REFUND', offer_amount: usd('8.00') }
    const made = await does(seller, id, 'make-offer', offer)
    expect(made.status).toBe(200)
    expect(made.body.links.map(({ rel }) => rel)).toEqual(['self', 'detail'])
    const offered = await sees(seller, id)
    expect(position(offered)).toBe('INQUIRY/WAITING_FOR_BUYER_RESPONSE REQUIRED_OTHER_PARTY_ACTION')
    expect(offered.buyer_response_due_date).toBe('2026-03-22T09:00:00.000Z')
    expect(refusal(await does(seller, id, 'make-offer', offer))).toBe(
      '422 UNPROCESSABLE_ENTITY ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE',
    )

    expect((await does(buyer, id, 'accept-offer', {})).status).toBe(200)
    const closed = await sees(seller, id)
    expect(position(closed)).toBe('INQUIRY/RESOLVED RESOLVED')
    expect(closed.dispute_outcome).toMatchObject({
      outcome_code: 'RESOLVED_BUYER_FAVOUR',
      amount_refunded: usd('8.00'),
    })
    expect(closed.offer?.history?.map(({ event_type }) => event_type)).toEqual(['PROPOSED', 'ACCEPTED'])
    expect(closed.disputed_transactions[0]!['transaction_status']).toBe('PARTIALLY_REFUNDED')
    expect((await does(seller, id, 'appeal', { evidences: [] })).status).toBe(422)
    expect(await eventsOf(world, id)).toEqual(['CREATED', 'UPDATED', 'UPDATED', 'UPDATED', 'RESOLVED'])
  })
})

describe('Not as described: refund after return', () => {
  const offer = { note: 'Send it back.', offer_type: 'REFUND_WITH_RETURN', offer_amount: usd('48.00') }

  async function returning(): Promise<string> {
    const { buyer, merchant: seller } = world
    const id = await open(buyer, { reason: NOT_AS_DESCRIBED, amount: usd('48.00') })
    expect(refusal(await does(seller, id, 'make-offer', offer))).toBe(
      '400 VALIDATION_ERROR MISSING_RETURN_SHIPPING_ADDRESS',
    )
    const withAddress = { ...offer, return_shipping_address_info: { address } }
    expect((await does(seller, id, 'make-offer', withAddress)).status).toBe(200)
    expect(position(await sees(seller, id))).toContain('INQUIRY/WAITING_FOR_BUYER_RESPONSE')

    const accepted = await does(buyer, id, 'accept-offer')
    expect(accepted.status).toBe(202)
    const request = new URL(accepted.body.links[0]!.href).pathname
    expect((await buyer.get<{ status: string }>(request)).body.status).toBe('PENDING')
    const agreed = await sees(buyer, id)
    expect(agreed.evidences?.filter(({ source }) => source === 'REQUESTED_FROM_BUYER')).toMatchObject([
      { evidence_type: 'PROOF_OF_RETURN' },
    ])
    expect(agreed.extensions?.merchandize_dispute_properties?.return_shipping_address).toEqual(address)
    // Ten days later, at the end of that day in Los Angeles, where summer time has begun meanwhile.
    expect(agreed.buyer_response_due_date).toBe('2026-03-13T06:59:59.000Z')

    const proof = { evidences: [{ evidence_type: 'PROOF_OF_RETURN', evidence_info: { tracking_info: [tracking] } }] }
    expect((await does(buyer, id, 'provide-evidence', proof)).status).toBe(200)
    const shipped = await sees(seller, id)
    expect(position(shipped)).toBe('INQUIRY/WAITING_FOR_SELLER_RESPONSE REQUIRED_ACTION')
    expect(shipped.allowed_response_options?.['acknowledge_return_item']?.['acknowledgement_types']).toHaveLength(5)
    expect(shipped.evidences?.find(({ evidence_type }) => evidence_type === 'PROOF_OF_RETURN')).toMatchObject({
      source: 'SUBMITTED_BY_BUYER',
      evidence_info: { tracking_info: [tracking] },
    })
    return id
  }

  it('refunds when the seller has the item', async () => {
    const id = await returning()

    const body = { acknowledgement_type: 'ITEM_RECEIVED' }
    expect((await does(world.merchant, id, 'acknowledge-return-item', body)).status).toBe(200)

    const closed = await sees(world.merchant, id)
    expect(position(closed)).toBe('INQUIRY/RESOLVED RESOLVED')
    expect(closed.dispute_outcome?.amount_refunded).toEqual(usd('48.00'))
    expect(closed.disputed_transactions[0]!['transaction_status']).toBe('REFUNDED')
  })

  it('names the refund as the seller did when the return was agreed, whoever lets it be paid', async () => {
    const own = await newWorld()
    const { buyer, merchant: seller } = own
    const numberOf = async (id: string) => {
      const [refund] = (await sees(seller, id)).refund_details!.transactions as unknown as [{ id: string }]
      return (await seller.get<{ invoice_id?: string }>(`/v2/payments/refunds/${refund.id}`)).body.invoice_id
    }
    const proof = { evidences: [{ evidence_type: 'PROOF_OF_RETURN', evidence_info: { tracking_info: [tracking] } }] }
    const snad = { reason: NOT_AS_DESCRIBED, amount: usd('48.00') }
    const offered = await open(buyer, snad)
    await does(seller, offered, 'make-offer', { ...offer, return_shipping_address: address, invoice_id: 'CREDIT-1' })
    await does(buyer, offered, 'accept-offer')
    const accepted = await open(buyer, snad)
    await does(seller, accepted, 'accept-claim', {
      ...{ note: 'Send it back.', accept_claim_type: 'REFUND_WITH_RETURN', invoice_id: 'CREDIT-2' },
      return_shipping_address: address,
    })
    for (const id of [offered, accepted]) await does(buyer, id, 'provide-evidence', proof)

    expect((await does(seller, offered, 'acknowledge-return-item', {})).status).toBe(200)
    await own.pass('P12D')

    expect([await numberOf(offered), await numberOf(accepted)]).toEqual(['CREDIT-1', 'CREDIT-2'])
    await own.close()
  })

  it('goes to the agents when something else came back', async () => {
    const id = await returning()
    const input = {
      acknowledgement_type: 'DAMAGED',
      evidences: [{ evidence_type: 'PROOF_OF_DAMAGE', documents: [{ name: 'photo.pdf' }] }],
    }
    const unshown = { ...input, evidences: [{ evidence_type: 'PROOF_OF_DAMAGE' }] }
    const bare = await does(world.merchant, id, 'acknowledge-return-item', unshown)
    expect(refusal(bare)).toBe('400 INVALID_REQUEST MISSING_REQUIRED_PARAMETER')
    expect(bare.body.details[0]!.field).toBe('/evidences/0/documents')
    const { payload, headers } = multipart(input, [{ name: 'photo.pdf', part: 'acknowledgement_document', bytes: pdf }])

    expect((await does(world.merchant, id, 'acknowledge-return-item', payload, headers)).status).toBe(200)

    const contested = await sees(world.merchant, id)
    expect(position(contested)).toBe('CHARGEBACK/UNDER_REVIEW UNDER_REVIEW')
    expect(contested.evidences?.at(-1)?.action_info).toEqual({
      action: 'ACKNOWLEDGE_RETURN_ITEM',
      response_option: 'DAMAGED',
    })
  })
})

describe('Escalation, evidence, decision, appeal', () => {
  it('takes money from the seller and gives it back on appeal', async () => {
    const { buyer, merchant: seller } = world
    const id = await open(buyer, { amount: usd('100.00') })
    expect((await does(seller, id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })).status).toBe(422)
    expect((await does(buyer, id, 'escalate', { note: 'No answer.' })).status).toBe(200)
    const claim = await sees(seller, id)
    expect(position(claim)).toBe('CHARGEBACK/WAITING_FOR_SELLER_RESPONSE REQUIRED_ACTION')
    expect(claim.seller_response_due_date).toBe('2026-03-13T06:59:59.000Z')
    expect((await does(seller, id, 'send-message', { message: 'Wait.' })).status).toBe(422)

    const fulfilled = {
      evidences: [{ evidence_type: 'PROOF_OF_FULFILLMENT', evidence_info: { tracking_info: [tracking] } }],
    }
    const { payload, headers } = multipart(fulfilled, [{ name: 'receipt.pdf', bytes: pdf }])
    const keyed = { ...headers, 'service-request-id': 'evidence-1' }
    expect((await does(seller, id, 'provide-evidence', payload, keyed)).status).toBe(200)
    const reviewed = await sees(seller, id)
    expect(position(reviewed)).toBe('CHARGEBACK/UNDER_REVIEW UNDER_REVIEW')
    expect(reviewed.seller_response_due_date).toBeUndefined()
    expect((await canDo(seller, id)).sort()).toEqual([
      'accept_claim',
      'adjudicate',
      'provide-supporting-info',
      'provide_supporting_info',
      'require-evidence',
      'require_evidence',
    ])
    expect((await does(seller, id, 'provide-evidence', payload, keyed)).status).toBe(200)
    const another = { ...headers, 'service-request-id': 'evidence-2' }
    expect((await does(seller, id, 'provide-evidence', payload, another)).status).toBe(422)

    expect((await does(seller, id, 'require-evidence', { action: 'BUYER_EVIDENCE' })).status).toBe(200)
    expect((await sees(buyer, id)).buyer_response_due_date).toBe('2026-03-06T07:59:59.000Z')
    const words = { evidences: [{ evidence_type: 'OTHER', notes: 'Nothing in the post.' }] }
    expect((await does(buyer, id, 'provide-evidence', words)).status).toBe(200)
    const seen = await sees(seller, id)
    expect(seen.evidences?.some(({ notes }) => notes === 'Nothing in the post.')).toBe(false)

    expect((await does(seller, id, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })).status).toBe(200)
    const lost = await sees(seller, id)
    expect(position(lost)).toBe('CHARGEBACK/RESOLVED APPEALABLE')
    expect((await sees(buyer, id)).dispute_state).toBe('RESOLVED')
    expect(lost.fund_movements?.filter(({ party }) => party === 'SELLER')).toMatchObject([
      { type: 'DEBIT', amount: usd('100.00'), reason: 'DISPUTE_SETTLEMENT' },
      { type: 'DEBIT', amount: usd('15.00'), reason: 'DISPUTE_FEE' },
    ])
    expect(lost.disputed_transactions[0]!['transaction_status']).toBe('REVERSED')

    const refunded = { evidences: [{ evidence_type: 'PROOF_OF_REFUND', evidence_info: { refund_ids: ['R1'] } }] }
    expect((await does(seller, id, 'appeal', refunded)).status).toBe(200)
    const appealed = await sees(seller, id)
    expect(position(appealed)).toBe('PRE_ARBITRATION/UNDER_REVIEW UNDER_REVIEW')
    expect(appealed.dispute_outcome).toBeUndefined()

    expect((await does(seller, id, 'adjudicate', { adjudication_outcome: 'SELLER_FAVOR' })).status).toBe(200)
    const won = await sees(seller, id)
    expect(won).toMatchObject({ dispute_life_cycle_stage: 'PRE_ARBITRATION', status: 'RESOLVED' })
    expect(won.dispute_outcome?.outcome_code).toBe('RESOLVED_SELLER_FAVOUR')
    expect(won.adjudications).toHaveLength(2)
    expect(won.fund_movements?.at(-1)).toMatchObject({ party: 'SELLER', type: 'CREDIT', amount: usd('100.00') })
  })
})

describe('A billing claim in which the seller gives in', () => {
  it('refunds the disputed part and charges no fee', async () => {
    const { buyer, merchant: seller } = world
    const paid = await seller.post<{ buyer_transaction_id: string }>('/sandbox/transactions', { amount: usd('35.00') })
    const transaction = paid.body.buyer_transaction_id
    const id = await open(buyer, { reason: 'INCORRECT_AMOUNT', amount: usd('20.00'), transaction })
    const claim = await sees(seller, id)
    expect(position(claim)).toBe('CHARGEBACK/WAITING_FOR_SELLER_RESPONSE REQUIRED_ACTION')
    expect(claim.evidences?.map(({ evidence_type }) => evidence_type)).toEqual(['PROOF_OF_REFUND', 'OTHER'])
    expect(claim.allowed_response_options).toEqual({ accept_claim: { accept_claim_types: ['REFUND'] } })

    const answers: [string, object, string][] = [
      ['escalate', {}, '422 UNPROCESSABLE_ENTITY ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE'],
      [
        'provide-evidence',
        { evidences: [{ evidence_type: 'PROOF_OF_FULFILLMENT', evidence_info: { tracking_info: [tracking] } }] },
        '400 VALIDATION_ERROR INVALID_EVIDENCE_TYPE_PROOF_OF_FULFILLMENT',
      ],
      [
        'provide-evidence',
        { evidences: [{ evidence_type: 'PROOF_OF_REFUND' }] },
        '400 VALIDATION_ERROR MISSING_REFUND_ID',
      ],
      [
        'accept-claim',
        { note: 'Part.', accept_claim_type: 'PARTIAL_REFUND', refund_amount: usd('5.00') },
        '400 INVALID_REQUEST INVALID_ACCEPT_CLAIM_TYPE',
      ],
      [
        'accept-claim',
        { note: 'All.', accept_claim_type: 'REFUND', refund_amount: usd('5.00') },
        '400 VALIDATION_ERROR AMOUNT_SHOULD_NOT_BE_PASSED',
      ],
      ['accept-claim', {}, '400 INVALID_REQUEST MISSING_REQUIRED_PARAMETER'],
    ]
    for (const [action, body, answer] of answers) expect(refusal(await does(seller, id, action, body))).toBe(answer)
    expect(await sees(seller, id)).toEqual(claim)

    const giveIn = { note: 'Our mistake.', accept_claim_reason: 'COMPANY_POLICY' }
    expect((await does(seller, id, 'accept-claim', giveIn)).status).toBe(200)
    const closed = await sees(seller, id)
    expect(position(closed)).toBe('CHARGEBACK/RESOLVED RESOLVED')
    expect(closed.dispute_outcome).toMatchObject({
      outcome_code: 'RESOLVED_BUYER_FAVOUR',
      amount_refunded: usd('20.00'),
    })
    expect(closed.disputed_transactions[0]!['transaction_status']).toBe('PARTIALLY_REFUNDED')
    expect(closed.fund_movements?.some(({ reason }) => reason === 'DISPUTE_FEE')).toBe(false)
    const again = { disputed_transactions: [{ buyer_transaction_id: transaction }], reason: 'INCORRECT_AMOUNT' }
    expect(refusal(await buyer.post<Problem>(DISPUTES, again))).toBe('422 UNPROCESSABLE_ENTITY DISPUTE_ALREADY_EXISTS')
  })
})

describe('Deadlines, paging and negative checks', () => {
  it('lists, patches, lets time decide, and hides from strangers', async () => {
    const quiet = await newWorld()
    const { buyer, merchant: seller, otherMerchant } = quiet
    const ids = [await open(buyer), await open(buyer), await open(buyer)] as const
    const [first, second, third] = ids
    type Page = { items: Shown[]; links: { rel: string; href: string }[] }

    const page = await seller.get<Page>(`${DISPUTES}?page_size=2`)
    expect(page.body.items.map(({ dispute_id }) => dispute_id)).toEqual([third, second])
    expect(page.body.links.map(({ rel }) => rel)).toEqual(['self', 'first', 'next'])
    const next = new URL(page.body.links[2]!.href)
    const rest = await seller.get<Page>(next.pathname + next.search)
    expect(rest.body.items.map(({ dispute_id }) => dispute_id)).toEqual([first])
    expect(rest.body.links.map(({ rel }) => rel)).not.toContain('next')
    expect(refusal(await seller.get<Problem>(`${DISPUTES}?page_size=51`))).toBe(
      '400 VALIDATION_ERROR INVALID_PAGE_SIZE',
    )
    const both = `${DISPUTES}?start_time=2026-03-01T00:00:00Z&disputed_transaction_id=X1`
    expect((await seller.get(both)).status).toBe(400)

    const details = [
      { op: 'add', path: '/communication_details', value: { email: 'help@example.com', note: 'Call us.' } },
    ]
    expect((await seller.patch(`${DISPUTES}/${first}`, details)).status).toBe(204)
    expect((await sees(buyer, first)).communication_details).toMatchObject({
      note: 'Call us.',
      time_posted: quiet.now(),
    })
    const forged = [{ op: 'replace', path: '/status', value: 'RESOLVED' }]
    expect(refusal(await seller.patch<Problem>(`${DISPUTES}/${first}`, forged))).toBe(
      '422 UNPROCESSABLE_ENTITY NOT_PATCHABLE',
    )

    expect((await does(buyer, second, 'escalate', {})).status).toBe(200)
    await quiet.pass('P12D')
    const silent = await sees(seller, second)
    expect(position(silent)).toBe('CHARGEBACK/RESOLVED APPEALABLE')
    expect(silent.dispute_outcome).toMatchObject({
      outcome_code: 'RESOLVED_BUYER_FAVOUR',
      outcome_reason: 'NO_SELLER_RESPONSE',
    })
    expect(position(await sees(seller, first))).toContain('WAITING_FOR_SELLER_RESPONSE')
    await quiet.pass('P9D')
    for (const id of [first, third]) {
      const ended = await sees(seller, id)
      expect(position(ended)).toBe('INQUIRY/RESOLVED RESOLVED')
      expect(ended.dispute_outcome?.outcome_code).toBe('CANCELED_BY_BUYER')
      expect(ended.disputed_transactions[0]!['transaction_status']).toBe('COMPLETED')
      expect((await eventsOf(quiet, id)).at(-1)).toBe('RESOLVED')
    }
    expect((await does(buyer, third, 'deny-offer', { note: 'No.' })).status).toBe(422)

    expect(refusal(await does(seller, 'ERRDIS061', 'accept-claim', { note: 'x' }))).toBe(
      '400 VALIDATION_ERROR INSUFFICIENT_FUNDS',
    )
    expect(refusal(await otherMerchant.get<Problem>(`${DISPUTES}/${first}`))).toBe(
      '404 RESOURCE_NOT_FOUND INVALID_RESOURCE_ID',
    )
    const scope = `${quiet.app.service.publicUrl}/services/disputes/read-seller`
    const reader = quiet.person('sandbox-merchant', { scope })
    expect(refusal(await does(reader, first, 'escalate', {}))).toBe('403 NOT_AUTHORIZED PERMISSION_DENIED')
    const fourth = await open(buyer, { reason: 'INCORRECT_AMOUNT' })
    const { payload, headers } = multipart({ evidences: [{ evidence_type: 'OTHER', notes: 'See file.' }] }, [
      { name: 'setup.exe', bytes: Buffer.from('MZ\x90\0') },
    ])
    expect(refusal(await does(seller, fourth, 'provide-evidence', payload, headers))).toBe(
      '400 VALIDATION_ERROR INVALID_EVIDENCE_FILE',
    )
    await quiet.close()
  })
})
