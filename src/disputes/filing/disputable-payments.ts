import type { Tx } from '../../database/transaction.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Money } from '../../kernel/money.ts'
import { breaches, forbidden, refused } from '../../kernel/problem.ts'
import { findTransactionsByEitherId, type StoredTransaction } from '../../ledger/store.ts'
import type { House } from '../house.ts'
import { findDisputed } from '../store.ts'
import { ineligibility } from './eligibility.ts'
import { registerPayments } from './made-up-payment.ts'

/** Who wants to dispute which payments. */
interface Wish {
  readonly caller: Caller
  /** The payment of which the caller is known to be the buyer, by other means than an account. */
  readonly buyerOf: string | undefined
  readonly ids: readonly string[]
  /** The amount that the buyer says it is about. A payment that is made up gets this amount. */
  readonly amount: Money | undefined
}

/** The payments to be disputed, if this caller may dispute them. In a sandbox, unknown payments are made up. */
export async function disputablePayments(
  tx: Tx,
  { rules }: House,
  { caller, buyerOf, ids, amount }: Wish,
): Promise<StoredTransaction[]> {
  const found = await findTransactionsByEitherId(tx, ids)
  const known = [...found.values()].map(({ transaction: { seller, id } }) => ({ accountId: seller.account_id, id }))
  const disputed = known.length === 0 ? new Set<string>() : await findDisputed(tx, known)
  const unknown = ids.filter((id) => !found.has(id))
  if (unknown.length > 0 && !rules.autoRegisterTransactions) throw unknownPayment(unknown[0]!)
  const madeUp = unknown.length === 0 ? new Map() : await registerPayments(tx, caller, unknown, amount)
  return ids.map((id) => {
    const payment = found.get(id)
    if (!payment) return madeUp.get(id)!
    const { transaction } = payment
    const isBuyer = transaction.buyer.account_id === caller.accountId || buyerOf === transaction.id
    const isSeller = transaction.seller.account_id === caller.accountId
    if (!isBuyer && !isSeller) throw unknownPayment(id)
    if (!isBuyer && !rules.sandbox) throw forbidden('Only the customer can open a dispute; a merchant answers it.')
    const why = ineligibility(transaction, disputed.has(transaction.id), tx.now)
    if (why === 'DISPUTE_ALREADY_EXISTS') throw alreadyDisputed()
    if (why) throw breaches('DISPUTE_REASON_NOT_ELIGIBLE', `This payment cannot be disputed: ${why}.`, '/reason')
    return payment
  })
}

export const alreadyDisputed = () =>
  refused('DISPUTE_ALREADY_EXISTS', 'This payment was disputed before, and can be only once.')

export const unknownPayment = (id: string) =>
  breaches('INVALID_TRANSACTION_ID', `There is no payment ${id} that you could dispute.`, '/disputed_transactions')
