import type { Account } from '../../accounts/schema.ts'
import { linkable } from '../../http/html.ts'
import type { DisplayField } from '../../invoices/schema/enums.ts'
import type { Invoice } from '../../invoices/schema/invoice.ts'
import { settle } from '../../invoices/sums/settlement.ts'
import { lineOf } from '../../invoices/sums/totals.ts'
import { dayIn, type Instant } from '../../kernel/clock.ts'
import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import { type Say, sayIn } from '../words/index.ts'
import type { Locale } from '../words/languages.ts'
import { type Format, formatOf } from './format.ts'
import { addressLines, contactLines, nameOf } from './parties.ts'
import { rateOf, type SheetLine, totalsOf } from './totals.ts'

export interface SheetItem {
  readonly name: string
  readonly description?: string
  readonly day?: string
  readonly quantity?: string
  readonly unitPrice: string
  readonly amount: string
  readonly tax?: string
  readonly discount?: string
}

/** How an invoice stands. This decides the headline and its colour. */
export type Standing = 'open' | 'overdue' | 'pending' | 'paid' | 'refunded' | 'cancelled'

/** An invoice ready to be set in type: every text in the reader's language, every figure in their format. */
export interface Sheet {
  readonly locale: Locale
  readonly say: Say
  readonly format: Format
  readonly number: string
  readonly seller: string
  readonly sellerEmail?: string
  readonly sellerLines: readonly string[]
  readonly website?: string
  readonly billTo: readonly string[]
  readonly shipTo: readonly string[]
  readonly facts: readonly (readonly [label: string, value: string])[]
  /** Absent where quantities are not shown. */
  readonly quantityLabel?: string
  readonly items: readonly SheetItem[]
  readonly totals: readonly SheetLine[]
  readonly history: readonly { readonly label: string; readonly day: string; readonly amount: string }[]
  readonly note?: string
  readonly terms?: string
  readonly sellerNote?: string
  readonly attachments: readonly { readonly label: string; readonly href: string }[]
  readonly standing: Standing
  /** What the reader should know first, with the amount that matters. */
  readonly headline: string
  readonly headlineAmount: string
  readonly due: Money
}

/** What the page is set from. */
export interface SheetSource {
  readonly invoice: Invoice
  readonly account: Pick<Account, 'name' | 'email' | 'time_zone'>
  readonly now: Instant
}

const orAbsent = <Key extends string>(key: Key, value: string | undefined) =>
  (value === undefined || value === '' ? {} : { [key]: value }) as { [K in Key]?: string }

export function sheetOf({ invoice, account, now }: SheetSource, locale: Locale): Sheet {
  const say = sayIn(locale.language)
  const format = formatOf(locale)
  const { detail, invoicer, primary_recipients } = invoice
  const [recipient] = primary_recipients
  const hidden = new Set(invoice.hidden_fields)
  const standing = standingOf(invoice, dayIn(now, account.time_zone))
  let items: readonly SheetItem[] | undefined
  return {
    locale,
    say,
    format,
    number: detail.invoice_number,
    seller: nameOf(invoicer) ?? account.name,
    ...orAbsent('sellerEmail', invoicer.email_address ?? account.email),
    sellerLines: contactLines(invoicer, say, locale.tag, account),
    ...orAbsent('website', invoicer.website),
    billTo: recipient?.billing_info
      ? [
          ...addressLines(recipient.billing_info, locale.tag),
          ...[recipient.billing_info.email_address, recipient.billing_info.additional_info].filter(isText),
        ]
      : [],
    shipTo: recipient?.shipping_info ? addressLines(recipient.shipping_info, locale.tag) : [],
    facts: factsOf(invoice, say, format),
    ...(!hidden.has('ITEMS_QUANTITY') && {
      quantityLabel: say(invoice.items.every((item) => item.unit_of_measure === 'HOURS') ? 'hours' : 'quantity'),
    }),
    // Made only when they are needed: a letter shows none, and printing happens in another process.
    get items() {
      items ??= invoice.items.map((item) => itemOf(item, hidden, say, format))
      return items
    },
    totals: totalsOf(invoice, say, format),
    history: historyOf(invoice, say, format),
    ...orAbsent('note', detail.note),
    ...orAbsent('terms', detail.terms_and_conditions),
    ...orAbsent('sellerNote', invoicer.additional_notes),
    attachments: (detail.attachments ?? []).flatMap(({ reference_url, id }, i) => {
      const href = linkable(reference_url)
      return href ? [{ href, label: id ?? say('attachment', { number: String(i + 1) }) }] : []
    }),
    standing,
    ...headlineOf(invoice, standing, say, format, dayIn(now, account.time_zone)),
    due: invoice.due_amount,
  }
}

const isText = (text: string | undefined): text is string => text !== undefined && text !== ''

