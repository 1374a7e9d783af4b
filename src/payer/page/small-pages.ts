import { html } from '../../http/html.ts'
import { type Attempt, grossOf } from '../pay/attempts.ts'
import type { Sheet } from '../sheet/sheet.ts'
import { sayIn, type Words } from '../words/index.ts'
import type { Locale } from '../words/languages.ts'
import { frame } from './page.ts'
import { scriptAddress } from './style.ts'

/** A page that says one thing. */
export function messagePage(
  locale: Locale,
  { title, text, back }: { title: keyof Words; text?: keyof Words; back?: string },
): string {
  const say = sayIn(locale.language)
  return frame(
    { title: say(title), locale, className: 'narrow' },
    html`<div class="paper stack"><h1>${say(title)}</h1>
${text && html`<p>${say(text)}</p>`}
${back && html`<p><a class="button quiet" href="${back}">${say('back')}</a></p>`}</div>`,
  )
}

/** The page behind `#CODE`: our script opens the invoice. Without scripts, the code can be typed. */
export function hashPage(locale: Locale): string {
  const say = sayIn(locale.language)
  return frame(
    {
      title: say('openInvoice'),
      locale,
      className: 'narrow',
      head: html`<script src="${scriptAddress}" defer></script>`,
    },
    html`<form class="paper stack" method="get" action="/invoice/p"><h1>${say('openInvoice')}</h1>
<p>${say('openInvoiceText')}</p>
<div><label for="code">${say('code')}</label><input class="boxed" id="code" name="code" maxlength="40" autocomplete="off" autocapitalize="characters" spellcheck="false" required></div>
<p><button class="button">${say('open')}</button></p></form>`,
  )
}

export interface PaymentSheet {
  readonly sheet: Sheet
  readonly address: string
  /** The address at which the invoice is read, in the reader's language. */
  readonly back: string
  readonly token: string
  readonly paying: Pick<Attempt, 'amount' | 'tip'>
  /** Whether the payer chooses what becomes of the payment, which is so in a sandbox. */
  readonly isTest: boolean
}

/** The last page before money moves: what is paid, to whom, and the button that does it. */
export function paymentSheet({ sheet, address, back, token, paying, isTest }: PaymentSheet): string {
  const { say, format } = sheet
  const { amount, tip } = paying
  const outcome = (value: string, label: string, quiet = false) =>
    html`<button class="button${quiet ? ' quiet' : ''}" name="outcome" value="${value}">${label}</button>`
  return frame(
    { title: say('payTo', { business: sheet.seller }), locale: sheet.locale, className: 'narrow' },
    html`<form class="paper stack" method="post" action="${address}/pay">
<h1>${say('payTo', { business: sheet.seller })}</h1>
<dl class="lines"><div class="whole"><dt>${say('invoiceNumber', { number: sheet.number })}</dt><dd>${format.money(amount)}</dd></div>
${tip && html`<div class="whole"><dt>${say('tip')}</dt><dd>${format.money(tip)}</dd></div>`}
<div class="whole total"><dt>${say('totalToday')}</dt><dd>${format.money(grossOf(paying))}</dd></div></dl>
${isTest && html`<p class="hint"><strong>${say('testPayment')}.</strong> ${say('testPaymentText')}</p>`}
<input type="hidden" name="token" value="${token}"><input type="hidden" name="amount" value="${amount.value}">
<input type="hidden" name="tip" value="${tip?.value ?? ''}"><input type="hidden" name="lang" value="${sheet.locale.tag}">
<div class="buttons">${outcome('COMPLETED', say('pay', { amount: format.money(grossOf(paying)) }))}
${isTest && outcome('PENDING', say('paymentStaysPending'), true)}${isTest && outcome('DENIED', say('paymentDenied'), true)}</div>
<p><a href="${back}">${say('back')}</a></p></form>`,
  )
}

/** Shown while a gateway is at work. The page reloads by itself, without scripts. */
export function payingPage(locale: Locale, { address, redirect }: { address: string; redirect?: string }): string {
  const say = sayIn(locale.language)
  return frame(
    {
      title: say('paying'),
      locale,
      className: 'narrow',
      head: redirect === undefined && html`<meta http-equiv="refresh" content="2">`,
    },
    html`<div class="paper stack"><h1>${say('paying')}</h1>
${
  redirect === undefined
    ? html`<p>${say('payingText')}</p><p><a class="button quiet" href="">${say('lookAgain')}</a></p>`
    : html`<p><a class="button" href="${redirect}">${say('payingContinue')}</a></p>`
}
<p><a href="${address}">${say('back')}</a></p></div>`,
  )
}
