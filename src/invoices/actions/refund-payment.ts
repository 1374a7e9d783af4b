import { type Day, dayIn, type Instant } from '../../kernel/clock.ts'
import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import { refused } from '../../kernel/problem.ts'
import { type ActionContext, invoiceAction, resettled } from '../action.ts'
import type { Invoice, StoredRefund } from '../schema/invoice.ts'
import { atMost } from '../sums/settlement.ts'

/** Money of a service payment that was given back to the payer. */
export interface ServiceRefund {
  readonly refund_id: string
  /** The payment it gives back. */
  readonly capture_id?: string
  readonly amount: Money
  readonly refund_time?: Instant
}

const sumOfService = (entries: readonly { type: string; amount: Money; transaction_status?: string | undefined }[]) =>
  entries
    .filter(({ type, transaction_status }) => type === 'SERVICE' && transaction_status !== 'PENDING')
    .reduce((total, { amount }) => total + toMinor(amount), 0n)

/**
 * How much of a payment, or of all that came through the service, is not refunded yet. A refund of more gives back a tip,
 * which is no part of the debt.
 */
export function serviceLeft({ payments, refunds }: Invoice, capture?: string): bigint {
  const left = sumOfService(payments) - sumOfService(refunds)
  if (capture === undefined) return left
  const of = (entry: { payment_id?: string }) => entry.payment_id === capture
  return atMost(left, sumOfService(payments.filter(of)) - sumOfService(refunds.filter(of)))
}

/** A refund as an invoice shows it. Undefined if it gives back nothing of the debt. */
export function asShown(
  invoice: Invoice,
  { refund_id, capture_id, amount, refund_time }: ServiceRefund,
  { today, account }: Pick<ActionContext, 'today' | 'account'>,
): StoredRefund | undefined {
  const refunded = atMost(toMinor(amount), serviceLeft(invoice, capture_id))
  if (refunded <= 0n) return undefined
  const day: Day = refund_time === undefined ? today : dayIn(refund_time, account.time_zone)
  return {
    type: 'SERVICE',
    refund_id,
    recipient_transaction_id: refund_id,
    refund_date: day,
    amount: toMoney(refunded, invoice.detail.currency_code),
    ...(capture_id !== undefined && { payment_id: capture_id }),
  }
}

/** A payment that went through the service was given back: by the merchant, or because a dispute was lost. */
export const refundPayment = invoiceAction('refund-payment', {
  summary: 'A payment through the service is refunded',
  decide(invoice, given: ServiceRefund, context) {
    const refund = asShown(invoice, given, context)
    if (!refund) throw refused('CANNOT_PROCESS_REFUNDS', 'Nothing of the payment is left to refund.')
    return resettled(invoice, { refunds: [...invoice.refunds, refund] }, context)
  },
})
