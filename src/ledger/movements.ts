import type { Tx } from '../database/transaction.ts'
import { type Money, minorDigits, toMinor, toMoney } from '../kernel/money.ts'
import { refused } from '../kernel/problem.ts'
import { post } from './post.ts'
import type { PaymentTransaction } from './schema.ts'
import { savePayment } from './store.ts'

/** Currencies in which a sandbox account has money from the start. */
const openingCurrencies = ['USD', 'EUR', 'GBP', 'AUD', 'CAD', 'CHF', 'JPY', 'MXN', 'BRL', 'SEK']
const OPENING_UNITS = 1_000_000n

/** Gives a sandbox account its starting balance, so that no test of a refund fails for want of money. */
export function openBooks(tx: Tx, accountId: string): void {
  for (const currency of openingCurrencies) {
    const amount = OPENING_UNITS * 10n ** BigInt(minorDigits(currency))
    const opening = { kind: 'OPENING_BALANCE', reference: accountId, to: 'balance' } as const
    payFromService(tx, accountId, toMoney(amount, currency), opening)
  }
}

/** The service pays a seller or a payer out of its own funds. */
export function payFromService(
  tx: Tx,
  accountId: string,
  money: Money,
  { kind, reference, to }: { kind: string; reference: string; to: 'balance' | 'payer' },
): void {
  const amount = toMinor(money)
  const entries = [{ book: 'service', amount: -amount } as const, { book: to, amount }]
  post(tx, { accountId, currency: money.currency_code, kind, reference, entries })
}

/** Sets what is kept back from the seller of a payment. */
export function changeHold(
  tx: Tx,
  transaction: PaymentTransaction,
  version: number,
  { held, kind, reference }: { held: bigint; kind: string; reference: string },
): PaymentTransaction {
  const change = held - toMinor(transaction.held)
  if (change === 0n) return transaction
  const currency = transaction.gross.currency_code
  const changed: PaymentTransaction = { ...transaction, held: toMoney(held, currency), update_time: tx.now }
  savePayment(tx, version, changed)
  postHold(tx, changed, change, { kind, reference })
  return changed
}

/** Moves money between what a seller may spend and what is kept back. */
export function postHold(
  tx: Tx,
  { seller, gross }: PaymentTransaction,
  amount: bigint,
  { kind, reference }: { kind: string; reference: string },
): void {
  const entries = [{ book: 'balance', amount: -amount } as const, { book: 'hold', amount } as const]
  post(tx, { accountId: seller.account_id, currency: gross.currency_code, kind, reference, entries })
}

/** Later events of a payment go to the app that made it, unless an app is calling for the seller now. */
export const appOf = ({ app_id }: PaymentTransaction) => (app_id === undefined ? {} : { appId: app_id })

/** The part of a payment that has not been given back. */
export const leftOf = ({ gross, refunded }: PaymentTransaction): bigint => toMinor(gross) - toMinor(refunded)

/** Whether the seller can still give something back: the payment has cleared, and something of it is left. */
export const isRefundable = (transaction: PaymentTransaction): boolean =>
  (transaction.status === 'COMPLETED' || transaction.status === 'PARTIALLY_REFUNDED') && leftOf(transaction) > 0n

/** The status of a payment that cleared. It follows from what was given back of it, less what the service bears. */
export function statusOf({
  gross,
  refunded,
  covered,
}: Pick<PaymentTransaction, 'gross' | 'refunded' | 'covered'>): 'COMPLETED' | 'PARTIALLY_REFUNDED' | 'REFUNDED' {
  const borne = toMinor(refunded) - (covered ? toMinor(covered) : 0n)
  if (borne === 0n) return 'COMPLETED'
  return borne === toMinor(gross) ? 'REFUNDED' : 'PARTIALLY_REFUNDED'
}

/** Refuses an amount in another currency than the payment's. */
export function sameCurrency({ gross }: PaymentTransaction, amount: Money): Money {
  if (amount.currency_code !== gross.currency_code)
    throw refused(
      'CURRENCY_MISMATCH',
      `The payment was made in ${gross.currency_code}; use the same currency.`,
      '/amount/currency_code',
    )
  return amount
}

export const printed = ({ value, currency_code }: Money) => `${value} ${currency_code}`
