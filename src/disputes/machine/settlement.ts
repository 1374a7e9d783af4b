import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import type { Dispute, DisputedTransaction, FundMovement, MovementReason } from '../schema/dispute.ts'
import type { OutcomeCode } from '../schema/enums.ts'
import type { ActionContext, Changes, MoneyOrder } from './action.ts'
import { allowedRefund, least, minus, plus, refundable, sum, withStatus } from './payments.ts'

/** A part of a decision: what changes and what money moves. Parts are applied one after the other. */
export interface Effect {
  readonly changes: Changes
  readonly money: readonly MoneyOrder[]
}

export const none: Effect = { changes: {}, money: [] }

/** Applies effects in order. Each sees what the ones before it changed. */
export function inTurn(dispute: Dispute, ...steps: ((dispute: Dispute) => Effect)[]): Effect {
  return steps.reduce<Effect>((done, step) => {
    // Changes never hold the node, so a dispute with changes is still a whole dispute.
    const { changes, money } = step({ ...dispute, ...done.changes } as Dispute)
    return { changes: { ...done.changes, ...changes }, money: [...done.money, ...money] }
  }, none)
}

function movement(
  party: 'SELLER' | 'BUYER',
  type: 'DEBIT' | 'CREDIT',
  amount: Money,
  reason: MovementReason,
  { now }: ActionContext,
): FundMovement {
  return { party, type, amount, initiated_time: now, reason }
}

const moved = (dispute: Dispute, ...movements: FundMovement[]): Changes => ({
  fund_movements: [...(dispute.fund_movements ?? []), ...movements.filter(({ amount }) => toMinor(amount) > 0n)],
})

/** M1 of the contract: keeps the disputed amount back from the seller. */
export const hold =
  (context: ActionContext) =>
  (dispute: Dispute): Effect => ({
    changes: {
      disputed_transactions: dispute.disputed_transactions.map((transaction) =>
        withStatus({ ...transaction, held: transaction.disputed }),
      ),
      ...moved(dispute, movement('SELLER', 'DEBIT', dispute.dispute_amount, 'HOLD_PLACED', context)),
    },
    money: dispute.disputed_transactions.map(({ seller_transaction_id, disputed }) => ({
      move: 'hold',
      transaction: seller_transaction_id,
      amount: disputed,
    })),
  })

interface RefundTerms {
  /**
   * Who orders the refund. If the seller agrees to it, they need cover; if a decision or a deadline orders it, it happens
   * anyway.
   */
  readonly by: 'seller' | 'clock' | 'decision'
  readonly invoiceId?: string | undefined
}

/**
 * M2: gives `amount` back to the buyer, at most what is left of the dispute, and releases the rest of the hold. What the
 * buyer kept after a decision was overturned is the seller's to bear again.
 */
export const refund =
  (amount: Money, terms: RefundTerms, context: ActionContext) =>
  (dispute: Dispute): Effect =>
    inTurn(dispute, turnReversals('COMPLETED', context), giveBack(amount, terms, context))

const giveBack =
  (amount: Money, { by, invoiceId }: RefundTerms, context: ActionContext) =>
  (dispute: Dispute): Effect => {
    const currency = dispute.dispute_amount.currency_code
    let left = least(toMinor(amount), toMinor(allowedRefund(dispute)))
    const total = toMoney(left, currency)
    const money: MoneyOrder[] = []
    const refunds = [...(dispute.refunds ?? [])]
    const transactions = dispute.disputed_transactions.map((transaction) => {
      const share = least(left, refundable(transaction))
      left -= share
      const refundId = context.newId('transaction')
      const given = toMoney(share, currency)
      if (share > 0n || toMinor(transaction.held) > 0n)
        money.push({
          move: 'settle',
          transaction: transaction.seller_transaction_id,
          refund: given,
          refundId,
          forced: by !== 'seller',
          reversal: by === 'decision',
          ...(invoiceId !== undefined && { invoiceId }),
        })
      if (share > 0n)
        refunds.push({
          id: refundId,
          transaction: transaction.seller_transaction_id,
          gross_amount: given,
          create_time: context.now,
          ...(invoiceId && { invoice_id: invoiceId }),
          ...(by === 'decision' && { reversal: true }),
        })
      return afterRefund(transaction, share, by)
    })
    return {
      changes: {
        disputed_transactions: transactions,
        ...(refunds.length > 0 && { refunds }),
        ...moved(
          dispute,
          movement('SELLER', 'DEBIT', total, 'DISPUTE_SETTLEMENT', context),
          movement('BUYER', 'CREDIT', total, 'DISPUTE_SETTLEMENT', context),
          movement(
            'SELLER',
            'CREDIT',
            toMoney(heldBeyond(dispute, toMinor(total)), currency),
            'HOLD_RELEASED',
            context,
          ),
        ),
      },
      money,
    }
  }

