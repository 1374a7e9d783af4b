import type { Tx } from '../database/transaction.ts'
import { type Money, toMinor } from '../kernel/money.ts'
import type { Service } from '../room.ts'
import { capture, settle } from './capture.ts'
import { changeHold, leftOf, payFromService, sameCurrency } from './movements.ts'
import { post } from './post.ts'
import { refund } from './refund.ts'
import { turnReversal } from './reversal.ts'
import type { NewPayment, PaymentChange, PaymentTransaction, Refund, RefundRequest } from './schema.ts'
import type { StoredTransaction } from './store.ts'

/**
 * What other rooms may do with money. Find a payment with `findTransaction` or `findTransactionByEitherId` of
 * `store.ts`, then hand the found row to one of these. Each gathers its writes in the unit of work, guarded by the
 * payment's version: of many that race for the same payment exactly one commits, the others read it again and decide
 * anew. A unit of work may do one thing with a given payment (capture it, settle it, hold, release, refund it, turn a
 * reversal of it); fees may go with that. A payment that is disputed as it is registered is captured with its `hold`.
 */
export interface Ledger {
  /** Takes a payment in: completed, pending, or declined (which is recorded and moves nothing). */
  capture(tx: Tx, payment: NewPayment): PaymentTransaction
  /** Clears a pending payment, or gives it back to the payer. */
  settle(tx: Tx, found: StoredTransaction, outcome: 'COMPLETED' | 'DECLINED'): PaymentTransaction
  /** Keeps `amount` back from the seller, at most what is left of the payment. A hold replaces an earlier one. */
  placeHold(tx: Tx, found: StoredTransaction, amount: Money, reference: string): PaymentTransaction
  /** Gives what is held of a payment back to the seller. */
  releaseHold(tx: Tx, found: StoredTransaction, reference: string): PaymentTransaction
  /**
   * Gives money back to the payer: `amount`, or all that is left. Whatever is held of the payment is released first.
   * Throws `InsufficientFunds` when balance and hold do not cover it; never refunds more than is left.
   */
  refund(tx: Tx, found: StoredTransaction, request: RefundRequest): PaymentChange
  /** A decision to take money back was overturned (CANCELLED) or stands after all (COMPLETED). The payer keeps it. */
  turnReversal(tx: Tx, found: StoredTransaction, reversal: Refund, status: Refund['status']): PaymentChange
  /** Charges the seller; the balance may go below zero, which is a debt. */
  chargeFee(tx: Tx, accountId: string, fee: Money, kind: string, reference: string): void
  /** The service pays a payer of this seller out of its own funds. */
  compensate(tx: Tx, accountId: string, amount: Money, kind: string, reference: string): void
}

/** The ledger speaks for one service: its dialect, its address, its fees. It keeps nothing in memory. */
export const makeLedger = (service: Service): Ledger => ({
  capture: (tx, payment) => capture(service, tx, payment),

  settle: (tx, found, outcome) => settle(service, tx, found, outcome),

  placeHold(tx, { transaction, version }, amount, reference) {
    let held = toMinor(sameCurrency(transaction, amount))
    if (held > leftOf(transaction)) held = leftOf(transaction)
    return changeHold(tx, transaction, version, { held, kind: 'HOLD_PLACED', reference })
  },

  releaseHold: (tx, { transaction, version }, reference) =>
    changeHold(tx, transaction, version, { held: 0n, kind: 'HOLD_RELEASED', reference }),

  refund: (tx, found, request) => refund(service, tx, found, request),

  turnReversal: (tx, found, reversal, status) => turnReversal(service, tx, found, reversal, status),

  chargeFee(tx, accountId, fee, kind, reference) {
    const amount = toMinor(fee)
    const entries = [{ book: 'balance', amount: -amount } as const, { book: 'fees', amount } as const]
    post(tx, { accountId, currency: fee.currency_code, kind, reference, entries })
  },

  compensate: (tx, accountId, amount, kind, reference) =>
    payFromService(tx, accountId, amount, { kind, reference, to: 'payer' }),
})