/** A name for the printed file that every system takes. */
export const pdfName = ({ number }: Sheet): string => `invoice-${number.replace(/[^\w-]+/g, '_')}.pdf`

function standingOf(invoice: Invoice, today: string): Standing {
  const { due_date } = invoice.detail.payment_term
  switch (invoice.status) {
    case 'CANCELLED':
      return 'cancelled'
    case 'PAYMENT_PENDING':
      return 'pending'
    case 'PAID':
    case 'MARKED_AS_PAID':
      return 'paid'
    case 'REFUNDED':
    case 'MARKED_AS_REFUNDED':
    case 'PARTIALLY_REFUNDED':
      return 'refunded'
    default:
      return due_date !== undefined && due_date < today ? 'overdue' : 'open'
  }
}

function headlineOf(invoice: Invoice, standing: Standing, say: Say, format: Format, today: string) {
  const { payment_term } = invoice.detail
  const total = format.money(invoice.amount)
  const due = format.money(invoice.due_amount)
  const dueText = () => {
    if (payment_term.due_date === undefined) return say('noDueDate')
    if (payment_term.due_date === today)
      return say(payment_term.term_type === 'DUE_ON_RECEIPT' ? 'dueOnReceipt' : 'dueToday')
    return say('dueOn', { date: format.day(payment_term.due_date) })
  }
  switch (standing) {
    case 'cancelled':
      return { headline: say('cancelled'), headlineAmount: total }
    case 'pending':
      return { headline: say('pending'), headlineAmount: due }
    case 'paid':
      return { headline: say('paidInFull'), headlineAmount: total }
    case 'refunded':
      return {
        headline: say(invoice.status === 'PARTIALLY_REFUNDED' ? 'refundedInPart' : 'refunded'),
        headlineAmount: format.money(toMoney(settle(invoice).refunded, invoice.amount.currency_code)),
      }
    case 'overdue':
      return { headline: say('overdue', { date: format.day(payment_term.due_date!) }), headlineAmount: due }
    case 'open':
      return { headline: dueText(), headlineAmount: due }
  }
}

function factsOf({ detail }: Invoice, say: Say, format: Format): [string, string][] {
  const { invoice_number, invoice_date, payment_term, reference } = detail
  const due =
    payment_term.due_date === undefined || payment_term.term_type === 'DUE_ON_RECEIPT'
      ? say(payment_term.term_type === 'DUE_ON_RECEIPT' ? 'dueOnReceipt' : 'noDueDate')
      : format.day(payment_term.due_date)
  return [
    [say('number'), invoice_number],
    [say('issued'), format.day(invoice_date)],
    [say('due'), due],
    ...(isText(reference) ? [[say('reference'), reference] as [string, string]] : []),
  ]
}

function itemOf(
  item: Invoice['items'][number],
  hidden: ReadonlySet<DisplayField>,
  say: Say,
  format: Format,
): SheetItem {
  const unless = (field: DisplayField, text: string | undefined) => (hidden.has(field) ? undefined : text)
  const currency = item.unit_amount.currency_code
  const gross = lineOf(item)
  const discount = item.discount?.amount && toMinor(item.discount.amount) !== 0n ? item.discount : undefined
  const rate = rateOf(discount, gross, format)
  return {
    name: item.name,
    ...orAbsent('description', unless('ITEMS_DESCRIPTION', item.description)),
    ...orAbsent('day', unless('ITEMS_DATE', item.item_date && format.day(item.item_date))),
    ...orAbsent('quantity', unless('ITEMS_QUANTITY', format.number(item.quantity))),
    unitPrice: format.figures(item.unit_amount),
    amount: format.figures(toMoney(gross, currency)),
    ...orAbsent('tax', unless('ITEMS_TAX', item.tax && `${item.tax.name} ${format.percent(item.tax.percent)}`)),
    ...orAbsent(
      'discount',
      unless('ITEMS_DISCOUNT', discount?.amount && `${say('discount')}${rate} ${format.figures(discount.amount)}`),
    ),
  }
}

function historyOf({ payments, refunds, gratuity }: Invoice, say: Say, format: Format) {
  const paid = payments.map(({ payment_date, amount, transaction_status }) => ({
    label: say(transaction_status === 'PENDING' ? 'paymentPending' : 'payment'),
    date: payment_date,
    amount: format.money(amount),
  }))
  const returned = refunds.map(({ refund_date, amount }) => ({
    label: say('refund'),
    date: refund_date,
    amount: format.money(negated(amount)),
  }))
  const last = payments.at(-1)
  const tip = gratuity && last ? [{ label: say('tip'), date: last.payment_date, amount: format.money(gratuity) }] : []
  return [...paid, ...tip, ...returned].map(({ date, ...rest }) => ({ ...rest, day: format.day(date) }))
}

const negated = (money: Money): Money => toMoney(-toMinor(money), money.currency_code)
