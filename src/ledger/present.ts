import type { Instant } from '../kernel/clock.ts'
import { toSeconds } from '../kernel/clock.ts'
import { toMinor, toMoney } from '../kernel/money.ts'
import type { Service } from '../room.ts'
import { isRefundable } from './movements.ts'
import type { PaymentTransaction, Refund } from './schema.ts'

/** A payment as its seller sees it: the resource of `/v2/payments/captures` and of capture events. */
export function presentCapture({ publicUrl, dialect }: Service, transaction: PaymentTransaction) {
  const { id, status, gross, fee, seller, order_id } = transaction
  const href = `${publicUrl}/v2/payments/captures/${id}`
  return {
    id,
    status,
    ...(status === 'PENDING' && { status_details: { reason: 'PENDING_REVIEW' } }),
    ...(status === 'DECLINED' && { status_details: { reason: 'DECLINED_BY_PAYMENT_METHOD' } }),
    amount: gross,
    final_capture: true,
    ...namesOf(transaction.invoice_number, transaction.invoice_id ?? transaction.custom),
    seller_protection: {
      status: 'ELIGIBLE',
      dispute_categories: ['ITEM_NOT_RECEIVED', 'UNAUTHORIZED_TRANSACTION'],
    },
    ...(status !== 'DECLINED' && {
      seller_receivable_breakdown: {
        gross_amount: gross,
        [`${dialect.keyPrefix}_fee`]: fee,
        net_amount: toMoney(toMinor(gross) - toMinor(fee), gross.currency_code),
      },
    }),
    supplementary_data: { related_ids: { order_id } },
    payee: { ...(seller.email !== undefined && { email_address: seller.email }), merchant_id: seller.account_id },
    create_time: seconds(transaction.create_time),
    update_time: seconds(transaction.update_time),
    links: [
      { href, rel: 'self', method: 'GET' },
      ...(isRefundable(transaction) ? [{ href: `${href}/refund`, rel: 'refund', method: 'POST' }] : []),
      ...(transaction.invoice_id !== undefined
        ? [{ href: `${publicUrl}/v2/invoicing/invoices/${transaction.invoice_id}`, rel: 'up', method: 'GET' }]
        : []),
    ],
  }
}

/** A refund as its seller sees it. Receivers find the payment by the `up` link. */
export function presentRefund({ publicUrl, dialect }: Service, refund: Refund, transaction: PaymentTransaction) {
  const { id, status, amount, total_refunded, note_to_payer } = refund
  return {
    id,
    status,
    amount,
    ...(note_to_payer !== undefined && { note_to_payer }),
    ...namesOf(
      refund.invoice_number ?? transaction.invoice_number,
      refund.custom ?? transaction.invoice_id ?? transaction.custom,
    ),
    seller_payable_breakdown: {
      gross_amount: amount,
      [`${dialect.keyPrefix}_fee`]: toMoney(0n, amount.currency_code),
      net_amount: amount,
      total_refunded_amount: total_refunded,
    },
    create_time: seconds(refund.create_time),
    update_time: seconds(refund.create_time),
    links: [
      { href: `${publicUrl}/v2/payments/refunds/${id}`, rel: 'self', method: 'GET' },
      { href: `${publicUrl}/v2/payments/captures/${transaction.id}`, rel: 'up', method: 'GET' },
    ],
  }
}

const namesOf = (invoice_id: string | undefined, custom_id: string | undefined) => ({
  ...(invoice_id !== undefined && { invoice_id }),
  ...(custom_id !== undefined && { custom_id }),
})

// Documents hold instants as plain text once they have been through the database.
const seconds = (instant: string) => toSeconds(instant as Instant)
