import type { Tx } from '../database/transaction.ts'
import { type Money, toMinor, toMoney } from '../kernel/money.ts'
import { Problem, refused } from '../kernel/problem.ts'
import type { Service } from '../room.ts'
import { appOf, leftOf, printed, sameCurrency, statusOf } from './movements.ts'
import { post } from './post.ts'
import { presentRefund } from './present.ts'
import type { PaymentChange, PaymentTransaction, Refund, RefundRequest } from './schema.ts'
import { insertRefund, type StoredTransaction, savePayment } from './store.ts'

/** Balance and hold of the seller do not cover a refund. A 422 unless the caller's room has a code of its own for it. */
export class InsufficientFunds extends Problem {
  constructor() {
    super(422, 'UNPROCESSABLE_ENTITY', [
      {
        issue: 'REFUND_FAILED_INSUFFICIENT_FUNDS',
        description: 'The balance and what is held do not cover the refund; add funds and try again.',
      },
    ])
  }
}

/** Gives money back to the payer, after releasing whatever is held of the payment. */
export function refund(
  service: Service,
  tx: Tx,
  { transaction, version, balance }: StoredTransaction,
  { amount, kind, id, forced = false, ...request }: RefundRequest,
): PaymentChange {
  const { seller, gross } = transaction
  const currency = gross.currency_code
  const left = leftOf(transaction)
  const taken = amount === undefined ? left : toMinor(sameCurrency(transaction, amount))
  if (transaction.status === 'PENDING' || transaction.status === 'DECLINED')
    throw refused('PENDING_CAPTURE', 'Only a payment that has cleared can be refunded.')
  if (left === 0n) throw refused('CAPTURE_FULLY_REFUNDED', 'Nothing of this payment is left to refund.')
  if (taken <= 0n) throw refused('INVALID_REFUND_AMOUNT', 'A refund is more than nothing.', '/amount/value')
  if (taken > left)
    throw refused(
      'REFUND_AMOUNT_EXCEEDED',
      `At most ${printed(toMoney(left, currency))} is left to refund.`,
      '/amount/value',
    )
  const released = toMinor(transaction.held)
  if (!forced && balance + released < taken) throw new InsufficientFunds()

  const refunded = toMoney(toMinor(transaction.refunded) + taken, currency)
  const changed: PaymentTransaction = {
    ...transaction,
    status: statusOf({ ...transaction, refunded }),
    refunded,
    ...(kind === 'reversal' && { reversed: plus(transaction.reversed, taken, currency) }),
    held: toMoney(0n, currency),
    update_time: tx.now,
  }
  const refund: Refund = {
    ...request,
    id: id ?? tx.newId('transaction'),
    transaction_id: transaction.id,
    kind,
    status: 'COMPLETED',
    amount: toMoney(taken, currency),
    total_refunded: changed.refunded,
    create_time: tx.now,
  }
  savePayment(tx, version, changed)
  insertRefund(tx, seller.account_id, refund)
  post(tx, {
    accountId: seller.account_id,
    currency,
    kind: kind === 'reversal' ? 'REVERSAL' : 'REFUND',
    reference: refund.id,
    entries: [
      { book: 'hold', amount: -released },
      { book: 'balance', amount: released - taken, covered: !forced },
      { book: 'payer', amount: taken },
    ],
  })
  tx.emit({
    accountId: seller.account_id,
    type: kind === 'reversal' ? 'PAYMENT.CAPTURE.REVERSED' : 'PAYMENT.CAPTURE.REFUNDED',
    resourceId: transaction.id,
    resource: presentRefund(service, refund, changed),
    summary: `${printed(refund.amount)} was ${kind === 'reversal' ? 'taken back' : 'refunded'}.`,
    ...appOf(transaction),
  })
  enqueueTheRest(tx, refund, changed)
  return { refund, transaction: changed }
}

/** Enqueues what other rooms must do about a refund, as jobs that commit with it. */
function enqueueTheRest(tx: Tx, refund: Refund, transaction: PaymentTransaction): void {
  const payload = { account_id: transaction.seller.account_id, refund_id: refund.id, capture_id: transaction.id }
  tellInvoice(tx, refund, transaction)
  if (transaction.gateway_charge !== undefined)
    tx.enqueue({ name: 'gateway-refund', payload, key: `gateway-refund:${refund.id}` })
  if (transaction.buyer.email !== undefined)
    tx.enqueue({ name: 'refund-notice', payload, key: `refund-notice:${refund.id}` })
}

/** Has the invoice that was paid show the refund, or no longer show it. The job finds out which when it runs. */
export function tellInvoice(tx: Tx, { id, amount, create_time }: Refund, transaction: PaymentTransaction): void {
  const { invoice_id, seller } = transaction
  if (invoice_id === undefined) return
  tx.enqueue({
    name: 'invoice-service-refund',
    payload: {
      account_id: seller.account_id,
      invoice_id,
      capture_id: transaction.id,
      refund_id: id,
      amount,
      refund_time: create_time,
    },
  })
}

export const plus = (money: Money | undefined, amount: bigint, currency: string): Money =>
  toMoney((money ? toMinor(money) : 0n) + amount, currency)
