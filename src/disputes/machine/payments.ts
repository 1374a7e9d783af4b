import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import type { Dispute, DisputedTransaction, DisputeRefund } from '../schema/dispute.ts'
import type { TransactionStatus } from '../schema/enums.ts'

export const sum = (amounts: readonly Money[]) => amounts.reduce((total, amount) => total + toMinor(amount), 0n)
export const least = (a: bigint, b: bigint) => (a < b ? a : b)

export const plus = (money: Money, amount: bigint): Money => toMoney(toMinor(money) + amount, money.currency_code)
export const minus = (money: Money, less: Money): Money => plus(money, -toMinor(less))

/** What the buyer got since the dispute was opened, in it or beside it. */
export const totalRefunded = ({ refunds = [] }: Dispute): bigint => sum(refunds.map(({ gross_amount }) => gross_amount))

/** How much of that the service bears. */
export const totalCovered = ({ refunds = [] }: Dispute): bigint =>
  sum(refunds.flatMap(({ cancelled, gross_amount }) => (cancelled ? gross_amount : [])))

/** What can still be refunded of a payment in this dispute: at most what is disputed, and at most what is left of the payment. */
export function refundable({ disputed, refunded, refunded_before, gross_amount }: DisputedTransaction): bigint {
  const disputedLeft = toMinor(disputed) - toMinor(refunded)
  const paidLeft = toMinor(gross_amount) - toMinor(refunded_before) - toMinor(refunded)
  const left = least(disputedLeft, paidLeft)
  return left > 0n ? left : 0n
}

/** The most that can still be refunded in this dispute. */
export const allowedRefund = ({ disputed_transactions, dispute_amount }: Dispute): Money =>
  toMoney(
    disputed_transactions.reduce((total, transaction) => total + refundable(transaction), 0n),
    dispute_amount.currency_code,
  )

/** Whether anything can still be refunded. A seller who gave everything back outside of the dispute has nothing left to offer. */
export const hasSomethingLeft = (dispute: Dispute): boolean => toMinor(allowedRefund(dispute)) > 0n

/** What it costs a seller to give in or to lose: what can still be refunded, and what the service bears until then. */
export const owed = (dispute: Dispute): Money => plus(allowedRefund(dispute), totalCovered(dispute))

/** Whether the seller offers everything the buyer asked for. */
export const isFull = (dispute: Dispute, amount: Money): boolean =>
  toMinor(amount) >= least(toMinor(dispute.offer.buyer_requested_amount), toMinor(owed(dispute)))

/**
 * A payment as the ledger knows it, in the words of the dispute about it. Refunds of this dispute count as refunded here.
 * The rest was given back before, or in another dispute about the same payment: here it is only no longer there to be
 * refunded.
 */
export function asInLedger(
  transaction: DisputedTransaction,
  { held, refunded: ofPayment, reversed, covered }: LedgerMoney,
  refunds: readonly DisputeRefund[],
): DisputedTransaction {
  const own = refunds.filter(({ transaction: id }) => id === transaction.seller_transaction_id)
  const refunded = toMoney(sum(own.map(({ gross_amount }) => gross_amount)), ofPayment.currency_code)
  return withStatus({
    ...transaction,
    held,
    refunded,
    refunded_before: minus(ofPayment, refunded),
    ...(reversed && { reversed }),
    ...(covered && { covered }),
  })
}

export interface LedgerMoney {
  readonly held: Money
  readonly refunded: Money
  readonly reversed?: Money
  readonly covered?: Money
}

/** Gives a payment its status: HELD while money of it is held, and otherwise according to what was given back. */
export function withStatus(transaction: DisputedTransaction): DisputedTransaction {
  const { held, refunded, refunded_before, reversed, covered, gross_amount } = transaction
  const borne = toMinor(refunded) + toMinor(refunded_before) - (covered ? toMinor(covered) : 0n)
  const byRefunds: TransactionStatus =
    borne === 0n ? 'COMPLETED' : borne === toMinor(gross_amount) ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
  const isReversed = reversed !== undefined && toMinor(reversed) > 0n
  return { ...transaction, transaction_status: toMinor(held) > 0n ? 'HELD' : isReversed ? 'REVERSED' : byRefunds }
}
