import { png } from '../../src/invoices/routes/png.ts'
import { type Person, usd, type World } from '../support/world.ts'
import { idIn } from './invoicing.ts'
import type { SentFile, Show } from './recorder.ts'

const DISPUTES = '/v1/customer/disputes'
const NOT_RECEIVED = 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED'
const NOT_AS_DESCRIBED = 'MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED'

const address = {
  address_line_1: '1 Sandbox Street',
  admin_area_2: 'San Jose',
  admin_area_1: 'CA',
  postal_code: '95131',
  country_code: 'US',
}
const tracking = { carrier_name: 'FEDEX', tracking_number: '122533485' }
const photo: SentFile = { part: 'file1', name: 'label.png', type: 'image/png', bytes: png(8, 8, () => true) }

const pay = async (world: World, value = '50.00') =>
  (
    await world.merchant.post<{ id: string; buyer_transaction_id: string }>('/sandbox/transactions', {
      amount: usd(value),
    })
  ).body.buyer_transaction_id

async function open(world: World, reason = NOT_RECEIVED): Promise<string> {
  const body = { disputed_transactions: [{ buyer_transaction_id: await pay(world) }], reason }
  const answer = await world.buyer.post(DISPUTES, body)
  if (answer.status !== 201) throw new Error(answer.text)
  return idIn(answer.body)
}

async function does(who: Person, id: string, action: string, body: object = {}): Promise<void> {
  const { status, text } = await who.post(`${DISPUTES}/${id}/${action}`, body)
  if (status >= 300) throw new Error(`${action}: ${text}`)
}

const proof = {
  evidences: [
    {
      evidence_type: 'PROOF_OF_FULFILLMENT',
      evidence_info: { tracking_info: [tracking] },
      documents: [{ name: 'label.png' }],
      notes: 'Delivered and signed for.',
    },
  ],
}

/** Disputes from the first question to the second appeal. */
export async function disputing(world: World, show: Show): Promise<void> {
  const { merchant, buyer } = world
  const payment = await show('createSandboxTransaction', merchant, {
    body: { amount: usd('50.00'), items: [{ item_id: 'CHAIR-1', item_name: 'A chair', item_quantity: '1' }] },
  })
  const bought = String(payment.body['buyer_transaction_id'])
  await show('validateDisputeEligibility', buyer, { body: { encrypted_transaction_id: bought } })
  const opened = await show('createDispute', buyer, {
    body: {
      disputed_transactions: [{ buyer_transaction_id: bought }],
      reason: NOT_RECEIVED,
      dispute_amount: usd('50.00'),
      extensions: { merchant_contacted: true, merchant_contacted_outcome: 'NO_RESPONSE' },
      evidences: [{ notes: 'It should have been here two weeks ago.' }],
    },
  })
  const id = idIn(opened.body)
  const params = { id }
  await show('disputeSendMessage', merchant, { params, body: { message: 'We are looking for your parcel.' } })
  await show('disputeMakeOffer', merchant, {
    params,
    body: { note: 'Half of it, and you keep it?', offer_type: 'REFUND', offer_amount: usd('25.00') },
  })
  await show('disputeDenyOffer', buyer, { params, body: { note: 'I would rather have all of it.' } })
  await show('updateDispute', merchant, {
    params,
    body: [{ op: 'add', path: '/communication_details', value: { email: 'desk@example.com', note: 'Ask for Kim.' } }],
  })
  await show('disputeEscalate', buyer, { params, body: { note: 'They do not answer.' } })
  await show('provideRefundPreference', buyer, { params, body: { funding_instrument_preference: { type: 'BALANCE' } } })
  await show('disputeProvideEvidence', merchant, { params, body: proof, files: [photo] })
  await show('disputeProvideSupportingInfo', buyer, { params, body: { notes: 'Nobody at home signed for it.' } })
  await show('disputeRequireEvidence', merchant, { params, body: { action: 'BUYER_EVIDENCE' } })
  await does(buyer, id, 'provide-evidence', { evidences: [{ evidence_type: 'OTHER', notes: 'Nothing in the post.' }] })
  await show('disputeAdjudicate', merchant, { params, body: { adjudication_outcome: 'BUYER_FAVOR' } })
  await show('disputeAppeal', merchant, {
    params,
    body: { evidences: [{ evidence_type: 'PROOF_OF_REFUND', evidence_info: { refund_ids: ['REFUND-1'] } }] },
  })
  const seen = await show('showDispute', merchant, { params })
  const { evidences } = seen.body as unknown as { evidences: { documents?: { url: string }[] }[] }
  const file = evidences.flatMap(({ documents = [] }) => documents)[0]!.url.split('/')
  await show('downloadDisputeDocument', merchant, { params: { document_id: file.at(-4)!, n: file.at(-2)! } })
  await show('listDisputes', merchant, { query: { statuses: 'UNDER_REVIEW', page_size: '10', total_required: 'true' } })
  await show('computeDisputeMetrics', merchant, { body: { dimension: 'STATUS', measure: 'DISPUTE_AMOUNT_SUM' } })
  await show('suggestDisputeSearches', merchant, { query: { search_text: id.slice(0, 8), search_field: 'DISPUTE_ID' } })

  await show('disputeAcceptClaim', merchant, {
    params: { id: await open(world) },
    body: { note: 'It was lost.', accept_claim_reason: 'LOST_IN_MAIL', accept_claim_type: 'REFUND' },
  })
  await show('disputeChangeReason', buyer, {
    params: { id: await open(world) },
    body: { reason: NOT_AS_DESCRIBED, item_info: [{ item_name: 'A chair', notes: 'It came, with a broken leg.' }] },
  })
  await show('changeDisputeReasonOldName', buyer, {
    params: { id: await open(world) },
    body: { reason: NOT_AS_DESCRIBED, item_info: [{ item_name: 'A chair', notes: 'It came, with a broken leg.' }] },
  })
  await show('disputeCancel', buyer, {
    params: { id: await open(world) },
    body: { note: 'It came today.', cancellation_reason: 'ITEM_RECEIVED' },
  })
  await returning(world, show)
  await besides(world, show)
}