const heldBeyond = ({ disputed_transactions }: Dispute, refunded: bigint): bigint => {
  const held = sum(disputed_transactions.map(({ held }) => held))
  return held > refunded ? held - refunded : 0n
}

function afterRefund(transaction: DisputedTransaction, share: bigint, by: RefundTerms['by']): DisputedTransaction {
  const { refunded, reversed } = transaction
  return withStatus({
    ...transaction,
    held: minus(transaction.held, transaction.held),
    refunded: plus(refunded, share),
    ...(by === 'decision' && share > 0n && { reversed: plus(reversed ?? minus(refunded, refunded), share) }),
  })
}

/** M4: releases the hold, back to the seller. */
export const release =
  (context: ActionContext, only?: ReadonlySet<string>) =>
  (dispute: Dispute): Effect => {
    const currency = dispute.dispute_amount.currency_code
    const freed = dispute.disputed_transactions.filter(
      ({ held, buyer_transaction_id }) => toMinor(held) > 0n && (only === undefined || only.has(buyer_transaction_id)),
    )
    const names = new Set(freed.map(({ seller_transaction_id }) => seller_transaction_id))
    const zero = toMoney(0n, currency)
    return {
      changes: {
        disputed_transactions: dispute.disputed_transactions.map((transaction) =>
          names.has(transaction.seller_transaction_id) ? withStatus({ ...transaction, held: zero }) : transaction,
        ),
        ...moved(
          dispute,
          movement('SELLER', 'CREDIT', toMoney(sum(freed.map(({ held }) => held)), currency), 'HOLD_RELEASED', context),
        ),
      },
      money: freed.map(({ seller_transaction_id }) => ({
        move: 'settle',
        transaction: seller_transaction_id,
        refund: zero,
        refundId: '',
        forced: true,
        reversal: false,
      })),
    }
  }

/** M3: what a lost dispute costs the seller, charged once for each dispute. */
export const chargeFee =
  (context: ActionContext) =>
  (dispute: Dispute): Effect => {
    const { disputeFees, chargebackFees } = context.rules
    const internal = dispute.dispute_channel === 'INTERNAL'
    const amount = (internal ? disputeFees : chargebackFees)[dispute.dispute_amount.currency_code]
    if (amount === undefined || dispute.fee_charged) return none
    const reason = internal ? 'DISPUTE_FEE' : 'CHARGEBACK_FEE'
    return {
      changes: { fee_charged: true, ...moved(dispute, movement('SELLER', 'DEBIT', amount, reason, context)) },
      money: [{ move: 'fee', amount, reason }],
    }
  }

/**
 * M5: a decision was overturned, so the service gives back to the seller what it took, and the buyer keeps the money. The
 * other way round if that is overturned in turn.
 */
export const turnReversals =
  (status: 'CANCELLED' | 'COMPLETED', context: ActionContext) =>
  (dispute: Dispute): Effect => {
    const isCancelled = status === 'CANCELLED'
    const turned = (dispute.refunds ?? []).filter(
      ({ reversal, cancelled }) => reversal && Boolean(cancelled) !== isCancelled,
    )
    if (turned.length === 0) return none
    const amount = toMoney(sum(turned.map(({ gross_amount }) => gross_amount)), dispute.dispute_amount.currency_code)
    return {
      changes: {
        refunds: dispute.refunds!.map((one) => (turned.includes(one) ? { ...one, cancelled: isCancelled } : one)),
        disputed_transactions: dispute.disputed_transactions.map((transaction) => {
          const own = turned.filter(({ transaction: id }) => id === transaction.seller_transaction_id)
          const total = sum(own.map(({ gross_amount }) => gross_amount)) * (isCancelled ? 1n : -1n)
          return total === 0n ? transaction : borneByService(transaction, total)
        }),
        ...moved(dispute, movement('SELLER', isCancelled ? 'CREDIT' : 'DEBIT', amount, 'DISPUTE_SETTLEMENT', context)),
      },
      money: turned.map(({ id, transaction }) => ({ move: 'turn-reversal', transaction, refundId: id, status })),
    }
  }

function borneByService(transaction: DisputedTransaction, amount: bigint): DisputedTransaction {
  const zero = toMoney(0n, transaction.gross_amount.currency_code)
  const { reversed = zero, covered = zero } = transaction
  return withStatus({ ...transaction, reversed: plus(reversed, -amount), covered: plus(covered, amount) })
}

/** Writes how the dispute ended. How much the buyer got is told by the payments. */
export const end =
  (outcome_code: OutcomeCode, outcome_reason?: string) =>
  (dispute: Dispute): Effect => ({
    changes: {
      dispute_outcome: { outcome_code, ...(outcome_reason !== undefined && { outcome_reason }) },
      evidences: dispute.evidences?.filter(({ source }) => !source.startsWith('REQUESTED')),
      appellant: undefined,
    },
    money: [],
  })
