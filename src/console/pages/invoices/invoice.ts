import { type Content, type Html, html } from '../../../http/html.ts'
import { findStored } from '../../../invoices/store.ts'
import { dayIn, type Instant } from '../../../kernel/clock.ts'
import { type Money, toMinor } from '../../../kernel/money.ts'
import { notFound } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import { isRefundable } from '../../../ledger/movements.ts'
import { findTransactionsOfInvoice } from '../../../ledger/store.ts'
import { invoicePaper } from '../../../payer/page/page.ts'
import { type Sheet, sheetOf } from '../../../payer/sheet/sheet.ts'
import { eventsSheet } from '../../events-of.ts'
import { bodyFrom, form, refusalBox, type Typed } from '../../forms/fields.ts'
import { type Invoice, type InvoiceForm, invoiceForms, leftToRefund, refundForm } from '../../forms/invoice-forms.ts'
import { type InvoiceProspects, invoiceFollows, invoiceProspects, notNow } from '../../forms/prospects.ts'
import { askOnce } from '../../once.ts'
import { mendable, type Operations, type Refusal, requireDone } from '../../operate.ts'
import { faster, seenAs } from '../../outdated.ts'
import { icon } from '../../parts/icons.ts'
import { backTo, headline, lines, linkButton, sheet, taken } from '../../parts/parts.ts'
import { fileAnswer } from '../../respond.ts'
import type { Pages, Sent, Visit } from '../../visit.ts'
import { money, standing, standingWords } from '../../words.ts'
import { customerOf } from './list.ts'
import { movesOf } from './moves.ts'
import { moneySheet, story } from './sheets.ts'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 40, pattern: '^[A-Za-z0-9-]+$' }) })

const Payment = Type.Object({ id: Id.properties.id, payment: Id.properties.id })

/** A form that was refused, to be drawn as it was left. */
interface Left {
  readonly name: string
  readonly typed: Typed
  readonly refusal: Refusal
}

/** The links that are pages or images rather than forms. */
const otherLinks = ['self', 'replace', 'qr-code']
const relsOf = ({ links = [] }: Invoice) => links.map(({ rel }) => rel)
const placeOf = (rel: string) => Object.keys(invoiceForms).indexOf(rel)

/** Reads what the API shows, and with it the stored invoice, from which the paper is set. */
async function read(visit: Visit<typeof Id>) {
  const { id } = visit.params
  const invoice = await visit.look<Invoice>('showInvoice', { params: { invoice_id: id } })
  const stored = await findStored(visit.db, visit.who.caller.accountId, id)
  const paper = sheetOf({ ...stored, now: visit.now as Instant }, { language: 'en', tag: 'en-US' })
  const today = dayIn(visit.now as Instant, stored.account.time_zone)
  const payments = await findTransactionsOfInvoice(visit.db, visit.who.caller.accountId, id)
  return { invoice, paper, today, payments, prospects: invoiceProspects(stored.invoice) }
}

type Read = Awaited<ReturnType<typeof read>>

/** A digest of what a form was drawn from: two changes can share an update time, and on a frozen clock all do. */
export const seenOf = (invoice: Invoice): string => seenAs(invoice)

const tones: Readonly<Partial<Record<Sheet['standing'], string>>> = { overdue: 'warn', paid: 'good', pending: 'wait' }

function till(invoice: Invoice, paper: Sheet, { who, times }: Visit): Html {
  const { status = 'DRAFT', detail } = invoice
  const isOut = status !== 'DRAFT' && status !== 'SCHEDULED'
  const rels = relsOf(invoice)
  return html`<section class="till">${backTo('Invoices', '/console/invoices')}
<p class="of">${customerOf(invoice)} · Invoice ${detail?.invoice_number}</p>
<div>${headline(isOut ? paper.headlineAmount : invoice.amount ? money(invoice.amount as never) : '')}<p class="now ${isOut && tones[paper.standing]}">${isOut ? paper.headline : standingWords(status)} <span>${detail?.metadata?.first_sent_time && html`sent ${times.date(dayIn(detail.metadata.first_sent_time as Instant, who.zone))}`}${detail?.viewed_by_recipient && html`${detail.metadata?.first_sent_time && ', '}opened by the customer`}</span></p></div>
<div class="actions">${standing(status)}${rels.includes('replace') && who.may('work') && linkButton('Edit', `/console/invoices/${invoice.id}/edit`)}${rels.some((rel) => invoiceForms[rel]) && who.may('work') && html`<a class="button to-below" href="#do">What you can do</a>`}</div></section>`
}

const doing = (name: string, { title, note }: Pick<InvoiceForm, 'title' | 'note'>, content: Content, isOpen: boolean) =>
  html`<details name="doing" id="do-${name}"${isOpen && html` open`}><summary><b>${title}</b>${icon('down')}${note && html`<small>${note}</small>`}</summary>${content}</details>`

