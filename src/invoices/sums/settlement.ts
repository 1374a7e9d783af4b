import { type Money, toMinor } from '../../kernel/money.ts'
import type { Payment, Refund } from '../schema/given.ts'

/** What the money on an invoice amounts to; the lifecycle says which status that is. */
export type SettlementOutcome =
  | 'unpaid'
  | 'pending'
  | 'partly paid'
  | 'paid'
  | 'paid offline'
  | 'partly refunded'
  | 'refunded'
  | 'refunded offline'

export interface Settlement {
  readonly outcome: SettlementOutcome
  readonly paid: bigint
  readonly refunded: bigint
  readonly due: bigint
}

export interface Account {
  readonly amount: Money
  readonly payments: readonly Pick<Payment, 'type' | 'amount' | 'transaction_status'>[]
  readonly refunds: readonly Pick<Refund, 'type' | 'amount'>[]
}

const sum = (entries: readonly { amount: Money }[]): bigint =>
  entries.reduce((total, { amount }) => total + toMinor(amount), 0n)

const isPending = ({ transaction_status }: { transaction_status?: string | undefined }) =>
  transaction_status === 'PENDING'

/**
 * Works out what is paid, refunded and due. Pending money does not count until it clears, and refunds do not increase what
 * is due.
 */
export function settle({ amount, payments, refunds }: Account): Settlement {
  const completed = payments.filter((payment) => !isPending(payment))
  const paid = sum(completed)
  const refunded = sum(refunds)
  const total = toMinor(amount)
  const due = total > paid ? total - paid : 0n
  return { outcome: outcomeOf(), paid, refunded, due }

  function outcomeOf(): SettlementOutcome {
    if (refunded > 0n) {
      if (refunded < paid) return 'partly refunded'
      return refunds.at(-1)!.type === 'EXTERNAL' ? 'refunded offline' : 'refunded'
    }
    if (completed.length < payments.length) return 'pending'
    if (paid === 0n) return 'unpaid'
    if (due > 0n) return 'partly paid'
    return completed.at(-1)!.type === 'EXTERNAL' ? 'paid offline' : 'paid'
  }
}

const external = <Entry extends { type: string }>(entries: readonly Entry[]) =>
  entries.filter(({ type }) => type === 'EXTERNAL')

/** What the merchant recorded as paid, and has not recorded as given back. */
export const recordedLeft = ({ payments, refunds }: Account): bigint => sum(external(payments)) - sum(external(refunds))

export const hasRecordedPayments = ({ payments }: Account): boolean => external(payments).length > 0

/** The smaller of two amounts. */
export function atMost(amount: bigint, limit: bigint): bigint {
  if (amount > limit) return limit
  return amount
}
