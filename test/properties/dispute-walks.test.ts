import assert from 'node:assert/strict'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { MoneyOrder } from '../../src/disputes/machine/action.ts'
import { disputeActions } from '../../src/disputes/machine/actions/index.ts'
import { type DisputeAction, disputeLifecycle } from '../../src/disputes/machine/lifecycle.ts'
import { allowedRefund, totalCovered, totalRefunded } from '../../src/disputes/machine/payments.ts'
import type { Rules } from '../../src/disputes/machine/rules.ts'
import { nodeName, step } from '../../src/disputes/machine/step.ts'
import { presentDispute } from '../../src/disputes/present.ts'
import type { Dispute } from '../../src/disputes/schema/dispute.ts'
import { type Channel, type Reason, reasons } from '../../src/disputes/schema/enums.ts'
import { after, type Instant } from '../../src/kernel/clock.ts'
import { toMinor, toMoney } from '../../src/kernel/money.ts'
import { Problem } from '../../src/kernel/problem.ts'
import { describedService } from '../../src/printed.ts'
import { times } from '../support/size.ts'
import { begin, contextFor, inputFor, people, START, usualRules } from './dispute-machine.ts'

interface Books {
  captured: bigint
  held: bigint
  refunds: bigint[]
  /** What the seller gave back beside the dispute, and what another dispute about the payment did. */
  beside: bigint
  elsewhere: bigint
  fees: bigint[]
  toSeller: bigint
  toBuyer: bigint
}

interface Walk {
  dispute: Dispute
  readonly books: Books
  now: Instant
  readonly rules: Rules
  /** `IS make-offer IF` for each step that was taken. */
  readonly moves: string[]
}

/** What the contract says can follow from each action, written down apart from the table. */
const same = [
  'IO',
  'IS',
  'IF',
  'IB',
  'IR',
  'IA',
  'IU',
  'CS',
  'CF',
  'CB',
  'CU',
  'CR',
  'CA',
  'PU',
  'PS',
  'PB',
  'AU',
  'AS',
  'AB',
]
const lines = (from: string, to: string) => from.split(' ').flatMap((a) => to.split(' ').map((b) => `${a}>${b}`))
const inquiry = 'IO IS IF IB IU IR IA'
const claims = 'CS CF CB CU CR CA PU PS PB AU AS AB'
const contract: Record<DisputeAction, readonly string[]> = {
  triage: ['IO>IS', 'IO>IU', 'CO>CS', 'CO>CU'],
  'send-message': ['IO', 'IS', 'IF', 'IB', 'IR', 'IA'].map((node) => `${node}>${node}`),
  'make-offer': lines('IO IS', 'IF XX'),
  'accept-claim': [...lines(`IO IS IA ${claims}`, 'XX'), ...lines('IO IS', 'IF IR'), ...lines('CS', 'CF CR')],
  'accept-offer': [...lines('IF', 'IR XX'), 'CF>XX'],
  'deny-offer': ['IF>IS', 'CF>CU'],
  'provide-evidence': [
    ...['IS>IU', 'CS>CU', 'PS>PU', 'AS>AU', 'IA>CU', 'CA>CU', 'IB>IU', 'CB>CU', 'PB>PU', 'AB>AU'],
    ...['IF>IF', 'CF>CF', 'IR>IA', 'CR>CA', 'IR>IR', 'CR>CR'],
  ],
  'acknowledge-return-item': lines('IA CA', 'XX CU'),
  escalate: lines(inquiry, 'CS CU XA XX'),
  'require-evidence': ['IU>IS', 'CU>CS', 'PU>PS', 'AU>AS', 'IU>IB', 'CU>CB', 'PU>PB', 'AU>AB'],
  adjudicate: [...lines('IU CU PU', 'XA XX'), 'AU>XX'],
  appeal: lines('XA', 'PU AU'),
  'provide-supporting-info': claims.split(' ').map((node) => `${node}>${node}`),
  cancel: [...lines(`${inquiry} CO CS CF CB CU CR CA`, 'XX')],
  'change-reason': lines('IO IS IF CS', 'CS'),
  patch: [...same, 'CO'].map((node) => `${node}>${node}`),
  'update-partner-action': [...same, 'CO'].map((node) => `${node}>${node}`),
  'provide-refund-preference': ['CS>CS', 'CU>CU', 'CB>CB'],
  'answer-compensation': [],
  'return-compensation': ['IA>IA', 'CA>CA', 'XX>XX', 'XA>XA'],
  'follow-payment': [...same, 'CO', 'XA', 'XX'].map((node) => `${node}>${node}`),
  supersede: [...same, 'CO'].map((node) => `${node}>XX`),
  'pass-deadline': [
    ...lines('IS IF', 'XX'),
    ...lines('IS CS IB CB CF PS PB', 'XA XX'),
    ...lines('AS AB IR CR IA CA', 'XX'),
    ...lines('IU CU PU', 'XA XX'),
    ...['CS>CU', 'AU>XX', 'XA>XX', 'PS>XX'],
  ],
}

