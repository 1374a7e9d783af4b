import { Money } from '../../kernel/money.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { Amount, AmountSummary, CalendarDay, CurrencyCode, Items } from './lines.ts'
import { AdditionalRecipients, Contact, Invoicer, PrimaryRecipients } from './parties.ts'

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength }))
const shown = { readOnly: true } as const
const instant = Type.Optional(Type.String({ maxLength: 30, ...shown }))

const FileReference = Type.Object({
  id: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
  reference_url: Type.Optional(Type.String({ minLength: 1, maxLength: 2000, pattern: '^https?://[^\\s]+$' })),
  content_type: text(255),
  create_time: instant,
  size: Type.Optional(Type.String({ maxLength: 20, pattern: '^[0-9]+$', 'x-numeric': true })),
})

export const ATTACHMENTS_MAX = 5

/** What a template and an invoice both say about themselves. */
export const commonDetail = {
  reference: Type.Optional(Type.String({ maxLength: 120, 'x-numeric': true })),
  currency_code: CurrencyCode,
  note: text(4000),
  terms_and_conditions: text(4000),
  term: text(4000),
  memo: text(4000),
  attachments: Type.Optional(Type.Array(FileReference, { maxItems: ATTACHMENTS_MAX })),
  category_code: text(30),
}

const termTypes = [
  'DUE_ON_RECEIPT',
  'DUE_ON_DATE_SPECIFIED',
  'NET_10',
  'NET_15',
  'NET_30',
  'NET_45',
  'NET_60',
  'NET_90',
  'NO_DUE_DATE',
] as const

export const TermType = Type.String({
  maxLength: 30,
  pattern:
    '^(DUE_ON_RECEIPT|DUE_ON_DATE_SPECIFIED|NO_DUE_DATE|NET_([1-9]|[1-9][0-9]|[12][0-9][0-9]|3[0-5][0-9]|36[0-5]))$',
  issue: 'INVALID_PARAMETER_VALUE',
  description: `${termTypes.join(', ')}, or NET_ and another number of days up to 365.`,
})

const PaymentTerm = Type.Object({ term_type: Type.Optional(TermType), due_date: Type.Optional(CalendarDay) })
export type PaymentTerm = Static<typeof PaymentTerm>

const by = Type.Optional(Type.String({ maxLength: 254, ...shown }))
const address = Type.Optional(Type.String({ maxLength: 4000, ...shown }))

/** When things happened to an invoice and through whom, and where its pages are. */
const Metadata = Type.Object(
  {
    create_time: instant,
    created_by: by,
    last_update_time: instant,
    first_sent_time: instant,
    last_sent_time: instant,
    last_sent_by: by,
    cancel_time: instant,
    cancelled_by: by,
    created_by_flow: Type.Optional(Type.String({ maxLength: 30, ...shown })),
    recipient_view_url: address,
    invoicer_view_url: address,
    caller_type: Type.Optional(Type.String({ maxLength: 30, ...shown })),
  },
  shown,
)
export type Metadata = Static<typeof Metadata>

export const INVOICE_NUMBER_MAX = 25

const Detail = Type.Object({
  ...commonDetail,
  invoice_number: Type.Optional(Type.String({ maxLength: INVOICE_NUMBER_MAX, 'x-numeric': true })),
  invoice_date: Type.Optional(CalendarDay),
  payment_term: Type.Optional(PaymentTerm),
  viewed_by_recipient: Type.Optional(Type.Boolean(shown)),
  group_draft: Type.Optional(Type.Boolean(shown)),
  archived: Type.Optional(Type.Boolean(shown)),
  metadata: Type.Optional(Metadata),
})

/** How totals are worked out and what the hosted page offers. */
export const commonConfiguration = {
  tax_calculated_after_discount: Type.Optional(Type.Boolean()),
  tax_inclusive: Type.Optional(Type.Boolean()),
  allow_tip: Type.Optional(Type.Boolean()),
  partial_payment: Type.Optional(
    Type.Object({
      allow_partial_payment: Type.Optional(Type.Boolean()),
      minimum_amount_due: Type.Optional(Amount),
    }),
  ),
}

const Configuration = Type.Object({
  ...commonConfiguration,
  template_id: Type.Optional(Type.String({ maxLength: 30 })),
})

/** How money was paid or given back, as it is stored. The brand's own name is used only in print. */
export const methods = [
  'BANK_TRANSFER',
  'CASH',
  'CHECK',
  'CREDIT_CARD',
  'DEBIT_CARD',
  'SERVICE',
  'WIRE_TRANSFER',
  'OTHER',
] as const

export const Payment = Type.Object({
  type: Type.String({ maxLength: 30 }),
  payment_id: Type.String({ maxLength: 22 }),
  transaction_type: text(30),
  payment_date: Type.String({ maxLength: 10 }),
  payment_date_time: instant,
  method: Type.String({ maxLength: 30 }),
  note: text(2000),
  amount: Money,
  shipping_info: Type.Optional(Contact),
  transaction_status: text(30),
})
export type Payment = Static<typeof Payment>

export const Refund = Type.Object({
  type: Type.String({ maxLength: 30 }),
  refund_id: Type.String({ maxLength: 22 }),
  recipient_transaction_id: text(22),
  refund_date: Type.String({ maxLength: 10 }),
  method: text(30),
  amount: Money,
})
export type Refund = Static<typeof Refund>

export const TRANSACTIONS_MAX = 100

/** What callers write. */
const writable = {
  invoice_number: Type.Optional({
    ...Detail.properties.invoice_number,
    description: 'The same as in the details; read if the details have none, or the one that they had.',
  }),
  detail: Detail,
  invoicer: Type.Optional(Invoicer),
  primary_recipients: Type.Optional(PrimaryRecipients),
  additional_recipients: Type.Optional(AdditionalRecipients),
  items: Type.Optional(Items),
  configuration: Type.Optional(Configuration),
  amount: Type.Optional(AmountSummary),
}

export const InvoiceInput = Type.Object(writable)
export type InvoiceInput = Static<typeof InvoiceInput>

/** A full update may also say in the body whom to tell. */
export const InvoiceUpdate = Type.Object({
  ...writable,
  send_to_recipient: Type.Optional(Type.Boolean()),
  send_to_invoicer: Type.Optional(Type.Boolean()),
})
