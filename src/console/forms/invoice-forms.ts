import type { InvoiceView } from '../../invoices/schema/shown.ts'
import { dayIn, type Instant } from '../../kernel/clock.ts'
import { toMoney } from '../../kernel/money.ts'
import type { Static } from '../../kernel/type.ts'
import { leftOf } from '../../ledger/movements.ts'
import type { PaymentTransaction } from '../../ledger/schema.ts'
import type { Capability } from '../roles.ts'
import { money } from '../words.ts'
import type { Field } from './fields.ts'

export type Invoice = Static<typeof InvoiceView>

/** One action on an invoice: its link, the operation behind it, and what is asked. */
export interface InvoiceForm {
  readonly operation: string
  /** The capability that it takes. */
  readonly may: Capability
  readonly title: string
  readonly button: string
  readonly done: string
  readonly note?: string
  readonly danger?: boolean
  readonly follows?: (invoice: Invoice) => string
  fields(invoice: Invoice, today: string): readonly Field[]
}

const ways = ['BANK_TRANSFER', 'CASH', 'CHECK', 'CREDIT_CARD', 'DEBIT_CARD', 'WIRE_TRANSFER', 'OTHER'] as const
const wayNames: Readonly<Record<(typeof ways)[number], string>> = {
  BANK_TRANSFER: 'Bank transfer',
  CASH: 'Cash',
  CHECK: 'Cheque',
  CREDIT_CARD: 'Credit card',
  DEBIT_CARD: 'Debit card',
  WIRE_TRANSFER: 'Wire transfer',
  OTHER: 'Other',
}
const how: Field = {
  kind: 'chips',
  at: '/method',
  label: 'How',
  choices: ways.map((value) => ({ value, label: wayNames[value] })),
}

/** What a mail to the recipient may say. */
const mailFields: readonly Field[] = [
  { kind: 'text', at: '/subject', label: 'Subject', hint: 'The usual one when empty.' },
  { kind: 'long', at: '/note', label: 'Note to the customer' },
]

const currencyOf = ({ amount, detail }: Invoice) => amount?.currency_code ?? detail?.currency_code ?? 'USD'

/**
 * Forms by the relation of the link in the answer, in the order of a page: the likeliest first, what cannot be undone last. A link without a form here, or a form without a link, fails a test.
 */
export const invoiceForms: Readonly<Record<string, InvoiceForm>> = {
  send: {
    operation: 'sendInvoice',
    may: 'work',
    title: 'Send the invoice',
    button: 'Send the invoice',
    done: 'The invoice was sent.',
    note: 'By mail to the customer, now or on its issue date.',
    follows: ({ detail }) =>
      `With an issue date that is still to come it is scheduled for ${detail?.invoice_date ?? 'then'}.`,
    fields: () => mailFields,
  },
  'record-payment': {
    operation: 'recordPayment',
    may: 'work',
    title: 'Record a payment',
    button: 'Record the payment',
    done: 'The payment was recorded.',
    note: 'Money that reached you outside the service.',
    follows: () => 'Deleting the record undoes it.',
    fields: (invoice, today) => [
      {
        kind: 'pair',
        fields: [
          {
            kind: 'money',
            at: '/amount',
            label: 'Amount',
            currency: currencyOf(invoice),
            value: invoice.due_amount?.value,
            ...(invoice.due_amount && { hint: `${money(invoice.due_amount)} is due.` }),
          },
          { kind: 'date', at: '/payment_date', label: 'Received on', value: today },
        ],
      },
      how,
      { kind: 'long', at: '/note', label: 'Note, for you only' },
    ],
  },
  remind: {
    operation: 'remindInvoice',
    may: 'work',
    title: 'Send a reminder',
    button: 'Send the reminder',
    done: 'A reminder was sent.',
    note: 'Twice a day at most.',
    fields: () => mailFields,
  },
  'record-refund': {
    operation: 'recordRefund',
    may: 'settle',
    title: 'Record a refund',
    button: 'Record the refund',
    done: 'The refund was recorded.',
    note: 'Money you gave back outside the service.',
    fields: (invoice, today) => [
      {
        kind: 'pair',
        fields: [
          {
            kind: 'money',
            at: '/amount',
            label: 'Amount',
            currency: currencyOf(invoice),
            hint: 'All that is left of it when empty.',
          },
          { kind: 'date', at: '/refund_date', label: 'Refunded on', value: today },
        ],
      },
      how,
    ],
  },
  cancel: {
    operation: 'cancelInvoice',
    may: 'work',
    title: 'Cancel the invoice',
    button: 'Cancel the invoice',
    done: 'The invoice was cancelled.',
    note: 'The customer is told by mail, and can still read it.',
    danger: true,
    fields: () => mailFields,
  },
  delete: {
    operation: 'deleteInvoice',
    may: 'work',
    title: 'Delete the invoice',
    button: 'Delete the invoice',
    done: 'The invoice was deleted.',
    note: 'It was never sent, so nobody misses it. This cannot be undone.',
    danger: true,
    fields: () => [],
  },
}

export const leftToRefund = (payment: PaymentTransaction) => toMoney(leftOf(payment), payment.gross.currency_code)

/** Gives back a payment that went through the service. There is one such form for each payment of which something is left. */
export const refundForm = (payment: PaymentTransaction, zone: string): InvoiceForm => {
  const left = leftToRefund(payment)
  return {
    operation: 'refundCapture',
    may: 'settle',
    title: 'Refund a payment',
    button: 'Refund',
    done: 'The payment was refunded.',
    note: `${money(payment.gross)} paid through the service on ${dayIn(payment.create_time as Instant, zone)}.`,
    danger: true,
    follows: () => 'The money goes back the way it came, and the customer is told by mail. This cannot be undone.',
    fields: () => [
      {
        kind: 'money',
        at: '/amount',
        label: 'Amount',
        currency: left.currency_code,
        value: left.value,
        hint: `${money(left)} can be refunded; all of it when empty.`,
      },
      { kind: 'text', at: '/note_to_payer', label: 'Note to the customer' },
    ],
  }
}
