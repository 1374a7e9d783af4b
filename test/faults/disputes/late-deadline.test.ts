import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Instant } from '../../../src/kernel/clock.ts'
import type { SandboxClock } from '../../../src/sandbox/clock.ts'
import {
  canDo,
  DISPUTES,
  does,
  makePayment,
  open,
  type Problem,
  position,
  proof,
  refusal,
  sees,
} from '../../scenarios/disputes/people.ts'
import { newWorld, usd, type World } from '../../support/world.ts'

const NOT_NOW = '422 UNPROCESSABLE_ENTITY ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE'

describe('A deadline that is up and not carried out yet, because workers are late', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
  })
  afterAll(() => world.close())

  /** It is so much later, and nothing that fell due meanwhile was done. */
  const later = (instant: string) => (world.app.clock as SandboxClock).set(instant as Instant, true)
  const dueOf = async (id: string) => {
    const { seller_response_due_date, buyer_response_due_date } = await sees(world.buyer, id)
    return (seller_response_due_date ?? buyer_response_due_date)!
  }

  it('ends a claim for whoever answers it too late, and leaves them the appeal', async () => {
    const id = await open(world.buyer)
    await does(world.buyer, id, 'escalate', {})
    const due = await dueOf(id)
    await later(new Date(Date.parse(due) - 1000).toISOString())
    expect((await does(world.merchant, id, 'provide-supporting-info', { notes: 'In time.' })).status).toBe(200)
    await later(due)

    for (const [action, body] of [
      ['provide-evidence', proof],
      ['accept-claim', { note: 'We give in.' }],
      ['provide-supporting-info', { notes: 'Too late.' }],
    ] as const)
      expect(refusal(await does(world.merchant, id, action, body)), action).toBe(NOT_NOW)
    const patch = [{ op: 'add', path: '/communication_details', value: { note: 'Call.' } }]
    expect(refusal(await world.merchant.patch<Problem>(`${DISPUTES}/${id}`, patch))).toBe(NOT_NOW)
    expect(refusal(await does(world.buyer, id, 'cancel', {}))).toBe(NOT_NOW)

    await world.settle()
    const ended = await sees(world.merchant, id)
    expect(position(ended)).toBe('CHARGEBACK/RESOLVED APPEALABLE')
    expect(ended.dispute_outcome).toMatchObject({ outcome_reason: 'NO_SELLER_RESPONSE' })
    expect(await canDo(world.merchant, id)).toContain('appeal')
  })

  it('closes an offer, and an appeal that comes after the time for it', async () => {
    const offered = await open(world.buyer)
    await does(world.merchant, offered, 'make-offer', { note: '?', offer_type: 'REFUND', offer_amount: usd('5.00') })
    const lost = await open(world.buyer)
    await does(world.merchant, lost, 'provide-evidence', proof)
    await does(world.merchant, lost, 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' })
    await later(new Date(Date.parse(world.now()) + 40 * 86_400_000).toISOString())

    expect(refusal(await does(world.buyer, offered, 'accept-offer', {}))).toBe(NOT_NOW)
    expect(refusal(await does(world.merchant, lost, 'appeal', proof))).toBe(NOT_NOW)

    await world.settle()
    expect((await sees(world.buyer, offered)).dispute_outcome).toMatchObject({ outcome_code: 'CANCELED_BY_BUYER' })
    expect((await sees(world.merchant, lost)).dispute_state).toBe('RESOLVED')
  })

  it('takes what the seller gives back too late, with the fee, and leaves a refund alone where it takes nothing', async () => {
    const refundOf = (capture: string) => world.merchant.post<Problem>(`/v2/payments/captures/${capture}/refund`, {})
    const [lost, ended] = [await makePayment(world, '20.00'), await makePayment(world, '20.00')]
    const claim = await open(world.buyer, { transaction: lost.buyersId })
    await does(world.buyer, claim, 'escalate', {})
    await open(world.buyer, { transaction: ended.buyersId })
    await later(new Date(Date.parse(world.now()) + 40 * 86_400_000).toISOString())

    expect(refusal(await refundOf(lost.capture))).toBe('409 RESOURCE_CONFLICT CONCURRENT_UPDATE')
    expect((await refundOf(ended.capture)).status).toBe(201)
    await world.settle()
    const decided = await sees(world.merchant, claim)
    expect(decided.disputed_transactions[0]).toMatchObject({ transaction_status: 'REVERSED' })
    expect(decided.fund_movements).toContainEqual(expect.objectContaining({ reason: 'DISPUTE_FEE' }))
    expect(refusal(await refundOf(lost.capture))).toBe('422 UNPROCESSABLE_ENTITY CAPTURE_FULLY_REFUNDED')
  })

  it('leaves a seller on the accelerated timetable nothing but to give in wholly', async () => {
    const evidences = [{ notes: 'ACCELERATED_RESPONSE_ENABLED' }]
    const id = await open(world.buyer, { amount: usd('5.50'), evidences })
    await does(world.buyer, id, 'escalate', {})
    await later(await dueOf(id))

    const part = { note: 'Half.', accept_claim_type: 'PARTIAL_REFUND', refund_amount: usd('2.00') }
    const late = await does(world.merchant, id, 'accept-claim', part)
    expect(refusal(late)).toBe('400 INVALID_REQUEST INVALID_ACCEPT_CLAIM_TYPE')
    expect((await does(world.merchant, id, 'accept-claim', { note: 'All.' })).status).toBe(200)
    await world.settle()
    expect(position(await sees(world.merchant, id))).toBe('CHARGEBACK/RESOLVED RESOLVED')
  })

  it('keeps no bank from charging back', async () => {
    const { capture, buyersId } = await makePayment(world, '20.00')
    const id = await open(world.buyer, { transaction: buyersId })
    await later(new Date(Date.parse(world.now()) + 30 * 86_400_000).toISOString())

    const charged = await world.merchant.post('/v2/customer-support/process-chargeback', {
      transaction: { id_enc: capture },
      dispute: { stage: 'CHARGEBACK', amount: usd('20.00'), processor_info: { reason_code: '4853' } },
    })
    expect(charged.status, charged.text).toBe(201)
    expect((await sees(world.merchant, id)).status).toBe('RESOLVED')
    await world.settle()
  })

  it('is nobody’s while a dispute waits to be looked at first', async () => {
    const slow = await newWorld({ settings: { DISPUTE_TRIAGE_DELAY_SECONDS: '60' } })
    const id = await open(slow.buyer)
    await (slow.app.clock as SandboxClock).set(
      new Date(Date.parse(slow.now()) + 120_000).toISOString() as Instant,
      true,
    )

    expect((await does(slow.buyer, id, 'send-message', { message: 'Where is it?' })).status).toBe(200)
    await slow.settle()
    expect((await sees(slow.merchant, id)).status).toBe('WAITING_FOR_SELLER_RESPONSE')
    await slow.close()
  })
})