const backAgainst = (value: string) => ({
  note: 'Please send it back.',
  offer_type: 'REFUND_WITH_RETURN',
  offer_amount: usd(value),
  return_shipping_address: address,
})
const sentBack = {
  evidences: [{ evidence_type: 'PROOF_OF_RETURN', evidence_info: { tracking_info: [tracking] } }],
}

/** A dispute about this payment, whose item is on its way back. */
export async function returned(
  { buyer, merchant }: { buyer: Person; merchant: Person },
  buyer_transaction_id: string,
): Promise<string> {
  const body = { disputed_transactions: [{ buyer_transaction_id }], reason: NOT_AS_DESCRIBED }
  const id = idIn((await buyer.post(DISPUTES, body)).body)
  await does(merchant, id, 'make-offer', backAgainst('48.00'))
  await does(buyer, id, 'accept-offer')
  await does(buyer, id, 'provide-evidence', sentBack)
  return id
}

/** Something goes back, and the postage is asked for. */
async function returning(world: World, show: Show): Promise<void> {
  const { merchant, buyer } = world
  const id = await open(world, NOT_AS_DESCRIBED)
  await does(merchant, id, 'make-offer', backAgainst('50.00'))
  const params = { id }
  const agreed = await show('disputeAcceptOffer', buyer, { params, body: { note: 'I will.' } })
  const request = (agreed.body as unknown as { links: { href: string }[] }).links.find(({ href }) =>
    /requests/.test(href),
  )
  await show('showRequest', buyer, { params: { id: request!.href.split('/').at(-1)! } })
  await does(buyer, id, 'provide-evidence', sentBack)
  await show('requestReturnCompensation', buyer, { params, body: { amount: usd('9.00'), note: 'The postage.' } })
  await show('showReturnCompensation', buyer, { params })
  await show('disputeAcknowledgeReturnItem', merchant, {
    params,
    body: { acknowledgement_type: 'ITEM_RECEIVED', note: 'It is back, as it was.' },
  })
}

/** What partners, banks and other marketplaces say. */
async function besides(world: World, show: Show): Promise<void> {
  const { merchant, partner } = world
  const id = await open(world, 'INCORRECT_AMOUNT')
  const helping = world.person('sandbox-partner', { actingFor: world.people.merchant.id })
  const value = { id: 'PA-1', name: 'PROVIDE_PROVISIONAL_CREDIT', status: 'PENDING', create_time: world.now() }
  const added = await helping.patch(`${DISPUTES}/${id}`, [{ op: 'add', path: '/partner_actions/-', value }])
  if (added.status !== 204) throw new Error(added.text)
  const params = { id, action_id: 'PA-1' }
  await show('updatePartnerAction', helping, { params, body: [{ op: 'replace', path: '/status', value: 'COMPLETED' }] })
  await show('showPartnerAction', helping, { params })

  const charged = await merchant.post<{ id: string; seller_transaction_id: string }>('/sandbox/transactions', {
    amount: usd('80.00'),
  })
  await show('simulateChargeback', merchant, {
    body: {
      transaction: { id_enc: charged.body.seller_transaction_id, amount: usd('80.00') },
      dispute: {
        id: 'BANK-778',
        processor_info: { reason_code: '4853', notes: 'The holder says it is another colour.' },
      },
    },
  })
  await show('receiveDisputeEvent', merchant, {
    body: {
      specversion: '1.0',
      id: 'E-1',
      type: 'dispute.opened',
      source: 'https://marketplace.example',
      datacontenttype: 'application/json',
      data: { dispute_id: 'THEIRS-1', reason: NOT_RECEIVED, amount: usd('12.00') },
    },
  })
  await show('validateReferredDisputeEligibility', partner, {
    body: { transaction_id: 'THEIR-PAYMENT-1', disputed_items: [{ category: 'HOME' }] },
  })
  const referred = await show('referDispute', partner, {
    body: {
      transaction: { id: 'THEIR-PAYMENT-1', gross_amount: usd('12.00') },
      reference_dispute: { id: 'CASE-1' },
      dispute_flow: 'THIRD_PARTY_CLAIM',
      reason: NOT_RECEIVED,
      messages: [{ posted_by: 'BUYER', content: 'Nothing came.' }],
    },
  })
  const place = { params: { id: idIn(referred.body) } }
  await show('processReferredRefund', partner, {
    ...place,
    body: {
      recipient: 'BUYER',
      amount: usd('12.00'),
      create_time: '2026-03-02T09:00:00Z',
      payout_type: 'REVERSAL',
      seller_protection_eligible: false,
      transaction_source: 'OTHER',
    },
  })
  await show('processReferredAdjudication', partner, {
    ...place,
    body: {
      outcome: { faulty_party: 'SELLER', adjudication_reason: 'Nothing was sent.' },
      dispute_amount: usd('12.00'),
    },
  })
  await show('showReferredDispute', partner, place)
  await show('listReferredDisputes', partner, {
    query: { create_time_after: '2026-02-01T00:00:00Z', create_time_before: '2026-04-01T00:00:00Z' },
  })
}
