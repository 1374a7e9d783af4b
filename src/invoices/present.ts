import type { Link } from '../kernel/links.ts'
import { type Money, toMoney } from '../kernel/money.ts'
import type { Service } from '../room.ts'
import { invoiceLifecycle } from './lifecycle.ts'
import { recipientCode } from './schema/codes.ts'
import type { Status } from './schema/enums.ts'
import { TRANSACTIONS_MAX } from './schema/given.ts'
import type { Invoice } from './schema/invoice.ts'
import { shownInvoicer, shownRecipient } from './schema/parties.ts'
import type { InvoiceSummary } from './search/look.ts'
import { recordedLeft, settle } from './sums/settlement.ts'

export const invoicesUrl = ({ publicUrl }: Service): string => `${publicUrl}/v2/invoicing/invoices`
export const invoiceUrl = (service: Service, id: string): string => `${invoicesUrl(service)}/${id}`

export const recipientViewUrl = ({ publicUrl }: Service, id: string): string =>
  `${publicUrl}/invoice/p/#${recipientCode(id)}`
export const invoicerViewUrl = ({ publicUrl }: Service, id: string): string => `${publicUrl}/invoice/details/${id}`

/** The answer to a write that did not ask for the whole document. */
export const selfLink = (service: Service, id: string) => ({
  id,
  rel: 'self',
  href: invoiceUrl(service, id),
  method: 'GET',
})

export const payerViewLink = (service: Service, id: string): Link => ({
  href: recipientViewUrl(service, id),
  rel: 'payer-view',
  method: 'GET',
})

/** The fields on which the next steps depend. */
type Linked = Pick<InvoiceSummary, 'id' | 'status' | 'base_status' | 'amount' | 'payments' | 'refunds'>

const linkable: readonly Status[] = ['SENT', 'PARTIALLY_PAID', 'PAYMENT_PENDING']

/**
 * Next steps in the order in which they are listed. Some are left out although they are allowed, because they would change
 * nothing.
 */
// biome-ignore format: a table reads best as a table
const steps = [
  { rel: 'send',           action: 'send',           method: 'POST',   path: '/send',             shown: ({ base_status }: Linked) => base_status === 'DRAFT' },
  { rel: 'replace',        action: 'update',         method: 'PUT',    path: '',                  shown: () => true },
  { rel: 'delete',         action: 'delete',         method: 'DELETE', path: '',                  shown: () => true },
  { rel: 'cancel',         action: 'cancel',         method: 'POST',   path: '/cancel',           shown: () => true },
  { rel: 'remind',         action: 'remind',         method: 'POST',   path: '/remind',           shown: () => true },
  { rel: 'record-payment', action: 'record-payment', method: 'POST',   path: '/payments',         shown: () => true },
  { rel: 'qr-code',        action: 'qr-code',        method: 'POST',   path: '/generate-qr-code', shown: ({ status }: Linked) => linkable.includes(status) },
  { rel: 'record-refund',  action: 'record-refund',  method: 'POST',   path: '/refunds',          shown: (invoice: Linked) => recordedLeft(invoice) > 0n },
] as const

export function linksOf(service: Service, invoice: Linked): Link[] {
  const href = invoiceUrl(service, invoice.id)
  const allowed: readonly string[] = invoiceLifecycle.allowed(invoice, ['seller'])
  return [
    { href, rel: 'self', method: 'GET' },
    ...steps
      .filter(({ action, shown }) => allowed.includes(action) && shown(invoice))
      .map(({ rel, method, path }) => ({ href: href + path, rel, method })),
  ]
}

/** The whole document as its merchant sees it. */
export function presentInvoice(service: Service, invoice: Invoice) {
  return { ...presentBody(service, invoice), links: linksOf(service, invoice) }
}

function presentBody(service: Service, invoice: Invoice) {
  const { terms_and_conditions } = invoice.detail
  return {
    id: invoice.id,
    invoice_number: invoice.detail.invoice_number,
    status: invoice.status,
    detail: {
      ...invoice.detail,
      ...(terms_and_conditions !== undefined && { term: terms_and_conditions }),
      metadata: {
        ...invoice.detail.metadata,
        created_by_flow: 'REGULAR_SINGLE',
        recipient_view_url: recipientViewUrl(service, invoice.id),
        invoicer_view_url: invoicerViewUrl(service, invoice.id),
        caller_type: 'API_V2_INVOICE',
      },
    },
    invoicer: shownInvoicer(invoice.invoicer),
    primary_recipients: invoice.primary_recipients.map(shownRecipient),
    additional_recipients: invoice.additional_recipients,
    items: invoice.items,
    configuration: invoice.configuration,
    amount: invoice.amount,
    due_amount: invoice.due_amount,
    ...(invoice.gratuity && { gratuity: invoice.gratuity }),
    ...presentMoney(service, invoice),
    unilateral: false,
  }
}

