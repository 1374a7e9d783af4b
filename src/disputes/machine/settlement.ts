import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import type { Dispute, DisputedTransaction, FundMovement, MovementReason } from '../schema/dispute.ts'
import type { OutcomeCode, TransactionStatus } from '../schema/enums.ts'
import type { ActionContext, Changes, MoneyOrder } from './action.ts'

/** A part of a decision: what changes and what money moves. Parts are applied one after the other. */
export interface Effect {
  readonly changes: Changes
  readonly money: readonly MoneyOrder[]
}

export const none: Effect = { changes: {}, money: [] }

/** Applies effects in order, each seeing what the ones before it changed. */
export function inTurn(dispute: Dispute, ...steps: ((dispute: Dispute) => Effect)[]): Effect {
  return steps.reduce<Effect>((done, step) => {
    // Changes never hold the node, so a dispute with changes is still a whole dispute.
    const { changes, money } = step({ ...dispute, ...done.changes } as Dispute)
    return { changes: { ...done.changes, ...changes }, money: [...done.money, ...money] }
  }, none)
}

const sum = (amounts: readonly Money[]) => amounts.reduce((total, amount) => total + toMinor(amount), 0n)
const least = (a: bigint, b: bigint) => (a < b ? a : b)

export const totalRefunded = ({ disputed_transactions }: Dispute): bigint =>
  sum(disputed_transactions.map(({ refunded }) => refunded))

/** What of a payment can still be refunded here: no more than is disputed, and than is left of it. */
function refundable({ disputed, refunded, refunded_before, gross_amount }: DisputedTransaction): bigint {
  const disputedLeft = toMinor(disputed) - toMinor(refunded)
  const paidLeft = toMinor(gross_amount) - toMinor(refunded_before) - toMinor(refunded)
  return least(disputedLeft, paidLeft)
}

/** The most that can still be refunded in this dispute. */
export const allowedRefund = ({ disputed_transactions, dispute_amount }: Dispute): Money =>
  toMoney(
    disputed_transactions.reduce((total, transaction) => total + refundable(transaction), 0n),
    dispute_amount.currency_code,
  )

/** Whether the seller offers everything the buyer asked for. */
export const isFull = (dispute: Dispute, amount: Money): boolean =>
  toMinor(amount) >= least(toMinor(dispute.offer.buyer_requested_amount), toMinor(allowedRefund(dispute)))

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

/** M1: keeps the disputed amount back from the seller. */
export const hold =
  (context: ActionContext) =>
  (dispute: Dispute): Effect => ({
    changes: {
      disputed_transactions: dispute.disputed_transactions.map((transaction) => ({
        ...transaction,
        transaction_status: 'HELD',
        held: transaction.disputed,
      })),
      ...moved(dispute, movement('SELLER', 'DEBIT', dispute.dispute_amount, 'HOLD_PLACED', context)),
    },
    money: dispute.disputed_transactions.map(({ seller_transaction_id, disputed }) => ({
      move: 'hold',
      transaction: seller_transaction_id,
      amount: disputed,
    })),
  })

interface RefundTerms {
  /** What the seller agreed to needs the seller's cover; what a decision or a deadline orders happens anyway. */
  readonly by: 'seller' | 'clock' | 'decision'
  readonly invoiceId?: string | undefined
}

/** M2: gives `amount` back to the buyer, never more than is left of the dispute, and lets the rest of the hold go. */
export const refund =
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
          keepHeld: toMoney(0n, currency),
          ...(invoiceId !== undefined && { invoiceId }),
        })
      if (share > 0n)
        refunds.push({
          id: refundId,
          gross_amount: given,
          create_time: context.now,
          ...(invoiceId && { invoice_id: invoiceId }),
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
  const { currency_code } = transaction.gross_amount
  const refunded = toMinor(transaction.refunded) + share
  const whole = refunded + toMinor(transaction.refunded_before) >= toMinor(transaction.gross_amount)
  const refundedStatus: TransactionStatus = by === 'decision' ? 'REVERSED' : whole ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
  return {
    ...transaction,
    held: toMoney(0n, currency_code),
    refunded: toMoney(refunded, currency_code),
    transaction_status:
      share > 0n ? refundedStatus : refunded > 0n ? transaction.transaction_status : statusAtRest(transaction),
  }
}

/** M4: lets the hold go back to the seller. */
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
          names.has(transaction.seller_transaction_id)
            ? { ...transaction, held: zero, transaction_status: statusAtRest(transaction) }
            : transaction,
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
        keepHeld: zero,
      })),
    }
  }

/** What a payment is when nothing is held and nothing was refunded here. */
function statusAtRest({ refunded_before, gross_amount }: DisputedTransaction): TransactionStatus {
  if (toMinor(refunded_before) === 0n) return 'COMPLETED'
  return toMinor(refunded_before) === toMinor(gross_amount) ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
}

/** M3: what a lost dispute costs the seller, once a dispute. */
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

/** M5: the service pays back what it took from the seller; the buyer keeps the refund. */
export const payBack =
  (context: ActionContext) =>
  (dispute: Dispute): Effect => {
    const amount = toMoney(totalRefunded(dispute) - paidBack(dispute), dispute.dispute_amount.currency_code)
    if (toMinor(amount) <= 0n) return none
    return {
      changes: moved(dispute, movement('SELLER', 'CREDIT', amount, 'DISPUTE_SETTLEMENT', context)),
      money: [{ move: 'pay-seller', amount }],
    }
  }

const paidBack = ({ fund_movements = [] }: Dispute): bigint =>
  sum(
    fund_movements
      .filter(({ party, type, reason }) => party === 'SELLER' && type === 'CREDIT' && reason === 'DISPUTE_SETTLEMENT')
      .map(({ amount }) => amount),
  )

/** Writes how the dispute ended. The amount is everything the buyer got. */
export const end =
  (outcome_code: OutcomeCode, outcome_reason?: string) =>
  (dispute: Dispute): Effect => {
    const total = totalRefunded(dispute)
    return {
      changes: {
        dispute_outcome: {
          outcome_code,
          ...(outcome_reason !== undefined && { outcome_reason }),
          ...(total > 0n && { amount_refunded: toMoney(total, dispute.dispute_amount.currency_code) }),
        },
        evidences: dispute.evidences?.filter(({ source }) => !source.startsWith('REQUESTED')),
        appellant: undefined,
      },
      money: [],
    }
  }