function post(books: Books, orders: readonly MoneyOrder[]): void {
  for (const order of orders) {
    if (order.move === 'hold') books.held += toMinor(order.amount)
    if (order.move === 'fee') books.fees.push(toMinor(order.amount))
    if (order.move === 'turn-reversal') books.toSeller = order.status === 'CANCELLED' ? books.refunds[0]! : 0n
    if (order.move === 'pay-buyer') books.toBuyer += toMinor(order.amount)
    if (order.move === 'settle') {
      books.held = 0n
      if (toMinor(order.refund) > 0n) books.refunds.push(toMinor(order.refund))
    }
  }
}

const BATCH = 500
const HISTORIES = times(500, 10_000)
const HISTORIES_MAX = 40_000
/** From this one all nodes are soon reached; in a long run each has its own. */
const SEED = times(6_000, Date.now())

const actions = Object.keys(disputeActions) as DisputeAction[]
const rulesArbitrary = fc.record({
  maxAppealsPerParty: fc.constantFrom(0, 1, 2),
  autoAdjudicate: fc.constantFrom('off', 'off', 'BUYER_FAVOR', 'SELLER_FAVOR'),
  triageTarget: fc.constantFrom('SELLER', 'SELLER', 'REVIEW'),
  acceleratedTimetable: fc.constantFrom(false, false, true),
})
const likely = ['MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED', 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED'] as const
const beginningArbitrary = fc.record({
  reason: fc.constantFrom<Reason>(...likely, ...likely, ...likely, ...likely, ...reasons),
  channel: fc.constantFrom<Channel>('INTERNAL', 'INTERNAL', 'INTERNAL', 'INTERNAL', 'EXTERNAL', 'ALERT'),
  disputed: fc.bigInt(1n, 20_000n),
  more: fc.bigInt(0n, 5_000n),
  intangible: fc.constantFrom(false, false, false, true),
  email: fc.constantFrom('b@example.com', 'b@example.com', 'noappeal@example.com'),
})
// A step is one number, taken apart below: drawing five for each would cost more than the walk itself.
const historyArbitrary = fc.tuple(
  beginningArbitrary,
  rulesArbitrary,
  fc.array(fc.nat(2 ** 31 - 1), { minLength: 3, maxLength: 16, size: 'max' }),
)

const waits = [0, 0, 0, 0, 1, 100] as const

/** Most steps follow a link, so that histories get somewhere; the others try whatever comes. */
function deedOf(number: number) {
  let rest = number
  const draw = (sides: number) => {
    const drawn = rest % sides
    rest = Math.floor(rest / sides)
    return drawn
  }
  return {
    person: [0, 0, 1, 1, 1, 2][draw(6)]!,
    follow: draw(10),
    hours: waits[draw(6)]!,
    choice: draw(60),
    pick: rest,
  }
}

type History = Parameters<
  Parameters<typeof fc.property<[typeof historyArbitrary extends fc.Arbitrary<infer T> ? T : never]>>[1]
>[0]

function start([{ more, ...beginning }, chosen]: History): Walk {
  const rules = { ...usualRules, ...chosen } as Rules
  const { dispute, money } = begin({ ...beginning, gross: beginning.disputed + more }, rules)
  const books: Books = {
    captured: beginning.disputed + more,
    held: 0n,
    refunds: [],
    beside: 0n,
    elsewhere: 0n,
    fees: [],
    toSeller: 0n,
    toBuyer: 0n,
  }
  post(books, money)
  return { dispute, books, now: START, rules, moves: [] }
}

/** Does one thing, if it can be done, and lets due deadlines pass before it. */
function take(walk: Walk, deed: ReturnType<typeof deedOf>): void {
  const target = after(walk.now, deed.hours * 3600)
  for (let due = walk.dispute.timer?.due; due !== undefined && due <= target; due = walk.dispute.timer?.due) {
    walk.now = due > walk.now ? due : walk.now
    const action = walk.dispute.timer?.name === 'triage' ? 'triage' : 'pass-deadline'
    attempt(walk, action, { side: 'seller', isPartner: false, roles: ['clock'] }, {})
  }
  walk.now = target
  if (deed.follow === 1 && deed.choice < 20) {
    refundApart(walk, deed)
    return
  }
  const person = people[deed.person]!
  const outsider = person.side === 'buyer' && walk.dispute.dispute_channel !== 'INTERNAL'
  const roles = outsider ? (['buyer'] as const) : person.roles
  const open = disputeLifecycle.allowed(walk.dispute, roles).filter((action) => !dull.has(action))
  const pool = deed.follow > 0 && open.length > 0 ? open : actions
  const action = pool[deed.choice % pool.length]!
  attempt(walk, action, { ...person, roles }, inputFor(walk.dispute, action, person.side, deed.pick, person.isPartner))
}

const givenBack = ({ refunds, beside, elsewhere }: Books) => refunds.reduce((a, b) => a + b, beside + elsewhere)

/** Money of the payment goes back apart from the dispute, as much as may: all or nothing of it while some is held. */
function refundApart(walk: Walk, { choice, pick }: ReturnType<typeof deedOf>): void {
  const { books, dispute } = walk
  const left = books.captured - givenBack(books)
  if (left === 0n) return
  const isHeld = books.held > 0n
  const amount = isHeld || choice % 4 === 0 ? left : 1n + (BigInt(pick) % left)
  // Another dispute about the payment is only open where this one is over or holds nothing.
  const byAnother = !isHeld && choice % 3 === 0
  books[byAnother ? 'elsewhere' : 'beside'] += amount
  books.held = 0n
  const usd = (minor: bigint) => toMoney(minor, 'USD')
  const { reversed, covered } = dispute.disputed_transactions[0]!
  const change = {
    transaction: {
      id: 'S1',
      held: usd(0n),
      refunded: usd(givenBack(books)),
      ...(reversed && { reversed }),
      ...(covered && { covered }),
    },
    refund: {
      id: `R${walk.moves.length}`,
      amount: usd(amount),
      status: 'COMPLETED',
      create_time: walk.now,
      ...(byAnother && { dispute_id: 'ANOTHER' }),
    },
  }
  attempt(walk, 'follow-payment', { side: 'seller', isPartner: false, roles: ['clock'] }, [change])
}

/** What leads nowhere, or ends everything, is done only now and then. */
const dull: ReadonlySet<DisputeAction> = new Set([
  'supersede',
  'cancel',
  'patch',
  'provide-refund-preference',
  'return-compensation',
])

type Actor = { side: 'seller' | 'buyer'; isPartner: boolean; roles: readonly string[] }

function attempt(walk: Walk, action: DisputeAction, { side, isPartner, roles }: Actor, input: unknown): void {
  const allowed = disputeLifecycle.allows(walk.dispute, roles, action)
  try {
    disputeLifecycle.require(walk.dispute, roles, action)
    const { after: next, decision } = step(
      walk.dispute,
      roles,
      action,
      input,
      contextFor(walk.now, side, isPartner, walk.rules),
    )
    walk.moves.push(`${nodeName(walk.dispute)} ${action} ${nodeName(next)}`)
    walk.dispute = next
    post(walk.books, decision.money ?? [])
  } catch (error) {
    if (!(error instanceof Problem)) throw error
    // What is offered can be done; only compensation also depends on the time that has passed, and a partner's on its own.
    // Nothing can be offered where nothing is left.
    if (action === 'make-offer' && toMinor(allowedRefund(walk.dispute)) === 0n) return
    if (allowed && action !== 'return-compensation' && action !== 'update-partner-action') throw error
  }
}

function checkMoney({ dispute, books }: Walk): void {
  const refunded = books.refunds.reduce((a, b) => a + b, 0n)
  assert.ok(books.refunds.length <= 1)
  assert.ok(refunded <= toMinor(dispute.dispute_amount))
  assert.ok(givenBack(books) <= books.captured)
  assert.equal(refunded + books.beside, totalRefunded(dispute))
  assert.equal(books.toSeller, totalCovered(dispute))
  const allowed = toMinor(allowedRefund(dispute))
  assert.ok(allowed + givenBack(books) <= books.captured)
  const undone = toMinor(dispute.dispute_amount) - refunded - books.beside
  assert.ok(allowed <= (undone > 0n ? undone : 0n))
  assert.ok(books.toSeller <= refunded)
  assert.ok(books.fees.length <= 1)
  // A decision costs a fee only where it takes something.
  assert.ok(books.fees.length === 0 || refunded > 0n)
  assert.ok(books.toBuyer <= 3000n)
  const held = dispute.disputed_transactions.reduce((sum, one) => sum + toMinor(one.held), 0n)
  assert.equal(held, books.held)
  const appealed = dispute.dispute_life_cycle_stage.endsWith('ARBITRATION')
  const isWhole = books.beside + books.elsewhere === 0n
  const holds = dispute.status !== 'RESOLVED' && dispute.dispute_channel === 'INTERNAL' && !appealed && isWhole
  assert.equal(held, holds ? toMinor(dispute.dispute_amount) : 0n)
}

function checkShape(walk: Walk): void {
  const { dispute } = walk
  const isResolved = dispute.status === 'RESOLVED'
  assert.equal(dispute.dispute_outcome !== undefined, isResolved)
  assert.equal(dispute.finality === 'OPEN', !isResolved)
  assert.equal(dispute.flow !== 'NONE' && !dispute.status.startsWith('WAITING'), false)
  const waits = dispute.status.startsWith('WAITING') || dispute.finality === 'APPEALABLE' || dispute.status === 'OPEN'
  const reviews = dispute.status === 'UNDER_REVIEW' && walk.rules.autoAdjudicate !== 'off'
  assert.equal(dispute.timer !== undefined, waits || reviews)
  for (const { side, isPartner, roles } of people) {
    const view = isPartner ? 'partner' : side
    const shown = presentDispute(dispute, { view, side, roles }, describedService)
    assert.ok((shown['links'] as unknown[]).length <= 10)
    if (side === 'seller') assert.ok(!JSON.stringify(shown).includes(dispute.buyer.email!))
  }
}

describe('After any history of a dispute', () => {
  it(`money, terminal states and the contract of transitions hold, ${HISTORIES} times`, () => {
    const seen = new Set<string>()
    const reached = () => new Set([...seen].flatMap((move) => [move.split(' ')[0]!, move.split(' ')[2]!]))
    const nodes = [...same, 'CO', 'XA', 'XX']
    const histories = () =>
      fc.property(historyArbitrary, (history) => {
        const walk = start(history)
        checkMoney(walk)
        for (const deed of history[2]) {
          const wasFinal = walk.dispute.finality === 'FINAL'
          const before = walk.dispute
          take(walk, deedOf(deed))
          checkMoney(walk)
          if (wasFinal && walk.dispute !== before)
            assert.match(walk.moves.at(-1)!, /^XX (return-compensation|follow-payment) XX$/)
        }
        checkShape(walk)
        for (const move of walk.moves) seen.add(move)
      })
    // Some nodes are hard to come by, and a few more histories find the way to them.
    for (let done = 0; done < HISTORIES || (done < HISTORIES_MAX && reached().size < nodes.length); done += BATCH)
      fc.assert(histories(), { numRuns: BATCH, seed: SEED + done / BATCH })

    for (const move of seen) {
      const [from, action, to] = move.split(' ') as [string, DisputeAction, string]
      const allowed = contract[action].includes(`${from}>${to}`)
      expect(allowed, `the contract knows no ${move}`).toBe(true)
    }
    expect([...reached()].sort()).toEqual(nodes.sort())
  })
})
