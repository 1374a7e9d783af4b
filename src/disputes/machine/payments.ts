import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import type { Dispute, DisputedTransaction } from '../schema/dispute.ts'
import type { TransactionStatus } from '../schema/enums.ts'

export const sum = (amounts: readonly Money[]) => amounts.reduce((total, amount) => total + toMinor(amount), 0n)
export const least = (a: bigint, b: bigint) => (a < b ? a : b)

export const plus = (money: Money, amount: bigint): Money => toMoney(toMinor(money) + amount, money.currency_code)
export const minus = (money: Money, less: Money): Money => plus(money, -toMinor(less))

/** What the buyer got since the dispute was opened, and what of that the service bears. */
export const totalRefunded = ({ disputed_transactions }: Dispute): bigint =>
  sum(disputed_transactions.map(({ refunded }) => refunded))
export const totalCovered = ({ disputed_transactions }: Dispute): bigint =>
  sum(disputed_transactions.flatMap(({ covered }) => covered ?? []))

/** What of a payment can still be refunded here: no more than is disputed, and than is left of it. */
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

/** Whether the seller offers everything the buyer asked for. */
export const isFull = (dispute: Dispute, amount: Money): boolean =>
  toMinor(amount) >= least(toMinor(dispute.offer.buyer_requested_amount), toMinor(allowedRefund(dispute)))

/** What the ledger tells of a payment, in the words of the dispute about it. */
export function asInLedger(
  transaction: DisputedTransaction,
  { held, refunded, reversed, covered }: LedgerMoney,
): DisputedTransaction {
  return withStatus({
    ...transaction,
    held,
    refunded: minus(refunded, transaction.refunded_before),
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

/** What a payment is called while money of it is held, and by what was given back of it. */
export function withStatus(transaction: DisputedTransaction): DisputedTransaction {
  const { held, refunded, refunded_before, reversed, covered, gross_amount } = transaction
  const borne = toMinor(refunded) + toMinor(refunded_before) - (covered ? toMinor(covered) : 0n)
  const byRefunds: TransactionStatus =
    borne === 0n ? 'COMPLETED' : borne === toMinor(gross_amount) ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
  const isReversed = reversed !== undefined && toMinor(reversed) > 0n
  return { ...transaction, transaction_status: toMinor(held) > 0n ? 'HELD' : isReversed ? 'REVERSED' : byRefunds }
}
