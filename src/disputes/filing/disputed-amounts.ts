import { allocate, type Money, toMinor, toMoney } from '../../kernel/money.ts'
import { breaches } from '../../kernel/problem.ts'
import type { StoredTransaction } from '../../ledger/store.ts'
import { requireDisputable } from '../machine/amounts.ts'

/** What is disputed of each payment: all that is left of it, or the buyer's amount, divided in proportion to what is left. */
export function disputedAmounts(payments: readonly StoredTransaction[], wanted: Money | undefined): Money[] {
  const left = payments.map(({ transaction: { gross, refunded } }) => toMinor(gross) - toMinor(refunded))
  const currency = payments[0]!.transaction.gross.currency_code
  const money = (minor: bigint) => toMoney(minor, currency)
  if (wanted === undefined) return left.map(money)
  const total = left.reduce((sum, amount) => sum + amount, 0n)
  requireDisputable(wanted, money(total), '/dispute_amount')
  const each = money(BigInt(payments.length))
  if (toMinor(wanted) < toMinor(each))
    throw breaches(
      'INVALID_DISPUTE_AMOUNT',
      `Something of each payment is disputed: ${each.value} ${currency} at least.`,
      '/dispute_amount',
    )
  return sharedOut(toMinor(wanted), left).map(money)
}

/**
 * Divides in proportion, but gives something to each. A payment of which nothing is disputed would count as disputed all the
 * same, and would be all that is left of the case once the others are taken out.
 */
function sharedOut(total: bigint, left: readonly bigint[]): bigint[] {
  const shares = allocate(total, left)
  for (const [i, share] of shares.entries()) {
    if (share > 0n) continue
    const largest = shares.reduce((best, one, at) => (one > shares[best]! ? at : best), 0)
    shares[largest] = shares[largest]! - 1n
    shares[i] = 1n
  }
  return shares
}
