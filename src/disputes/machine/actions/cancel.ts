import { toMinor, toMoney } from '../../../kernel/money.ts'
import { Problem } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import type { Dispute } from '../../schema/dispute.ts'
import { cancellationReasons } from '../../schema/enums.ts'
import { Note } from '../../schema/given.ts'
import { disputeAction } from '../action.ts'
import { type Effect, end, inTurn, release } from '../settlement.ts'

/** The buyer withdraws the dispute or, if several payments are disputed, takes some of them out of it. */
export const cancel = disputeAction('cancel', {
  summary: 'Cancel the dispute',
  scopes: ['disputes/update-buyer'],
  body: Type.Object({
    note: Type.Optional(Note),
    cancellation_reason: Type.Optional(Type.Enum([...cancellationReasons])),
    transaction_ids: Type.Optional(Type.Array(Type.String({ minLength: 1, maxLength: 255 }), { maxItems: 1000 })),
  }),
  bodyOptional: true,
  decide(dispute, { note, cancellation_reason: reason, transaction_ids = [] }, context) {
    if (reason === 'OTHER' && note === undefined)
      throw new Problem(400, 'INVALID_REQUEST', [
        { issue: 'MISSING_REQUIRED_PARAMETER', field: '/note', description: 'The reason OTHER needs a note.' },
      ])
    const named = namedTransactions(dispute, transaction_ids)
    const cancellation = { ...(note !== undefined && { note }), ...(reason && { reason }) }
    const kept = () => ({ changes: { cancellation }, money: [] })
    if (named.size > 0 && named.size < dispute.disputed_transactions.length)
      return { outcome: 'partly', ...inTurn(dispute, kept, release(context, named), without(named)) }
    const closing = end('CANCELED_BY_BUYER', 'BUYER_CANCELLED_CASE')
    return { outcome: 'cancelled', ...inTurn(dispute, kept, release(context), closing) }
  },
})

/** The buyer's ids of the payments that a request names. If it names none, all are meant. */
function namedTransactions({ disputed_transactions, reason }: Dispute, ids: readonly string[]): Set<string> {
  const known = new Set(disputed_transactions.map(({ buyer_transaction_id }) => buyer_transaction_id))
  const unknown = ids.find((id) => !known.has(id))
  if (unknown !== undefined)
    throw new Problem(400, 'VALIDATION_ERROR', [
      {
        issue: 'INVALID_TRANSACTION_ID',
        field: '/transaction_ids',
        value: unknown,
        description: 'This payment is not in the dispute.',
      },
    ])
  return reason === 'UNAUTHORISED' ? new Set(ids) : new Set()
}

const without =
  (named: ReadonlySet<string>) =>
  (dispute: Dispute): Effect => {
    const left = dispute.disputed_transactions.filter(({ buyer_transaction_id }) => !named.has(buyer_transaction_id))
    const { currency_code } = dispute.dispute_amount
    const dispute_amount = toMoney(
      left.reduce((total, { disputed }) => total + toMinor(disputed), 0n),
      currency_code,
    )
    const { seller_offered_amount: offered } = dispute.offer
    const offer = {
      ...dispute.offer,
      buyer_requested_amount: dispute_amount,
      ...(offered && toMinor(offered) > toMinor(dispute_amount) && { seller_offered_amount: dispute_amount }),
    }
    const ids = new Set(left.map(({ seller_transaction_id }) => seller_transaction_id))
    const refunds = dispute.refunds?.filter(({ transaction }) => ids.has(transaction))
    return { changes: { disputed_transactions: left, dispute_amount, offer, refunds }, money: [] }
  }