function formOf(rel: string): InvoiceForm {
  const one = invoiceForms[rel]
  if (!one) throw new Error(`There is no form for ${rel}.`)
  return one
}

/** One thing that can be done, and the form for it. */
interface Doing {
  readonly name: string
  readonly action: string
  readonly one: InvoiceForm
}

const refundName = (paymentId: string) => `refund-${paymentId}`

/** Just the actions that the answer links to and the payments that can be given back, as far as the onlooker may. */
const doingsOf = ({ invoice, payments }: Read, { who }: Visit): Doing[] =>
  [
    ...relsOf(invoice)
      .filter((rel) => !otherLinks.includes(rel))
      .map((rel) => ({ name: rel, action: `/console/invoices/${invoice.id}/${rel}`, one: formOf(rel) }))
      .toSorted((a, b) => placeOf(a.name) - placeOf(b.name)),
    ...payments.filter(isRefundable).map((payment) => ({
      name: refundName(payment.id),
      action: `/console/invoices/${invoice.id}/payments/${payment.id}/refund`,
      one: refundForm(payment, who.zone),
    })),
  ].filter(({ one }) => who.may(one.may))

function doings(operations: Operations, found: Read, visit: Visit, left?: Left): Html {
  const { invoice, today, prospects } = found
  const { who } = visit
  const all = doingsOf(found, visit)
  const likeliest = all.find(({ name }) => ['send', 'record-payment'].includes(name))?.name
  // An action that was refused because it is no longer possible has no form any more.
  const why = left && !all.some(({ name }) => name === left.name) && refusalBox(left.refusal)
  if (all.length === 0)
    return sheet(
      'What you can do now',
      html`${why}<p class="soft">Nothing: ${who.may('work') ? `it is ${standingWords(invoice.status ?? '').toLowerCase()}` : 'you may look'}.</p>${notPossible(prospects)}`,
      { className: 'doings' },
    )
  return html`<section class="sheet doings" id="do"><header class="sheet-head"><h2>What you can do now</h2></header>${why}${all.map(
    ({ name, action, one }) => {
      const drawn = form({
        name,
        action,
        route: operations.route(one.operation),
        fields: one.fields(invoice, today),
        button: one.button,
        danger: one.danger ?? false,
        follows: html`${invoiceFollows(prospects, name, invoice.status ?? '')} ${one.follows?.(invoice)}`,
        seen: seenOf(invoice),
        ...(left?.name === name && { typed: left.typed, refusal: left.refusal }),
      })
      return doing(name, one, drawn, name === (left?.name ?? likeliest))
    },
  )}${notPossible(prospects)}</section>`
}

/** Of the actions that have a form here, those that cannot be taken now. */
const notPossible = ({ consequences }: InvoiceProspects): Content =>
  notNow(
    consequences.filter(({ action }) => invoiceForms[action]),
    (action) => invoiceForms[action]!.title,
  )

async function draw(visit: Visit<typeof Id>, operations: Operations, left?: Left) {
  const found = await read(visit)
  const { invoice, paper, prospects } = found
  const moves = await movesOf(visit.db, visit.who.caller.accountId, visit.params.id)
  const isOut = invoice.links?.some(({ rel }) => rel === 'qr-code') ?? false
  const page = `/invoice/p/${invoice.detail?.metadata?.recipient_view_url?.split('#')[1]}`
  const isDue = toMinor(paper.due) > 0n && invoice.status !== 'CANCELLED'
  return {
    title: `Invoice ${invoice.detail?.invoice_number}`,
    ...(left && { status: 422 }),
    content: html`${till(invoice, paper, visit)}<div class="two">${invoicePaper({ sheet: paper }, html`<p class="kind">Invoice</p>`)}
<aside>${prospects.unattended && html`<div class="unless"><p><b>If nobody acts</b></p><p>${prospects.unattended}</p></div>`}${doings(operations, found, visit, left)}${moneySheet(invoice, visit)}${story(invoice, moves, visit)}${sheet(
      'Links',
      lines([
        ...(visit.who.face === 'sandbox' && moves.some(({ to }) => to === 'SENT')
          ? [
              [
                'Customer’s page',
                html`<a href="${page}">${isDue ? 'Open and pay' : 'Open'} ${icon('out')}</a>`,
              ] as const,
              ['PDF', html`<a href="${`${page}/pdf`}">Open</a>`] as const,
            ]
          : []),
        ...(isOut && visit.who.may('work')
          ? [['QR code', html`<a href="/console/invoices/${invoice.id}/qr-code">Show</a>`] as const]
          : []),
        ['Id', taken(invoice.id ?? '', 'id')],
      ]),
    )}${await eventsSheet(visit, visit.params.id)}</aside></div>`,
  }
}

