import type { Tx } from '../../database/transaction.ts'
import type { Invoice } from '../../invoices/schema/invoice.ts'
import { billedName } from '../../invoices/schema/parties.ts'
import type { StoredInvoice } from '../../invoices/store.ts'
import { type Instant, toSeconds } from '../../kernel/clock.ts'
import type { Service } from '../../room.ts'
import { type Attempt, grossOf } from './attempts.ts'

type Parts = Pick<StoredInvoice, 'invoice' | 'account'>

const unitOf = ({ invoice, account }: Parts, attempt: Attempt) => ({
  reference_id: 'default',
  custom_id: invoice.id,
  invoice_id: invoice.detail.invoice_number,
  amount: grossOf(attempt),
  payee: { email_address: account.email, merchant_id: account.id },
})

// This service wrote the time as an instant.
const createTime = ({ create_time }: Attempt) => toSeconds(create_time as Instant)

/** The recipient as the invoice names them. Anybody may press the button, so an address must not lead to an account. */
function payerOf({ primary_recipients }: Invoice) {
  const { email_address } = primary_recipients[0]?.billing_info ?? {}
  const full_name = billedName(primary_recipients)
  const payer = {
    ...(email_address !== undefined && { email_address }),
    ...(full_name !== undefined && { name: { full_name } }),
  }
  return Object.keys(payer).length > 0 && { payer }
}

/** The payer said yes. */
export function announceApproved({ publicUrl }: Service, tx: Tx, parts: Parts, attempt: Attempt): void {
  tx.emit({
    ...toldTo(parts),
    type: 'CHECKOUT.ORDER.APPROVED',
    resourceId: attempt.order_id,
    resource: {
      id: attempt.order_id,
      status: 'APPROVED',
      intent: 'CAPTURE',
      ...payerOf(parts.invoice),
      purchase_units: [unitOf(parts, attempt)],
      payment_source: { wallet: {} },
      create_time: createTime(attempt),
      update_time: createTime(attempt),
      links: [{ href: `${publicUrl}/v2/invoicing/invoices/${parts.invoice.id}`, rel: 'invoice', method: 'GET' }],
    },
    summary: `A payer approved ${grossOf(attempt).value} ${grossOf(attempt).currency_code}.`,
  })
}

/** The payer had agreed, but the payment did not happen and nothing was collected. */
export function announceReversed(tx: Tx, parts: Parts, attempt: Attempt): void {
  tx.emit({
    ...toldTo(parts),
    type: 'CHECKOUT.PAYMENT-APPROVAL.REVERSED',
    resourceId: attempt.order_id,
    resource: {
      id: attempt.order_id,
      order_id: attempt.order_id,
      payment_source: { wallet: {} },
      purchase_units: [unitOf(parts, attempt)],
      create_time: createTime(attempt),
    },
    summary: 'An approved payment was not captured; the approval was reversed.',
  })
}

const toldTo = ({ invoice, account }: Parts) => ({
  accountId: account.id,
  ...(invoice.app_id !== undefined && { appId: invoice.app_id }),
})
