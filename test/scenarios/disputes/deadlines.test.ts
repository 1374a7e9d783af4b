import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newWorld, usd, type World } from '../../support/world.ts'
import { address, does, eventsOf, NOT_AS_DESCRIBED, open, position, type Shown, sees, tracking } from './people.ts'

const evidence = (evidence_type: string) => ({
  evidences: [{ evidence_type, notes: 'See.', evidence_info: { tracking_info: [tracking], refund_ids: ['R1'] } }],
})
const returning = { note: 'Send it.', accept_claim_type: 'REFUND_WITH_RETURN', return_shipping_address: address }

type Doing = readonly [who: 'buyer' | 'merchant', action: string, body: object]
const escalate: Doing = ['buyer', 'escalate', {}]
const prove: Doing = ['merchant', 'provide-evidence', evidence('OTHER')]

interface Timer {
  readonly title: string
  readonly reason?: string
  readonly doings: readonly Doing[]
  /** The due date, and on which side; none where nobody is waited for. */
  readonly due?: readonly ['seller' | 'buyer', string]
  /** How many days later it has ended. */
  readonly days: number
  readonly ends: string
  readonly outcome: readonly [code: string, reason?: string]
  readonly transaction: string
}

// The world begins on 2 March at 01:00 in Los Angeles, and summer time begins there on the 8th.
const tenDays = '2026-03-13T06:59:59.000Z'
const threeDays = '2026-03-06T07:59:59.000Z'

const timers: readonly Timer[] = [
  {
    title: 'An offer that nobody answers ends with the inquiry',
    doings: [['merchant', 'make-offer', { note: 'Half?', offer_type: 'REFUND', offer_amount: usd('5.00') }]],
    due: ['buyer', '2026-03-22T09:00:00.000Z'],
    days: 20,
    ends: 'INQUIRY/RESOLVED RESOLVED',
    outcome: ['CANCELED_BY_BUYER', 'BUYER_CANCELLED_CASE'],
    transaction: 'COMPLETED',
  },
  {
    title: 'A claim the seller does not answer is lost',
    doings: [escalate],
    due: ['seller', tenDays],
    days: 12,
    ends: 'CHARGEBACK/RESOLVED APPEALABLE',
    outcome: ['RESOLVED_BUYER_FAVOUR', 'NO_SELLER_RESPONSE'],
    transaction: 'REVERSED',
  },
  {
    title: 'Evidence an agent asked the seller for is due in three days',
    doings: [escalate, prove, ['merchant', 'require-evidence', { action: 'SELLER_EVIDENCE' }]],
    due: ['seller', threeDays],
    days: 4,
    ends: 'CHARGEBACK/RESOLVED APPEALABLE',
    outcome: ['RESOLVED_BUYER_FAVOUR', 'NO_SELLER_RESPONSE_FOR_ADDITIONAL_INFO_REQUEST'],
    transaction: 'REVERSED',
  },
  {
    title: 'Evidence an agent asked the buyer for is due in three days',
    doings: [escalate, prove, ['merchant', 'require-evidence', { action: 'BUYER_EVIDENCE' }]],
    due: ['buyer', threeDays],
    days: 4,
    ends: 'CHARGEBACK/RESOLVED RESOLVED',
    outcome: ['RESOLVED_SELLER_FAVOUR', 'NO_RESPONSE_FROM_BUYER_FOR_ADDITIONAL_INFO_REQUEST'],
    transaction: 'COMPLETED',
  },
  {
    title: 'An offer in a claim is due in ten days',
    doings: [
      escalate,
      ['merchant', 'accept-claim', { note: 'Part.', accept_claim_type: 'PARTIAL_REFUND', refund_amount: usd('5.00') }],
    ],
    due: ['buyer', tenDays],
    days: 12,
    ends: 'CHARGEBACK/RESOLVED RESOLVED',
    outcome: ['RESOLVED_SELLER_FAVOUR', 'NO_RESPONSE_FROM_BUYER'],
    transaction: 'COMPLETED',
  },
  {
    title: 'An item that is not sent back closes the dispute for the seller',
    reason: NOT_AS_DESCRIBED,
    doings: [['merchant', 'accept-claim', returning]],
    due: ['buyer', tenDays],
    days: 12,
    ends: 'INQUIRY/RESOLVED RESOLVED',
    outcome: ['RESOLVED_SELLER_FAVOUR', 'PROOF_OF_TRACKING_NOT_SUBMITTED'],
    transaction: 'COMPLETED',
  },
  {
    title: 'A return that is not acknowledged is refunded',
    reason: NOT_AS_DESCRIBED,
    doings: [
      ['merchant', 'accept-claim', returning],
      ['buyer', 'provide-evidence', evidence('PROOF_OF_RETURN')],
    ],
    due: ['seller', tenDays],
    days: 12,
    ends: 'INQUIRY/RESOLVED RESOLVED',
    outcome: ['RESOLVED_BUYER_FAVOUR', 'VALID_RETURN_DELIVERY_PROOF'],
    transaction: 'REFUNDED',
  },
]

async function follow(world: World, id: string, doings: readonly Doing[]): Promise<void> {
  for (const [who, action, body] of doings) {
    const { status, text } = await does(world[who], id, action, body)
    expect(status, `${action}: ${text}`).toBe(200)
  }
}

