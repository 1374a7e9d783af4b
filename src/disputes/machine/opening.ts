import type { Instant } from '../../kernel/clock.ts'
import { toMinor, toMoney } from '../../kernel/money.ts'
import type { Dispute, DisputedTransaction, Evidence, Message, Party, StoredDocument } from '../schema/dispute.ts'
import { type Channel, NOT_AS_DESCRIBED, NOT_RECEIVED, type Reason, type Stage } from '../schema/enums.ts'
import type { Extensions } from '../schema/extensions.ts'
import type { ActionContext, MoneyOrder } from './action.ts'
import { timerFor } from './deadlines.ts'
import { withStatus } from './payments.ts'
import { hold, inTurn, none } from './settlement.ts'

/** If the address of a sandbox buyer contains this word, the buyer cannot appeal, nor can the seller against them. */
const NO_APPEAL = 'noappeal'
/** In a sandbox, an opening statement that is exactly this text puts the dispute on the accelerated timetable. */
export const ACCELERATED = 'ACCELERATED_RESPONSE_ENABLED'

export interface Opening {
  readonly reason: Reason
  readonly channel: Channel
  readonly seller: Party & { readonly account_id: string }
  readonly buyer: Party
  readonly inquiryOptOut: boolean
  readonly transactions: readonly Omit<DisputedTransaction, 'held' | 'refunded' | 'transaction_status'>[]
  readonly extensions?: Extensions | undefined
  /** What the buyer says about it, and the documents that go with it. */
  readonly statements: readonly { readonly text?: string | undefined; readonly documents: readonly StoredDocument[] }[]
  readonly messages: readonly string[]
  readonly externalReasonCode?: string | undefined
  readonly answerBy?: Instant | undefined
  readonly stage?: Stage | undefined
}

/** A dispute about merchandise between the parties begins as an inquiry; any other begins as a claim. */
export function firstStage(reason: Reason, channel: Channel, inquiryOptOut: boolean): Stage {
  const merchandise = reason === NOT_RECEIVED || reason === NOT_AS_DESCRIBED
  return channel === 'INTERNAL' && merchandise && !inquiryOptOut ? 'INQUIRY' : 'CHARGEBACK'
}

/** T1 of the contract: a new dispute, before triage, and the hold that it places. */
export function openDispute(
  opening: Opening,
  context: ActionContext,
): { dispute: Dispute; money: readonly MoneyOrder[] } {
  const { reason, channel, seller, buyer, transactions, externalReasonCode, answerBy } = opening
  const { now, rules, newId } = context
  const currency = transactions[0]!.disputed.currency_code
  const zero = toMoney(0n, currency)
  const amount = toMoney(
    transactions.reduce((sum, { disputed }) => sum + toMinor(disputed), 0n),
    currency,
  )
  const stage = opening.stage ?? firstStage(reason, channel, opening.inquiryOptOut)
  const evidences = statementsOf(opening, stage, now)
  const messages = messagesOf(opening, now)
  const bare: Dispute = {
    dispute_id: newId('dispute'),
    create_time: now,
    update_time: now,
    dispute_life_cycle_stage: stage,
    status: 'OPEN',
    flow: 'NONE',
    finality: 'OPEN',
    reason,
    dispute_channel: channel,
    dispute_amount: amount,
    seller,
    buyer,
    disputed_transactions: transactions.map((transaction) =>
      withStatus({ ...transaction, transaction_status: 'COMPLETED', held: zero, refunded: zero }),
    ),
    offer: { buyer_requested_amount: amount },
    ...(externalReasonCode !== undefined && { external_reason_code: externalReasonCode }),
    ...(answerBy !== undefined && { answer_by: answerBy }),
    ...(opening.extensions && { extensions: opening.extensions }),
    ...(evidences.length > 0 && { evidences }),
    ...(messages.length > 0 && { messages }),
    appeals: { seller: 0, buyer: 0 },
    appeals_open: !(rules.sandbox && buyer.email?.toLowerCase().includes(NO_APPEAL)),
    ...(isAccelerated(opening, context) && { accelerated: true }),
  }
  const { changes, money } = inTurn(bare, channel === 'INTERNAL' ? hold(context) : () => none)
  const held = { ...bare, ...changes } as Dispute
  const timer = timerFor(held, now, rules)
  return { dispute: timer ? { ...held, timer } : held, money }
}

const isAccelerated = ({ statements }: Opening, { rules }: ActionContext): boolean =>
  rules.acceleratedTimetable || (rules.sandbox && statements.some(({ text }) => text === ACCELERATED))

/** The opening statement is evidence of a type of its own, and also the first message. */
function statementsOf({ statements }: Opening, stage: Stage, now: Instant): Evidence[] {
  return statements.map(({ text, documents }) => ({
    evidence_type: 'CREATE',
    ...(text !== undefined && { notes: text }),
    ...(documents.length > 0 && { documents }),
    source: 'SUBMITTED_BY_BUYER',
    date: now,
    dispute_life_cycle_stage: stage,
  }))
}

function messagesOf({ statements, messages, transactions }: Opening, now: Instant): Message[] {
  const fromItems = transactions.flatMap(({ items = [] }) => items.flatMap(({ notes }) => notes ?? []))
  const said = [...statements.flatMap(({ text }) => text ?? []), ...messages]
  return (said.length > 0 ? said : fromItems).map((content) => ({ posted_by: 'BUYER', time_posted: now, content }))
}
