import Big from 'big.js'
import type { Tx } from '../database/transaction.ts'
import { type Money, normalise, toMinor, toMoney } from '../kernel/money.ts'
import { refused } from '../kernel/problem.ts'
import type { Service } from '../room.ts'
import { appOf, postHold, printed } from './movements.ts'
import { post } from './post.ts'
import { presentCapture } from './present.ts'
import type { NewPayment, PaymentTransaction } from './schema.ts'
import { insertPayment, type StoredTransaction, savePayment } from './store.ts'

const captureEvents = {
  COMPLETED: ['PAYMENT.CAPTURE.COMPLETED', 'arrived'],
  PENDING: ['PAYMENT.CAPTURE.PENDING', 'is pending'],
  DECLINED: ['PAYMENT.CAPTURE.DENIED', 'was denied'],
} as const

/** Takes a payment in: completed, pending, or declined (which is recorded and moves nothing). */
export function capture(
  service: Service,
  tx: Tx,
  { silent = false, hold, ...payment }: NewPayment,
): PaymentTransaction {
  const none = toMoney(0n, payment.gross.currency_code)
  const transaction: PaymentTransaction = {
    ...payment,
    id: payment.id ?? tx.newId('transaction'),
    buyer_transaction_id: payment.buyer_transaction_id ?? tx.newId('transaction'),
    order_id: payment.order_id ?? tx.newId('order'),
    fee: payment.status === 'DECLINED' ? none : feeOf(payment.gross, service.settings.paymentFeePercent),
    refunded: none,
    held: hold ? normalise(hold.amount) : none,
    create_time: tx.now,
    update_time: tx.now,
  }
  insertPayment(tx, transaction)
  if (payment.status === 'COMPLETED') takeIn(tx, transaction, 'payer')
  if (hold) postHold(tx, transaction, toMinor(hold.amount), { kind: 'HOLD_PLACED', reference: hold.reference })
  if (payment.status === 'PENDING') movePending(tx, transaction, 'CAPTURE_PENDING', { payer: -toMinor(payment.gross) })
  if (!silent) announce(service, tx, transaction, payment.status)
  return transaction
}

/** Clears a pending payment, or gives it back to the payer. */
export function settle(
  service: Service,
  tx: Tx,
  { transaction, version }: StoredTransaction,
  outcome: 'COMPLETED' | 'DECLINED',
): PaymentTransaction {
  if (transaction.status !== 'PENDING')
    throw refused('CAPTURE_NOT_PENDING', 'Only a pending payment can be cleared or denied.')
  const settled: PaymentTransaction = { ...transaction, status: outcome, update_time: tx.now }
  savePayment(tx, version, settled)
  if (outcome === 'COMPLETED') takeIn(tx, settled, 'pending')
  else movePending(tx, settled, 'CAPTURE_DENIED', { payer: toMinor(settled.gross) })
  announce(service, tx, settled, outcome)
  return settled
}

function movePending(tx: Tx, { id, seller, gross }: PaymentTransaction, kind: string, { payer }: { payer: bigint }) {
  post(tx, {
    accountId: seller.account_id,
    currency: gross.currency_code,
    kind,
    reference: id,
    entries: [
      { book: 'payer', amount: payer },
      { book: 'pending', amount: -payer },
    ],
  })
}

const takeIn = (tx: Tx, { seller, id, gross, fee }: PaymentTransaction, from: 'payer' | 'pending') =>
  post(tx, {
    accountId: seller.account_id,
    currency: gross.currency_code,
    kind: from === 'pending' ? 'CAPTURE_CLEARED' : 'CAPTURE',
    reference: id,
    entries: [
      { book: from, amount: -toMinor(gross) },
      { book: 'balance', amount: toMinor(gross) - toMinor(fee) },
      { book: 'fees', amount: toMinor(fee) },
    ],
  })

const announce = (service: Service, tx: Tx, transaction: PaymentTransaction, status: keyof typeof captureEvents) => {
  const [type, verb] = captureEvents[status]
  tx.emit({
    accountId: transaction.seller.account_id,
    type,
    resourceId: transaction.id,
    resource: presentCapture(service, transaction),
    summary: `A payment of ${printed(transaction.gross)} ${verb}.`,
    ...appOf(transaction),
  })
}

/** The service's share of a payment, rounded half up to the smallest unit. */
function feeOf(gross: Money, percent: string): Money {
  if (percent === '0') return toMoney(0n, gross.currency_code)
  const fee = new Big(toMinor(gross).toString()).times(percent).div(100).round(0, Big.roundHalfUp)
  return toMoney(BigInt(fee.toFixed(0)), gross.currency_code)
}
