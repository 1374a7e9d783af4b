import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeLedger } from '../../../src/ledger/ledger.ts'
import { over, shopOf } from '../../support/shop.ts'
import { newWorld, usd, type World } from '../../support/world.ts'
import {
  address,
  DISPUTES,
  does,
  makePayment,
  NOT_AS_DESCRIBED,
  open,
  type Payment,
  type Problem,
  proof,
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

const paid = (value: string) => makePayment(world, value)

async function paidInvoice(value: string): Promise<Payment & { invoice: string }> {
  const recipient = { billing_info: { email_address: world.people.buyer.email } }
  const { id } = await shopOf(world).sends(over(value, { primary_recipients: [recipient] }))
  const payment = await world.call<{ payment_id: string; buyer_transaction_id: string }>(
    'POST',
    `/sandbox/invoices/${id}/pay`,
    {},
  )
  await world.settle()
  return { invoice: id, capture: payment.body.payment_id, buyersId: payment.body.buyer_transaction_id }
}

const decide = (id: string, outcome: 'BUYER_FAVOR' | 'SELLER_FAVOR') =>
  does(world.merchant, id, 'adjudicate', { adjudication_outcome: outcome })

/** A dispute over all of a payment that went to a decision. */
async function decided(payment: Payment, value: string, outcome: 'BUYER_FAVOR' | 'SELLER_FAVOR'): Promise<string> {
  const id = await open(world.buyer, { transaction: payment.buyersId, amount: usd(value) })
  await does(world.buyer, id, 'escalate', {})
  await does(world.merchant, id, 'provide-evidence', proof)
  expect((await decide(id, outcome)).status).toBe(200)
  return id
}

const captureOf = async ({ capture }: Payment) =>
  (await world.merchant.get<{ status: string; links: { rel: string }[] }>(`/v2/payments/captures/${capture}`)).body
const eventsOf = async (resource: string) => (await world.events(resource)).map(({ type }) => type)
const transactionOf = ({ disputed_transactions }: Shown) =>
  disputed_transactions[0] as unknown as { transaction_status: string }
const balance = async () => {
  const { rows } = await world.app.database.query<{ book: string; amount: string }>(
    "select book, amount from ledger_balances where account_id = $1 and currency = 'USD'",
    [world.people.merchant.id],
  )
  return Object.fromEntries(rows.map(({ book, amount }) => [book, Number(amount)])) as Record<string, number>
}
describe('An appeal that the seller wins', () => {
  it('makes the payment and its invoice whole again', async () => {
    const payment = await paidInvoice('100.00')
    const before = await balance()
    const id = await decided(payment, '100.00', 'BUYER_FAVOR')
    await world.settle()
    expect((await captureOf(payment)).status).toBe('REFUNDED')
    expect((await shopOf(world).sees(payment.invoice)).status).toBe('REFUNDED')

    await does(world.merchant, id, 'appeal', proof)
    expect((await decide(id, 'SELLER_FAVOR')).status).toBe(200)
    await world.settle()

    const shown = await sees(world.merchant, id)
    expect(shown.dispute_outcome).toEqual({
      outcome_code: 'RESOLVED_SELLER_FAVOUR',
      outcome_reason: 'INELIGIBLE_BUYER_PROTECTION_POLICY',
    })
    expect(transactionOf(shown).transaction_status).toBe('COMPLETED')
    expect(shown.refund_details).toEqual({ allowed_refund_amount: usd('0.00') })
    const invoice = await shopOf(world).sees(payment.invoice)
    expect(invoice.status).toBe('PAID')
    expect(invoice.refunds).toBeUndefined()
    expect((await captureOf(payment)).status).toBe('COMPLETED')
    const after = await balance()
    // All of it is back, less the fee of the lost claim, which an appeal does not undo.
    expect(after['balance']! - before['balance']!).toBe(-15_00)
    expect(after['service']! - before['service']!).toBe(-100_00)
    expect(after['payer']! - before['payer']!).toBe(100_00)
  })

  it('leaves on the invoice what was refunded beside it, also where that gave back only a tip until then', async () => {
    const { id: invoice } = await shopOf(world).sends(
      over('100.00', {
        primary_recipients: [{ billing_info: { email_address: world.people.buyer.email } }],
        configuration: { allow_tip: true },
      }),
    )
    const { body } = await world.call<{ payment_id: string; buyer_transaction_id: string }>(
      'POST',
      `/sandbox/invoices/${invoice}/pay`,
      { tip: usd('20.00') },
    )
    const payment = { capture: body.payment_id, buyersId: body.buyer_transaction_id }
    const id = await decided(payment, '90.00', 'BUYER_FAVOR')
    await world.settle()
    await world.merchant.post(`/v2/payments/captures/${payment.capture}/refund`, { amount: usd('25.00') })
    await world.merchant.post(`/v2/payments/captures/${payment.capture}/refund`, { amount: usd('5.00') })
    await world.settle()
    const shown = async () => {
      const { status, refunds } = await shopOf(world).sees(invoice)
      return [status, ...(refunds?.transactions ?? []).map(({ amount }) => amount.value)]
    }
    expect(await shown()).toEqual(['REFUNDED', '90.00', '10.00'])

    await does(world.merchant, id, 'appeal', proof)
    await decide(id, 'SELLER_FAVOR')
    await world.settle()
    expect(await shown()).toEqual(['PARTIALLY_REFUNDED', '25.00', '5.00'])
    expect((await captureOf(payment)).status).toBe('PARTIALLY_REFUNDED')

    await does(world.buyer, id, 'appeal', proof)
    await decide(id, 'BUYER_FAVOR')
    await world.settle()
    expect(await shown()).toEqual(['REFUNDED', '25.00', '5.00', '70.00'])
  })

  it('is told in events', async () => {
    const payment = await paidInvoice('80.00')
    const id = await decided(payment, '80.00', 'BUYER_FAVOR')
    await world.settle()
    await does(world.merchant, id, 'appeal', proof)
    await decide(id, 'SELLER_FAVOR')
    await world.settle()

    expect(await eventsOf(payment.capture)).toEqual([
      'PAYMENT.CAPTURE.COMPLETED',
      'PAYMENT.CAPTURE.REVERSED',
      'PAYMENT.CAPTURE.COMPLETED',
    ])
    const [, reversed, restored] = await world.events(payment.capture)
    expect(restored!.resource).toMatchObject({ id: payment.capture, status: 'COMPLETED' })
    expect((await eventsOf(payment.invoice)).slice(-2)).toEqual([
      'INVOICING.INVOICE.REFUNDED',
      'INVOICING.INVOICE.UPDATED',
    ])
    const refundId = (reversed!.resource as unknown as { id: string }).id
    const refund = await world.merchant.get<{ status: string }>(`/v2/payments/refunds/${refundId}`)
    expect(refund.body.status).toBe('CANCELLED')
  })

  it('leaves the buyer what was given, and says so', async () => {
    const payment = await paid('60.00')
    const id = await decided(payment, '60.00', 'BUYER_FAVOR')
    await does(world.merchant, id, 'appeal', proof)
    await decide(id, 'SELLER_FAVOR')

    const shown = await sees(world.buyer, id)

    expect(shown.dispute_outcome).toEqual({ outcome_code: 'RESOLVED_SELLER_FAVOUR', amount_refunded: usd('60.00') })
    expect(shown.refund_details?.transactions).toHaveLength(1)
    expect(shown.fund_movements).toMatchObject([{ party: 'BUYER', type: 'CREDIT', amount: usd('60.00') }])
  })

  it('leaves nothing that could be refunded a second time', async () => {
    const payment = await paid('60.00')
    const id = await decided(payment, '60.00', 'BUYER_FAVOR')
    await does(world.merchant, id, 'appeal', proof)
    await decide(id, 'SELLER_FAVOR')

    const again = await world.merchant.post<{ details: { issue: string }[] }>(
      `/v2/payments/captures/${payment.capture}/refund`,
    )

    expect([again.status, again.body.details[0]!.issue]).toEqual([422, 'CAPTURE_FULLY_REFUNDED'])
    expect((await captureOf(payment)).links.map(({ rel }) => rel)).toEqual(['self'])
  })

  it('and the buyer wins back costs the seller once', async () => {
    const payment = await paidInvoice('100.00')
    const before = await balance()
    const id = await decided(payment, '100.00', 'BUYER_FAVOR')
    await does(world.merchant, id, 'appeal', proof)
    await decide(id, 'SELLER_FAVOR')

    expect((await does(world.buyer, id, 'appeal', proof)).status).toBe(200)
    expect((await decide(id, 'BUYER_FAVOR')).status).toBe(200)
    await world.settle()

    const after = await balance()
    expect(after['balance']! - before['balance']!).toBe(-115_00)
    expect(after['service']! - before['service']!).toBe(0)
    expect(after['payer']! - before['payer']!).toBe(100_00)
    const shown = await sees(world.merchant, id)
    expect(shown.dispute_outcome).toMatchObject({
      outcome_code: 'RESOLVED_BUYER_FAVOUR',
      amount_refunded: usd('100.00'),
    })
    expect(transactionOf(shown).transaction_status).toBe('REVERSED')
    expect((await captureOf(payment)).status).toBe('REFUNDED')
    expect((await shopOf(world).sees(payment.invoice)).status).toBe('REFUNDED')
    expect((await eventsOf(payment.capture)).at(-1)).toBe('PAYMENT.CAPTURE.REVERSED')
    expect((await eventsOf(payment.invoice)).at(-1)).toBe('INVOICING.INVOICE.REFUNDED')
  })

  it('and the buyer appeals in turn is paid by a seller who gives in then, in those words', async () => {
    const payment = await paid('100.00')
    const id = await decided(payment, '100.00', 'BUYER_FAVOR')
    await does(world.merchant, id, 'appeal', proof)
    await decide(id, 'SELLER_FAVOR')
    await does(world.buyer, id, 'appeal', proof)
    const before = await balance()

    const part = await does(world.merchant, id, 'accept-claim', { note: 'Half?', refund_amount: usd('50.00') })
    expect(refusal(part)).toBe('400 VALIDATION_ERROR INVALID_REFUND_AMOUNT')
    expect((await does(world.merchant, id, 'accept-claim', { note: 'Fine.' })).status).toBe(200)

    expect((await balance())['balance']! - before['balance']!).toBe(-100_00)
    const { offer, dispute_outcome } = await sees(world.merchant, id)
    expect(offer?.seller_offered_amount).toEqual(usd('100.00'))
    expect(offer?.history).toMatchObject([{ event_type: 'PROPOSED', offer_amount: usd('100.00') }])
    expect(dispute_outcome?.amount_refunded).toEqual(usd('100.00'))
  })

  it('and the buyer appeals in turn is not given in to without the money for it', async () => {
    const own = await newWorld()
    const gross = { currency_code: 'PLN', value: '100.00' }
    const id = await open(own.buyer, { reason: 'OTHER', amount: gross })
    const judge = (outcome: string) => does(own.merchant, id, 'adjudicate', { adjudication_outcome: outcome })
    await does(own.merchant, id, 'provide-evidence', proof)
    await judge('BUYER_FAVOR')
    await does(own.merchant, id, 'appeal', proof)
    await judge('SELLER_FAVOR')
    await does(own.buyer, id, 'appeal', proof)
    // A new account has no zloty but those of the payment.
    await own.app.transact(async (tx) =>
      makeLedger(own.app.service).chargeFee(tx, own.people.merchant.id, { ...gross, value: '15.00' }, 'TEST', 'test'),
    )

    const accepted = await does(own.merchant, id, 'accept-claim', { note: 'Fine.' })

    expect(refusal(accepted)).toBe('400 VALIDATION_ERROR INSUFFICIENT_FUNDS')
    await own.close()
  })

  it('counts as refunded for the buyer and not for the seller', async () => {
    const refunded = async (who = world.merchant) => {
      const answer = await who.post<{ metrics: { key: string; amount: { value: string }[] }[] }>(
        `${DISPUTES}/compute-metrics`,
        { dimension: 'DISPUTE_OUTCOME', measure: 'REFUND_AMOUNT_SUM' },
      )
      const sums = answer.body.metrics.flatMap(({ amount }) => amount.map(({ value }) => Number(value)))
      return sums.reduce((sum, value) => sum + value, 0)
    }
    const [seller, buyer] = [await refunded(), await refunded(world.buyer)]
    const id = await decided(await paid('7.00'), '7.00', 'BUYER_FAVOR')
    await does(world.merchant, id, 'appeal', proof)
    await decide(id, 'SELLER_FAVOR')

    expect((await refunded()) - seller).toBe(0)
    expect((await refunded(world.buyer)) - buyer).toBe(7)
  })
})

describe('A seller who has not enough', () => {
  const gross = { currency_code: 'PLN', value: '100.00' }
  const REFUSED = '400 VALIDATION_ERROR INSUFFICIENT_FUNDS'
  let own: World
  beforeAll(async () => {
    own = await newWorld()
  })
  afterAll(() => own.close())

  /** A new account has no zloty but those of its payments; then it has less than is held of one. */
  const becomesPoor = () =>
    own.app.transact(async (tx) =>
      makeLedger(own.app.service).chargeFee(tx, own.people.merchant.id, { ...gross, value: '60.00' }, 'TEST', 'test'),
    )
  const offers = (id: string, more: object) =>
    does(own.merchant, id, 'make-offer', { note: 'So.', offer_type: 'REFUND', ...more })

  it('makes no offer, and what was offered before cannot be taken', async () => {
    const [offered, sentBack] = [
      await open(own.buyer, { amount: gross }),
      await open(own.buyer, { reason: NOT_AS_DESCRIBED, amount: gross }),
    ]
    const half = { offer_amount: { ...gross, value: '50.00' } }
    expect((await offers(offered, half)).status).toBe(200)
    const back = { offer_type: 'REFUND_WITH_RETURN', return_shipping_address: address }
    expect((await offers(sentBack, { ...half, ...back })).status).toBe(200)
    expect((await does(own.buyer, sentBack, 'accept-offer', {})).status).toBe(202)
    const parcel = { evidence_type: 'PROOF_OF_RETURN', evidence_info: { tracking_info: [tracking] } }
    expect((await does(own.buyer, sentBack, 'provide-evidence', { evidences: [parcel] })).status).toBe(200)
    await becomesPoor()

    const third = await open(own.buyer, { amount: gross })
    expect(refusal(await offers(third, half))).toBe(REFUSED)
    expect(refusal(await does(own.buyer, offered, 'accept-offer', {}))).toBe(REFUSED)
    expect(refusal(await does(own.merchant, sentBack, 'acknowledge-return-item', {}))).toBe(REFUSED)
  })
})

describe('A refund beside an open dispute', () => {
  const refund = ({ capture }: Payment, value?: string) =>
    world.merchant.post<{ id: string }>(
      `/v2/payments/captures/${capture}/refund`,
      value === undefined ? undefined : { amount: usd(value) },
    )

  it('is in the money of the dispute at once, and announced', async () => {
    const payment = await paid('50.00')
    const id = await open(world.buyer, { transaction: payment.buyersId, amount: usd('50.00') })

    const made = await refund(payment)

    expect(made.status).toBe(201)
    const shown = await sees(world.merchant, id)
    expect(transactionOf(shown).transaction_status).toBe('REFUNDED')
    expect(shown.refund_details).toMatchObject({
      allowed_refund_amount: usd('0.00'),
      transactions: [{ id: made.body.id, gross_amount: usd('50.00') }],
    })
    const last = (await world.events(id)).at(-1)!
    expect(last.type).toBe('CUSTOMER.DISPUTE.UPDATED')
    expect(last.resource).toMatchObject({ refund_details: { allowed_refund_amount: usd('0.00') } })
  })

  it('gives back all of it or nothing, while the dispute holds the money', async () => {
    const payment = await paid('50.00')
    await open(world.buyer, { transaction: payment.buyersId, amount: usd('50.00') })

    const part = await world.merchant.post<{ details: { issue: string }[] }>(
      `/v2/payments/captures/${payment.capture}/refund`,
      { amount: usd('10.00') },
    )

    expect(part.body.details[0]!.issue).toBe('CAPTURE_DISPUTED_PARTIAL_REFUND_NOT_ALLOWED')
  })

  it('counts when the dispute ends', async () => {
    const payment = await paid('50.00')
    const id = await open(world.buyer, { transaction: payment.buyersId, amount: usd('50.00') })
    await refund(payment)

    expect((await does(world.buyer, id, 'cancel', { note: 'Got it.' })).status).toBe(200)

    const shown = await sees(world.merchant, id)
    expect(transactionOf(shown).transaction_status).toBe('REFUNDED')
    expect(shown.refund_details?.allowed_refund_amount).toEqual(usd('0.00'))
    expect(shown.dispute_outcome).toMatchObject({ outcome_code: 'CANCELED_BY_BUYER', amount_refunded: usd('50.00') })
  })

  it('counts also after the dispute ended', async () => {
    const payment = await paid('50.00')
    const id = await open(world.buyer, { transaction: payment.buyersId, amount: usd('20.00') })
    await does(world.buyer, id, 'cancel', { note: 'My mistake.' })
    const events = await eventsOf(id)

    await refund(payment, '15.00')

    const shown = await sees(world.merchant, id)
    expect(transactionOf(shown).transaction_status).toBe('PARTIALLY_REFUNDED')
    expect(shown.refund_details).toMatchObject({
      allowed_refund_amount: usd('5.00'),
      transactions: [{ gross_amount: usd('15.00') }],
    })
    expect(await eventsOf(id)).toEqual(events)
  })

  it('of everything leaves nothing to lose: the deadline costs no fee, nor does a decision', async () => {
    const [silent, decidedOn] = [await paid('35.00'), await paid('35.00')]
    const late = await open(world.buyer, {
      transaction: silent.buyersId,
      reason: 'INCORRECT_AMOUNT',
      amount: usd('20.00'),
    })
    const judged = await open(world.buyer, { transaction: decidedOn.buyersId, reason: 'INCORRECT_AMOUNT' })
    await refund(silent)
    await refund(decidedOn)
    // It does not end by itself: whether that was all is for the parties to say, or for a decision.
    expect((await sees(world.merchant, late)).status).toBe('WAITING_FOR_SELLER_RESPONSE')
    await does(world.merchant, judged, 'provide-evidence', proof)
    const before = await balance()

    await world.pass('P12D')
    await decide(judged, 'BUYER_FAVOR')

    const shown = await sees(world.merchant, late)
    expect(shown.dispute_outcome).toEqual({
      outcome_code: 'RESOLVED_BUYER_FAVOUR',
      outcome_reason: 'NO_SELLER_RESPONSE',
      amount_refunded: usd('35.00'),
    })
    expect([shown.fund_movements, (await sees(world.merchant, judged)).fund_movements]).toEqual([undefined, undefined])
    expect((await balance())['fees']).toBe(before['fees'])
  })

  it('of a part leaves the rest to be lost, with the fee', async () => {
    const payment = await paid('90.00')
    const made = await world.merchant.post<{ dispute_id: string }>('/v2/customer-support/process-chargeback', {
      transaction: { id_enc: payment.capture },
      dispute: { amount: usd('90.00') },
    })
    await refund(payment, '30.00')

    await world.pass('P12D')

    const { dispute_outcome, fund_movements } = await sees(world.merchant, made.body.dispute_id)
    expect(dispute_outcome?.amount_refunded).toEqual(usd('90.00'))
    expect(fund_movements).toMatchObject([
      { party: 'SELLER', type: 'DEBIT', amount: usd('60.00') },
      { party: 'BUYER', type: 'CREDIT', amount: usd('60.00') },
      { party: 'SELLER', type: 'DEBIT', amount: usd('20.00'), reason: 'CHARGEBACK_FEE' },
    ])
  })

  it('counts for a chargeback too, which holds nothing', async () => {
    const payment = await paid('90.00')
    const made = await world.merchant.post<{ dispute_id: string }>('/v2/customer-support/process-chargeback', {
      transaction: { id_enc: payment.capture },
      dispute: { amount: usd('90.00'), processor_info: { reason_code: 'C2' } },
    })
    const id = made.body.dispute_id

    await refund(payment, '30.00')

    const shown = await sees(world.merchant, id)
    expect(shown.refund_details?.allowed_refund_amount).toEqual(usd('60.00'))
    expect(transactionOf(shown).transaction_status).toBe('PARTIALLY_REFUNDED')
    await does(world.merchant, id, 'accept-claim', { note: 'Take the rest.' })
    const ended = await sees(world.merchant, id)
    expect(ended.dispute_outcome).toMatchObject({ amount_refunded: usd('90.00') })
    expect(ended.refund_details?.transactions).toHaveLength(2)
  })

  it('is no part of what comes back on appeal', async () => {
    const payment = await paid('90.00')
    const made = await world.merchant.post<{ dispute_id: string }>('/v2/customer-support/process-chargeback', {
      transaction: { id_enc: payment.capture },
      dispute: { amount: usd('90.00'), processor_info: { reason_code: 'C2' } },
    })
    const id = made.body.dispute_id
    await refund(payment, '30.00')
    const before = await balance()
    await does(world.merchant, id, 'provide-evidence', proof)
    await decide(id, 'BUYER_FAVOR')
    await does(world.merchant, id, 'appeal', proof)
    await decide(id, 'SELLER_FAVOR')

    const shown = await sees(world.merchant, id)
    expect(shown.dispute_outcome).toMatchObject({ amount_refunded: usd('30.00') })
    expect((await captureOf(payment)).status).toBe('PARTIALLY_REFUNDED')
    expect((await balance())['balance']! - before['balance']!).toBe(-20_00)
  })
})

describe('A chargeback of a payment that was disputed before', () => {
  it('is in the money of the earlier dispute as well', async () => {
    const payment = await paid('45.00')
    const first = await open(world.buyer, { transaction: payment.buyersId, amount: usd('45.00') })
    const made = await world.merchant.post<{ dispute_id: string }>('/v2/customer-support/process-chargeback', {
      transaction: { id_enc: payment.capture },
      dispute: { amount: usd('45.00') },
    })

    await does(world.merchant, made.body.dispute_id, 'accept-claim', { note: 'We agree.' })

    const shown = await sees(world.merchant, first)
    expect(shown.dispute_outcome?.outcome_code).toBe('NONE')
    expect(transactionOf(shown).transaction_status).toBe('REFUNDED')
    expect(shown.refund_details?.allowed_refund_amount).toEqual(usd('0.00'))
  })
})

describe('A dispute over several payments', () => {
  const disputing = async (amount: string, ...values: string[]) => {
    const payments = await Promise.all(values.map(paid))
    const response = await world.buyer.post<Problem & { links: { href: string }[] }>(DISPUTES, {
      disputed_transactions: payments.map(({ buyersId }) => ({ buyer_transaction_id: buyersId })),
      reason: 'UNAUTHORISED',
      dispute_amount: usd(amount),
    })
    return { payments, response, id: response.body.links?.[0]?.href.split('/').at(-1) ?? '' }
  }

  it('is about something of each: it is refused over fewer cents than there are payments', async () => {
    const { response } = await disputing('0.02', '10.00', '10.00', '10.00')
    expect(refusal(response)).toBe('400 VALIDATION_ERROR INVALID_DISPUTE_AMOUNT')
  })

  it('is never over nothing, whichever of them are taken out of it', async () => {
    const { payments, id } = await disputing('0.03', '100.00', '0.01', '0.01')
    const shown = await sees(world.merchant, id)
    expect(shown.disputed_transactions.map(({ transaction_status }) => transaction_status)).toEqual(
      Array(3).fill('HELD'),
    )

    const without = await does(world.buyer, id, 'cancel', { transaction_ids: [payments[0]!.buyersId] })
    expect(without.status, without.text).toBe(200)
    expect((await sees(world.merchant, id)).dispute_amount).toEqual(usd('0.02'))

    const accepted = await does(world.merchant, id, 'accept-claim', { note: 'Take it.' })
    expect(accepted.status, accepted.text).toBe(200)
    const { dispute_outcome, refund_details } = await sees(world.merchant, id)
    expect(dispute_outcome!.amount_refunded).toEqual(usd('0.02'))
    expect(refund_details!.transactions!.map(({ gross_amount }) => gross_amount.value)).toEqual(['0.01', '0.01'])
  })
})