/** Payments and refunds with their sums; absent where there are none. */
function presentMoney({ dialect }: Service, invoice: InvoiceSummary) {
  const { payments, refunds } = invoice
  if (payments.length === 0 && refunds.length === 0) return {}
  const { paid, refunded } = settle(invoice)
  const money = (minor: bigint): Money => toMoney(minor, invoice.detail.currency_code)
  const branded = <Entry extends { type: string; method?: string }>(entry: Entry) => ({
    ...entry,
    type: dialect.literal(entry.type),
    ...(entry.method !== undefined && { method: dialect.literal(entry.method) }),
  })
  return {
    ...(payments.length > 0 && {
      payments: { paid_amount: money(paid), transactions: payments.map(({ tip: _, ...payment }) => branded(payment)) },
    }),
    ...(refunds.length > 0 && {
      refunds: {
        refund_amount: money(refunded),
        // Refunds in parts, and of several payments, can be more than are shown. The last ones are shown.
        transactions: refunds.slice(-TRANSACTIONS_MAX).map(({ payment_id: _, ...refund }) => branded(refund)),
      },
    }),
  }
}

/** What a subscriber receives: the invoice, and beside it the fields that some clients read directly. */
export function presentEvent(service: Service, invoice: Invoice): object {
  const { id, status, amount, due_amount, detail } = invoice
  return {
    id,
    status,
    invoice_number: detail.invoice_number,
    invoice_date: detail.invoice_date,
    currency_code: detail.currency_code,
    amount: { currency_code: amount.currency_code, value: amount.value },
    due_amount,
    invoice: presentInvoice(service, invoice),
  }
}

/** Names of the parts a list or search can add to a summary. */
const summaryParts = ['items', 'payments', 'refunds', 'additional_recipients_info', 'attachments', 'amount'] as const
export type SummaryPart = (typeof summaryParts)[number]

/** Which fields a list shows: the summary with some parts added, or the whole documents. */
export type Fields = 'all' | ReadonlySet<SummaryPart>

/** Whether these fields can be shown without looking into the rest of the document. */
export const isBare = (fields: Fields): boolean => fields !== 'all' && fields.size === 0

/** Reads a list of field names as callers write it, in any case. Unknown names are ignored. */
export function parseFields(names: readonly string[]): Fields {
  const wanted = names.map((name) => name.trim().toLowerCase())
  return wanted.includes('all') ? 'all' : new Set(summaryParts.filter((part) => wanted.includes(part)))
}

const bare: ReadonlySet<SummaryPart> = new Set()

export const presentListed = (service: Service, invoice: Invoice, fields: Fields) =>
  fields === 'all' ? presentInvoice(service, invoice) : presentSummary(service, invoice, fields)

type Summarised = InvoiceSummary & Partial<Pick<Invoice, 'items' | 'additional_recipients'>>

export function presentSummary(service: Service, invoice: Summarised, fields: ReadonlySet<SummaryPart> = bare) {
  const { detail, invoicer, amount } = invoice
  const { due_date } = detail.payment_term
  const has = (part: SummaryPart) => fields.has(part)
  const money = has('payments') || has('refunds') ? presentMoney(service, invoice) : {}
  return {
    id: invoice.id,
    invoice_number: detail.invoice_number,
    status: invoice.status,
    detail: {
      reference: detail.reference,
      currency_code: detail.currency_code,
      note: detail.note,
      memo: detail.memo,
      invoice_number: detail.invoice_number,
      invoice_date: detail.invoice_date,
      ...(due_date !== undefined && { payment_term: { due_date } }),
      viewed_by_recipient: detail.viewed_by_recipient,
      group_draft: false,
      ...(has('attachments') && { attachments: detail.attachments ?? [] }),
      metadata: {
        create_time: detail.metadata.create_time,
        recipient_view_url: recipientViewUrl(service, invoice.id),
        invoicer_view_url: invoicerViewUrl(service, invoice.id),
      },
    },
    invoicer: { email_address: invoicer.email_address },
    primary_recipients: invoice.primary_recipients.map(shownRecipient).map(({ billing_info, shipping_info }) => ({
      billing_info: {
        name: billing_info?.name,
        email_address: billing_info?.email_address,
        business_name: billing_info?.business_name,
      },
      ...(shipping_info && { shipping_info: { name: shipping_info.name } }),
    })),
    ...(has('additional_recipients_info') && { additional_recipients: invoice.additional_recipients }),
    ...(has('items') && { items: invoice.items }),
    amount: has('amount') ? amount : { currency_code: amount.currency_code, value: amount.value },
    due_amount: invoice.due_amount,
    ...(has('payments') && 'payments' in money && { payments: money.payments }),
    ...(has('refunds') && 'refunds' in money && { refunds: money.refunds }),
    links: linksOf(service, invoice),
  }
}
