import type { Role } from '../../kernel/caller.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { Prospect } from '../../kernel/lifecycle.ts'
import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import type { Dispute, FundMovement } from '../schema/dispute.ts'
import type { TimerName } from '../schema/enums.ts'
import { disputeActions, type PublicAction, publicActions } from './actions/index.ts'
import { timers } from './deadlines.ts'
import { type DisputeAction, disputeLifecycle } from './lifecycle.ts'
import { nodes } from './nodes.ts'
import { allowedRefund, owed, totalCovered } from './payments.ts'
import type { Rules } from './rules.ts'
import { nodeName, step, timerAfter } from './step.ts'

/** The timer that runs from then on, and what happens when it is up. */
export interface Deadline {
  readonly name: TimerName
  readonly due: Instant
  readonly waits_for: string
  readonly next: string
}

/** One of the places an action can lead to. */
export interface DisputeOutcome {
  readonly outcome: string
  /** The short name of the node, and what it means. */
  readonly node: string
  readonly standing: string
  readonly money: string
  readonly emits?: string
  readonly deadline?: Deadline
}

/** What follows when somebody acts, or why they cannot now. */
export type DisputeConsequence = { readonly action: PublicAction; readonly summary: string } & (
  | { readonly allowed: true; readonly outcomes: readonly DisputeOutcome[] }
  | { readonly allowed: false; readonly because: string }
)

/** What happens as time passes, when nobody acts. */
export interface Unattended {
  readonly at: Instant
  readonly waits_for: string
  readonly next: string
  readonly outcome: string
  readonly node: string
  readonly standing: string
  readonly money: readonly FundMovement[]
  readonly emits?: string
}

const meanings = new Map(nodes.map(({ node, meaning }) => [nodeName(node), meaning]))

/** An amount as it is told to whoever asks. */
type Printed = (amount: Money) => string
const plainly: Printed = ({ value, currency_code }) => `${value} ${currency_code}`

const NOTHING_MOVES = 'No money moves.'
const released = 'What is held goes back to the seller.'

/** What the buyer gets, and what the seller bears again of the money that the buyer already has. */
function toBuyer(dispute: Dispute, printed: Printed, fee = ''): string {
  const again = totalCovered(dispute)
  const kept = toMoney(again, dispute.dispute_amount.currency_code)
  const borne = again > 0n ? ` The seller bears the ${printed(kept)} that the buyer has.` : ''
  return `${printed(allowedRefund(dispute))} goes to the buyer${fee}.${borne}`
}

const forBuyer = (dispute: Dispute, printed: Printed) =>
  toBuyer(dispute, printed, toMinor(owed(dispute)) > 0n ? ', and a fee may be due' : ', and no fee is due')

const forEither = (dispute: Dispute, printed: Printed) =>
  `For the buyer, ${forBuyer(dispute, printed)} For the seller, what is held goes back.`

type Moved = (dispute: Dispute, printed: Printed) => string

/** What an outcome does with the money, as far as that can be said before the request is known. */
const moneyOf: Partial<Record<DisputeAction, Readonly<Record<string, Moved>>>> = {
  'make-offer': {
    proposed: () => 'No money moves until the buyer accepts.',
    refunded: (dispute, printed) => `${printed(allowedRefund(dispute))} goes to the buyer.`,
  },
  'accept-claim': {
    refunded: toBuyer,
    'partly offered': () => 'No money moves until the buyer accepts.',
    'return agreed': () => 'No money moves until the item is back.',
  },
  'accept-offer': {
    refunded: ({ offer, dispute_amount }, printed) =>
      `${printed(offer.seller_offered_amount ?? dispute_amount)} goes to the buyer, and the rest of the hold to the seller.`,
    'return agreed': () => 'No money moves until the item is back.',
    replaced: () => released,
  },
  'acknowledge-return-item': {
    received: ({ agreed_return, dispute_amount }, printed) =>
      `${printed(agreed_return?.amount ?? dispute_amount)} goes to the buyer.`,
  },
  cancel: {
    cancelled: () => released,
    partly: () => 'What is held for the payments that are taken out goes back to the seller.',
  },
  adjudicate: {
    'decided, appealable': forEither,
    'decided, final': forEither,
  },
  escalate: { 'too late, appealable': forBuyer, 'too late, final': forBuyer },
}

interface Circumstances {
  readonly now: Instant
  readonly rules: Rules
  readonly printed?: Printed
}

/** What the actions that people take by name would lead to, and why the others are not possible now. Pure. */
export function disputeConsequences(
  dispute: Dispute,
  roles: readonly Role[],
  circumstances: Circumstances,
): DisputeConsequence[] {
  return disputeLifecycle.prospects(dispute, roles).flatMap((prospect): DisputeConsequence[] => {
    const action = publicActions.find((known) => known === prospect.action)
    if (action === undefined) return []
    const { summary } = disputeActions[action]
    if (!prospect.allowed) return [{ action, summary, allowed: false, because: prospect.because }]
    return [{ action, summary, allowed: true, outcomes: outcomesOf(dispute, prospect, circumstances) }]
  })
}

function outcomesOf(
  dispute: Dispute,
  { action, rows }: Extract<Prospect<typeof disputeLifecycle.rows>, { allowed: true }>,
  { now, rules, printed = plainly }: Circumstances,
): DisputeOutcome[] {
  return rows.map(({ outcome, to, emits }) => {
    // A row names only some facets of a node; the others stay as they are.
    const next = { ...dispute, ...to } as Dispute
    const timer = timerAfter(action, dispute, next, { now, rules })
    return {
      outcome,
      ...standingOf(next),
      money: moneyOf[action]?.[outcome]?.(dispute, printed) ?? NOTHING_MOVES,
      ...(emits !== 'nothing' && { emits }),
      ...(timer && { deadline: deadlineOf(timer) }),
    }
  })
}

const standingOf = (dispute: Dispute) => {
  const node = nodeName(dispute)
  return { node, standing: meanings.get(node) ?? node }
}

const deadlineOf = ({ name, due }: NonNullable<Dispute['timer']>): Deadline => ({
  name,
  due,
  waits_for: timers[name].waitsFor,
  next: timers[name].next,
})

/** What happens when nobody acts, worked out by the very step that time will take. Undefined if no timer runs. */
export function ifNobodyActs(dispute: Dispute, rules: Rules): Unattended | undefined {
  const { timer } = dispute
  if (!timer) return undefined
  const action = timer.name === 'triage' ? 'triage' : 'pass-deadline'
  const clock = { side: 'seller', isPartner: false, tellsPartnerActions: false } as const
  const context = { now: timer.due, newId: () => '', ...clock, rules, uploads: [] }
  const { after, row } = step(dispute, ['clock'], action, {}, context)
  const { waits_for, next } = deadlineOf(timer)
  return {
    at: timer.due,
    waits_for,
    next,
    outcome: row.outcome,
    ...standingOf(after),
    money: (after.fund_movements ?? []).slice(dispute.fund_movements?.length ?? 0),
    ...(row.emits !== 'nothing' && { emits: row.emits }),
  }
}
