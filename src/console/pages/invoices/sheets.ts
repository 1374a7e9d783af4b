import { type Html, html } from '../../../http/html.ts'
import type { InvoiceAction } from '../../../invoices/lifecycle.ts'
import { newRequestId } from '../../forms/fields.ts'
import type { Invoice } from '../../forms/invoice-forms.ts'
import { lines, mark, sheet } from '../../parts/parts.ts'
import type { Visit } from '../../visit.ts'
import { money, sentence, standingWords } from '../../words.ts'
import type { Move } from './moves.ts'

/** What was paid and given back. */
export function moneySheet(invoice: Invoice, { who }: Visit): Html {
  const { id, amount, due_amount, payments, refunds } = invoice
  const records = [
    ...(payments?.transactions ?? []).map((one) => ({
      ...one,
      kind: 'payments',
      record: one.payment_id,
      day: one.payment_date,
    })),
    ...(refunds?.transactions ?? []).map((one) => ({
      ...one,
      kind: 'refunds',
      record: one.refund_id,
      day: one.refund_date,
    })),
  ]
  return sheet(
    'Payments and refunds',
    html`${lines([
      ['Total', amount && money(amount as never)],
      ['Paid', payments ? money(payments.paid_amount) : '–'],
      ...(refunds ? [['Refunded', money(refunds.refund_amount)] as const] : []),
      ['Left to pay', due_amount && money(due_amount as never), 'total'],
    ])}${
      records.length > 0 &&
      html`<table class="rows below"><tbody>${records.map(
        (one) =>
          html`<tr><td class="fill">${one.kind === 'payments' ? 'Payment' : 'Refund'}, ${sentence(one.method ?? '')}<small>${one.day}</small></td><td class="num right">${one.amount && money(one.amount as never)}${
            one.type === 'EXTERNAL' &&
            who.may('work') &&
            html`<form method="post" action="/console/invoices/${id}/${one.kind}/${one.record}/delete"><input type="hidden" name="request-id" value="${newRequestId()}"><button class="link">Delete the record</button></form>`
          }</td></tr>`,
      )}</tbody></table>`
    }`,
    {
      aside:
        who.caller.scopes.has('reporting/search/read') && html`<a href="/console/money?invoice=${id}">Movements</a>`,
    },
  )
}

/** How each action is told; the words follow what the invoice became by it. */
const ways: Readonly<Record<InvoiceAction, string>> = {
  update: 'after a change by the merchant',
  delete: 'by the merchant',
  send: 'by the merchant',
  issue: 'on its issue date',
  cancel: 'by the merchant',
  remind: 'and the customer reminded',
  'qr-code': 'and its QR code drawn',
  view: 'and opened by the customer',
  'record-payment': 'when a payment was recorded',
  'record-refund': 'when a refund was recorded',
  'delete-payment': 'when the record of a payment was deleted',
  'delete-refund': 'when the record of a refund was deleted',
  pay: 'by the customer',
  'clear-payment': 'when the payment cleared',
  'deny-payment': 'when the payment was denied',
  'refund-payment': 'when a payment was refunded',
  'restore-payment': 'when a refund was taken back',
}

/** Who did it. In a sandbox, an app may send the request that pays, but it is the customer who pays. */
const doneBy = ({ actor, action }: Move) =>
  action === 'pay' || action === 'view' ? 'buyer' : actor?.startsWith('job:') ? 'time' : 'merchant'

/** What happened to the invoice, oldest first. */
export function story(invoice: Invoice, moves: readonly Move[], visit: Visit): Html {
  const created = invoice.detail?.metadata?.create_time
  return sheet(
    'What happened',
    html`<ol class="story slim">${created && html`<li>${mark('merchant')}<div class="by"><span>Written</span>${visit.times.at(created)}</div></li>`}${moves.map(
      (move) =>
        html`<li>${mark(doneBy(move))}<div class="by"><span>${move.to ? standingWords(move.to) : 'Deleted'} <span class="soft">${ways[move.action as InvoiceAction]}</span></span>${visit.times.at(move.at)}</div></li>`,
    )}</ol>`,
  )
}