/** Carries out the action of a form. After a refusal, the page is drawn again with the form as it was left. */
async function take(sent: Sent<typeof Id>, operations: Operations, rel: string) {
  const one = invoiceForms[rel]!
  const { invoice } = await read(sent)
  const seen = sent.typed['seen']
  if (seen !== undefined && seen !== seenOf(invoice) && !relsOf(invoice).includes(rel))
    return sent.again(await draw(sent, operations, { name: rel, typed: sent.typed, refusal: faster }))
  return carryOut(sent, operations, { name: rel, one, params: { invoice_id: sent.params.id } })
}

/** Gives a payment back. One that is refunded already is asked for too, so that a second click is answered like the first. */
async function takeRefund(sent: Sent<typeof Payment>, operations: Operations) {
  const payment = await paymentIn(sent)
  return carryOut(sent, operations, {
    name: refundName(payment.id),
    one: refundForm(payment, sent.who.zone),
    params: { id: payment.id },
  })
}

async function carryOut(
  sent: Sent<typeof Id>,
  operations: Operations,
  { name, one, params }: { name: string; one: InvoiceForm; params: Readonly<Record<string, string>> },
) {
  const outcome = await sent.operate(one.operation, {
    params,
    ...(operations.route(one.operation).body && { body: bodyFrom(sent.typed) }),
    requestId: sent.typed['request-id'],
  })
  const refusal = mendable(outcome)
  if (refusal) return sent.again(await draw(sent, operations, { name, typed: sent.typed, refusal }))
  return sent.lead(name === 'delete' ? '/console/invoices' : `/console/invoices/${sent.params.id}`, one.done)
}

/** The payment through the service that a form is about, if it is one of this invoice. */
async function paymentIn(sent: Sent<typeof Payment>) {
  const { payments } = await read(sent)
  const payment = payments.find(({ id }) => id === sent.params.payment)
  if (!payment) throw notFound('The payment')
  return payment
}

/** The amount that a refund names, or everything when it names none. */
const namedIn = ({ typed }: Sent, all: Money | undefined) => {
  const value = typed['/amount/value']?.trim()
  return value ? { currency_code: all?.currency_code ?? '', value } : all
}

const Record = Type.Object({
  id: Id.properties.id,
  kind: Type.Enum(['payments', 'refunds']),
  record: Type.String({ maxLength: 40, pattern: '^[A-Za-z0-9-]+$' }),
})

export const invoicePages = ({ page, form: formRoute }: Pages, operations: Operations) => [
  page({
    url: '/console/invoices/:id',
    operation: 'consoleInvoice',
    summary: 'Show an invoice',
    may: 'see',
    params: Id,
    draw: (visit) => draw(visit, operations),
  }),
  ...Object.entries(invoiceForms).map(([rel, { operation, title, may }]) =>
    formRoute({
      url: `/console/invoices/:id/${rel}`,
      operation: `console${operation.charAt(0).toUpperCase()}${operation.slice(1)}`,
      summary: title,
      may,
      params: Id,
      ...(rel === 'record-refund' && {
        gives: {
          amount: async (sent: Sent<typeof Id>) => namedIn(sent, (await read(sent)).invoice.payments?.paid_amount),
          refuse: (sent: Sent<typeof Id>, refusal: Refusal) =>
            draw(sent, operations, { name: rel, typed: sent.typed, refusal }),
        },
      }),
      take: (sent) => take(sent, operations, rel),
    }),
  ),
  formRoute({
    url: '/console/invoices/:id/payments/:payment/refund',
    operation: 'consoleRefundCapture',
    summary: 'Refund a payment of an invoice',
    may: 'settle',
    params: Payment,
    gives: {
      amount: async (sent) => namedIn(sent, leftToRefund(await paymentIn(sent))),
      refuse: (sent, refusal) =>
        draw(sent, operations, { name: refundName(sent.params.payment), typed: sent.typed, refusal }),
    },
    take: (sent) => takeRefund(sent, operations),
  }),
  formRoute({
    url: '/console/invoices/:id/:kind/:record/delete',
    operation: 'consoleDeleteRecord',
    summary: 'Delete a recorded payment or refund',
    may: 'work',
    params: Record,
    async take(sent) {
      const { id, kind, record } = sent.params
      const params = { invoice_id: id, transaction_id: record }
      const operation = kind === 'payments' ? 'deletePayment' : 'deleteRefund'
      const outcome = await askOnce(sent, () => sent.operate(operation, { params }))
      // On a second click, the record has been deleted already.
      if (outcome) requireDone(outcome)
      return sent.lead(`/console/invoices/${id}`, 'The record was deleted.')
    },
  }),
  page({
    url: '/console/invoices/:id/qr-code',
    operation: 'consoleQrCode',
    summary: 'Show the QR code of an invoice',
    may: 'work',
    params: Id,
    async draw(visit) {
      const outcome = await visit.operate('generateQrCode', { params: { invoice_id: visit.params.id }, body: {} })
      requireDone(outcome)
      const { image } = outcome.body as { image: string }
      return fileAnswer(Buffer.from(image, 'base64'), { 'content-type': 'image/png' })
    },
  }),
]