describe('Deadlines that all began at the same time', () => {
  let world: World
  const opened = new Map<Timer, { id: string; waiting: Shown }>()
  let passed = 0
  beforeAll(async () => {
    world = await newWorld()
    for (const timer of timers) {
      const id = await open(world.buyer, { ...(timer.reason && { reason: timer.reason }) })
      await follow(world, id, timer.doings)
      opened.set(timer, { id, waiting: await sees(world.merchant, id) })
    }
  })
  afterAll(() => world.close())

  for (const timer of timers.toSorted((a, b) => a.days - b.days))
    it(timer.title, async () => {
      const { due, days, ends, outcome, transaction } = timer
      const { id, waiting } = opened.get(timer)!
      if (due) expect(waiting[`${due[0]}_response_due_date`]).toBe(due[1])

      if (days > passed) await world.pass(`P${days - passed}D`)
      passed = days

      const ended = await sees(world.merchant, id)
      expect(position(ended)).toBe(ends)
      expect(ended.dispute_outcome).toMatchObject({ outcome_code: outcome[0], outcome_reason: outcome[1] })
      expect(ended.disputed_transactions[0]!['transaction_status']).toBe(transaction)
      expect((await eventsOf(world, id)).at(-1)).toBe('RESOLVED')
    })
})

describe('Deadlines', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  it('keep a dispute with the agents when its statement asks for that', async () => {
    const id = await open(world.buyer, { evidences: [{ notes: 'Please HOLD_IN_REVIEW.' }] })

    expect(position(await sees(world.merchant, id))).toBe('INQUIRY/UNDER_REVIEW UNDER_REVIEW')
    expect((await does(world.merchant, id, 'adjudicate', { adjudication_outcome: 'SELLER_FAVOR' })).status).toBe(200)
  })

  it('are shorter on the accelerated timetable, as the amount pretends', async () => {
    const accelerated = (value: string) =>
      open(world.buyer, { amount: usd(value), evidences: [{ notes: 'ACCELERATED_RESPONSE_ENABLED' }] })
    const [five, nine, late] = [await accelerated('5.50'), await accelerated('9.50'), await accelerated('20.00')]
    await does(world.merchant, nine, 'send-message', { message: 'Hello.' })
    for (const id of [five, nine, late]) expect((await does(world.buyer, id, 'escalate', {})).status).toBe(200)

    expect((await sees(world.merchant, five)).seller_response_due_date).toBe('2026-03-07T09:00:00.000Z')
    expect((await sees(world.merchant, nine)).seller_response_due_date).toBe('2026-03-05T09:00:00.000Z')
    expect((await sees(world.merchant, late)).dispute_outcome).toMatchObject({ outcome_reason: 'NO_SELLER_RESPONSE' })
    await world.pass('P6D')
    expect(position(await sees(world.merchant, five))).toBe('CHARGEBACK/UNDER_REVIEW UNDER_REVIEW')
  })

  it('close the appeal window without an event', async () => {
    const id = await open(world.buyer)
    await follow(world, id, [escalate, prove, ['merchant', 'adjudicate', { adjudication_outcome: 'BUYER_FAVOR' }]])
    expect((await sees(world.merchant, id)).dispute_state).toBe('APPEALABLE')
    const before = await eventsOf(world, id)

    await world.pass('P12D')

    expect((await sees(world.merchant, id)).dispute_state).toBe('RESOLVED')
    expect(await eventsOf(world, id)).toEqual(before)
    expect((await does(world.merchant, id, 'appeal', evidence('OTHER'))).status).toBe(422)
  })

  it('leave a review alone unless a setting decides', async () => {
    const id = await open(world.buyer)
    await follow(world, id, [escalate, prove])
    await world.pass('P60D')
    expect(position(await sees(world.merchant, id))).toBe('CHARGEBACK/UNDER_REVIEW UNDER_REVIEW')

    const hasty = await newWorld({ settings: { DISPUTE_AUTO_ADJUDICATE: 'SELLER_FAVOR' } })
    const other = await open(hasty.buyer)
    await follow(hasty, other, [escalate, prove])
    await hasty.pass('P12D')
    expect((await sees(hasty.merchant, other)).dispute_outcome?.outcome_code).toBe('RESOLVED_SELLER_FAVOUR')
    await hasty.close()
  })

  it('let triage wait when it is told to', async () => {
    const waiting = await newWorld({ settings: { DISPUTE_TRIAGE_DELAY_SECONDS: '240' } })
    const id = await open(waiting.buyer)
    expect(position(await sees(waiting.merchant, id))).toBe('INQUIRY/OPEN OPEN_INQUIRIES')
    expect(await eventsOf(waiting, id)).toEqual(['CREATED'])

    await waiting.pass('PT5M')

    expect(position(await sees(waiting.merchant, id))).toBe('INQUIRY/WAITING_FOR_SELLER_RESPONSE REQUIRED_ACTION')
    expect(await eventsOf(waiting, id)).toEqual(['CREATED', 'UPDATED'])

    const paid = await waiting.merchant.post<{ seller_transaction_id: string }>('/sandbox/transactions', {
      amount: usd('10.00'),
    })
    const { body: bank } = await waiting.merchant.post<{ dispute_id: string }>(
      '/v2/customer-support/process-chargeback',
      {
        transaction: { id_enc: paid.body.seller_transaction_id },
        dispute: { response_date: '2026-03-09T00:00:00Z' },
      },
    )
    await waiting.pass('PT5M')
    const asked = await sees(waiting.merchant, bank.dispute_id)
    expect([asked.status, asked.seller_response_due_date]).toEqual([
      'WAITING_FOR_SELLER_RESPONSE',
      '2026-03-09T00:00:00.000Z',
    ])
    await waiting.pass('P8D')
    expect((await sees(waiting.merchant, bank.dispute_id)).dispute_outcome?.outcome_code).toBe('RESOLVED_BUYER_FAVOUR')
    await waiting.close()
  })
})
