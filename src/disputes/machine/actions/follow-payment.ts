import type { Instant } from '../../../kernel/clock.ts'
import type { Money } from '../../../kernel/money.ts'
import { Type } from '../../../kernel/type.ts'
import type { DisputeRefund } from '../../schema/dispute.ts'
import { disputeAction } from '../action.ts'
import { asInLedger, type LedgerMoney } from '../payments.ts'

/** A payment after money of it moved, and the refund that moved it. */
interface Change {
  readonly transaction: LedgerMoney & { readonly id: string }
  readonly refund: {
    readonly id: string
    readonly amount: Money
    readonly status: 'COMPLETED' | 'CANCELLED'
    readonly dispute_id?: string
    readonly create_time: string
  }
}

/** Money of a disputed payment was moved elsewhere: by a refund of the seller, or by another dispute about the payment. */
export const followPayment = disputeAction('follow-payment', {
  summary: 'Follow what happened to a payment outside the dispute',
  scopes: [],
  body: Type.Unsafe<readonly Change[]>({ type: 'array' }),
  decide({ disputed_transactions, refunds: before = [] }, changes) {
    // A refund of another dispute belongs to that one. Here it only leaves less of the payment.
    const refunds = changes.filter(({ refund }) => refund.dispute_id === undefined).reduce(withRefund, before)
    return {
      outcome: 'followed',
      changes: {
        disputed_transactions: disputed_transactions.map((one) => {
          const change = changes.find(({ transaction }) => transaction.id === one.seller_transaction_id)
          return change ? asInLedger(one, change.transaction, refunds) : one
        }),
        refunds,
      },
    }
  },
})

function withRefund(refunds: readonly DisputeRefund[], { transaction, refund }: Change): readonly DisputeRefund[] {
  const { id, amount, status, create_time } = refund
  const isCancelled = status === 'CANCELLED'
  if (refunds.some((known) => known.id === id))
    return refunds.map((known) => (known.id === id ? { ...known, cancelled: isCancelled } : known))
  const added: DisputeRefund = {
    id,
    transaction: transaction.id,
    gross_amount: amount,
    // Documents hold instants as plain text once they have been through the database.
    create_time: create_time as Instant,
    ...(isCancelled && { cancelled: true }),
  }
  return [...refunds, added]
}
