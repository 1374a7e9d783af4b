import { RETURN } from '../../disputes/machine/evidence.ts'
import { disputeLifecycle } from '../../disputes/machine/lifecycle.ts'
import { totalRefunded } from '../../disputes/machine/payments.ts'
import { type Dispute, isOf } from '../../disputes/schema/dispute.ts'
import type { OfferType } from '../../disputes/schema/enums.ts'
import { type Content, type Html, html, paragraphs } from '../../http/html.ts'
import { toMoney } from '../../kernel/money.ts'
import type { PaymentTransaction } from '../../ledger/schema.ts'
import { frame, type Notice, noticeOn } from '../page/page.ts'
import type { Sheet } from '../sheet/sheet.ts'
import { type CaseWords, type SayCase, sayCaseIn } from '../words/index.ts'
import { returnLines, returnToSend } from './returns.ts'

/** What can be wrong from a payer's view, in the order in which it is asked. */
export const reportReasons = {
  MERCHANDISE_OR_SERVICE_NOT_RECEIVED: 'notReceived',
  MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED: 'notAsDescribed',
  UNAUTHORISED: 'unauthorised',
  DUPLICATE_TRANSACTION: 'duplicate',
  INCORRECT_AMOUNT: 'incorrectAmount',
  CREDIT_NOT_PROCESSED: 'creditNotProcessed',
} as const

interface Common {
  readonly sheet: Sheet
  readonly token: string
  /** The address to which the forms are sent. */
  readonly path: string
  readonly invoicePath: string
  readonly notice?: Notice
}

const hidden = ({ token, sheet }: Common) =>
  html`<input type="hidden" name="token" value="${token}"><input type="hidden" name="lang" value="${sheet.locale.tag}">`

const fileTypes = 'image/png,image/jpeg,image/gif,application/pdf'

/** What was typed into the form before it was refused. */
export interface TypedReport {
  readonly payment?: string
  readonly reason?: string
  readonly text?: string
}

const chosen = (value: string, wanted: string | undefined): Content => value === wanted && html` selected`

/** The form that opens a case about one of the payments of an invoice. */
export function reportPage(page: Common & { payments: readonly PaymentTransaction[]; typed: TypedReport }): string {
  const { sheet, path, payments, invoicePath, typed } = page
  const say = sayCaseIn(sheet.locale.language)
  const [first] = payments
  return frame(
    { title: say('reportTitle'), locale: sheet.locale, className: 'narrow' },
    html`${noticeOn(page)}<form class="paper stack" method="post" action="${path}" enctype="multipart/form-data">
<h1>${say('reportTitle')}</h1>
<p>${say('reportIntro', { business: sheet.seller, amount: first ? sheet.format.money(first.gross) : '' })}</p>
<p class="hint">${first?.buyer.email === undefined ? say('noLink', { business: sheet.seller }) : say('linkGoesTo', { address: masked(first.buyer.email) })}</p>${hidden(page)}
${
  payments.length > 1
    ? html`<div><label for="payment">${say('payment')}</label><select id="payment" name="payment">${payments.map(
        ({ id, gross }) =>
          html`<option value="${id}"${chosen(id, typed.payment)}>${sheet.format.money(gross)} · ${id}</option>`,
      )}</select></div>`
    : html`<input type="hidden" name="payment" value="${first?.id ?? ''}">`
}
<div><label for="reason">${say('whatIsWrong')}</label><select id="reason" name="reason">${Object.entries(
      reportReasons,
    ).map(
      ([reason, phrase]) => html`<option value="${reason}"${chosen(reason, typed.reason)}>${say(phrase)}</option>`,
    )}</select></div>
<div><label for="text">${say('whatHappened')}</label><textarea id="text" name="text" rows="5" maxlength="2000" required>
${typed.text}</textarea></div>
<div><label for="file">${say('document')}</label><input id="file" name="file" type="file" accept="${fileTypes}"></div>
<p><button class="button">${say('report')}</button></p>
<p><a href="${invoicePath}">${say('backToInvoice')}</a></p></form>`,
  )
}

/** An address in a form that its owner recognises, while nobody else learns it. */
const masked = (email: string): string => email.replace(/^(.)[^@]*/u, '$1•••')

/** Shown at the invoice once a case is open. The case itself is only behind the private link. */
export function reportedPage(page: Common & { dispute: Dispute }): string {
  const { sheet, dispute } = page
  const say = sayCaseIn(sheet.locale.language)
  const { email } = dispute.buyer
  return frame(
    { title: say('reportTitle'), locale: page.sheet.locale, className: 'narrow' },
    html`${noticeOn(page)}<form class="paper stack" method="post" action="${page.path}" enctype="multipart/form-data">
<h1>${say('reportTitle')}</h1><p>${say('reported', { business: sheet.seller, number: dispute.dispute_id })}</p>
<p>${email === undefined ? say('noLink', { business: sheet.seller }) : say('linkWentTo', { address: masked(email) })}</p>
${email !== undefined && html`${hidden(page)}<input type="hidden" name="again" value="yes"><p><button class="button quiet">${say('mailAgain')}</button></p>`}
<p><a href="${page.invoicePath}">${say('backToInvoice')}</a></p></form>`,
  )
}

const standings = {
  OPEN: 'open',
  WAITING_FOR_SELLER_RESPONSE: 'waitingSeller',
  WAITING_FOR_BUYER_RESPONSE: 'waitingBuyer',
  UNDER_REVIEW: 'underReview',
  RESOLVED: 'resolved',
} as const

/** What was written into a form of the case before it was refused. */
export interface TypedAction {
  readonly action: string
  readonly text?: string
  readonly carrier?: string
  readonly tracking?: string
}

/** The typed text for the form of this action. It begins with a line break, because a browser drops the first one. */
const typedIn = ({ typed }: CaseParts, action: string): Content =>
  typed?.action === action && typed.tracking === undefined && `\n${typed.text ?? ''}`

interface CaseParts extends Common {
  readonly typed?: TypedAction
  readonly dispute: Dispute
  /** The time zone in which deadlines are told. */
  readonly zone: string
}

/** The case as the payer sees it: where it stands, what was said, and what they can do now. */
export function casePage(page: CaseParts): string {
  const { sheet, dispute, zone, invoicePath } = page
  const say = sayCaseIn(sheet.locale.language)
  const { format } = sheet
  const values = { business: sheet.seller }
  const may = new Set<string>(disputeLifecycle.allowed(dispute, ['buyer']))
  const standing = standings[dispute.status as keyof typeof standings] ?? 'open'
  const due = dispute.status === 'WAITING_FOR_BUYER_RESPONSE' && dispute.timer
  return frame(
    { title: say('caseTitle', values), locale: sheet.locale, className: 'narrow' },
    html`${noticeOn(page)}<div class="paper stack">
<div><p class="hint">${say('caseNumber', { number: dispute.dispute_id })} · ${sheet.say('invoiceNumber', { number: sheet.number })}</p>
<h1>${say('caseTitle', values)}</h1></div>
<dl class="lines"><div class="whole"><dt>${say('payment')}</dt><dd>${format.money(dispute.dispute_amount)}</dd></div>
<div class="total"><dt>${say(standing, values)}</dt><dd>${due && say('answerBy', { date: format.until(due.due, zone) })}</dd></div></dl>
${dispute.status === 'RESOLVED' && outcomeTexts(dispute, say, sheet).map((text) => html`<p>${text}</p>`)}
${may.has('appeal') && appealForm(page, say)}
${may.has('accept-offer') && offerForm(page, dispute, say)}
${may.has('provide-evidence') && returnForm(page, say)}
${dispute.flow === 'ACK' && sentBack(dispute, say)}
${talk(dispute, say, sheet, zone)}
${may.has('send-message') && textForm(page, 'send-message', say('message'), say('send'))}
${may.has('provide-evidence') && evidenceForm(page, 'provide-evidence', { title: say('evidence'), note: say('evidenceNote'), send: say('evidence') }, say)}

<div class="buttons">${may.has('escalate') && buttonForm(page, 'escalate', say('escalate'))}
${may.has('cancel') && buttonForm(page, 'cancel', say('cancel'))}</div>
<p><a href="${invoicePath}">${say('backToInvoice')}</a></p></div>`,
  )
}

/** How it ended: the money that was given back, and what else was agreed. */
function outcomeTexts(dispute: Dispute, say: SayCase, { format, seller }: Sheet): string[] {
  const refunded = totalRefunded(dispute)
  const amount = format.money(toMoney(refunded, dispute.dispute_amount.currency_code))
  const isReplaced = replaced.has(dispute.dispute_outcome?.outcome_reason ?? '')
  return [
    refunded > 0n ? say('outcomeRefund', { amount }) : say('outcomeNone'),
    ...(isReplaced ? [say('outcomeReplaced', { business: seller })] : []),
  ]
}

const replaced = new Set(['INQUIRY_OFFER_ITEM_REPLACED', 'INQUIRY_OFFER_REFUND_WITH_REPLACEMENT'])

/** For each kind of offer: its name, what it means, and what the button to accept it says. */
const offerWords = {
  REFUND: { title: 'offer', accept: 'accept' },
  REFUND_WITH_RETURN: { title: 'offerReturn', text: 'offerReturnText', accept: 'acceptReturn' },
  REFUND_WITH_REPLACEMENT: { title: 'offerBoth', accept: 'acceptBoth' },
  REPLACEMENT_WITHOUT_REFUND: {
    title: 'offerReplacement',
    text: 'offerReplacementText',
    accept: 'acceptReplacement',
  },
} as const satisfies Record<OfferType, Readonly<Partial<Record<'title' | 'text' | 'accept', keyof CaseWords>>>>

function offerForm(page: CaseParts, { offer, offered_address }: Dispute, say: SayCase): Html {
  const { sheet, path } = page
  const { offer_type: type = 'REFUND', seller_offered_amount } = offer
  const { title, accept, ...more } = offerWords[type]
  const values = {
    business: sheet.seller,
    ...(seller_offered_amount && { amount: sheet.format.money(seller_offered_amount) }),
  }
  return html`<section class="stack"><h2>${say(title, values)}</h2>
${'text' in more && html`<p>${say(more.text, values)}</p>`}
${type === 'REFUND_WITH_RETURN' && offered_address && html`<p>${paragraphs(returnLines(sheet, offered_address).join('\n'))}</p>`}
${buttonForm(page, 'accept-offer', say(accept, values), false)}
<form class="stack screen" method="post" action="${path}/deny-offer" enctype="multipart/form-data">${hidden(page)}
<div><label for="deny">${say('denyNote')}</label><textarea id="deny" name="text" rows="2" maxlength="2000" required>${typedIn(page, 'deny-offer')}</textarea></div>
<p><button class="button quiet">${say('deny')}</button></p></form></section>`
}

/** Where the item has to go, and a form for what lets the return move on: the carrier and the tracking number. */
function returnForm(page: CaseParts, say: SayCase): Content {
  const { sheet, dispute, zone, path, typed } = page
  const agreed = returnToSend(dispute, sheet, zone)
  if (!agreed) return undefined
  const { carrier_name, carrier_name_other, tracking_number } = agreed.shipments[0]?.tracking_info ?? {}
  return html`<section class="stack"><h2>${say('returnTitle')}</h2><p>${say('returnText', agreed.values)}</p>
<p>${paragraphs(agreed.lines.join('\n'))}</p>
${agreed.shipments.map((_, i) => html`<p><a href="${path}/label/${i + 1}">${say('returnLabel')}${agreed.shipments.length > 1 && html` ${i + 1}`}</a></p>`)}
<form class="stack screen" method="post" action="${path}/provide-evidence" enctype="multipart/form-data">${hidden(page)}
<div><label for="carrier">${say('carrier')}</label><input class="boxed" id="carrier" name="carrier" maxlength="255" required value="${typed?.carrier ?? carrier_name_other ?? carrier_name ?? ''}"></div>
<div><label for="tracking">${say('tracking')}</label><input class="boxed" id="tracking" name="tracking" maxlength="255" required value="${typed?.tracking ?? tracking_number ?? ''}"></div>
<div><label for="return-file">${say('document')}</label><input id="return-file" name="file" type="file" accept="${fileTypes}"></div>
<p><button class="button">${say('returnSend')}</button></p></form></section>`
}

function sentBack({ evidences = [] }: Dispute, say: SayCase): Content {
  const proof = evidences.findLast(
    ({ evidence_type, source }) => evidence_type === RETURN && source === 'SUBMITTED_BY_BUYER',
  )
  const { carrier_name, carrier_name_other, tracking_number } = proof?.evidence_info?.tracking_info?.[0] ?? {}
  const carrier = carrier_name_other ?? carrier_name
  if (carrier === undefined || tracking_number === undefined) return undefined
  return html`<p>${say('returnSent', { carrier, number: tracking_number })}</p>`
}

const buttonForm = (page: Common, action: string, label: string, quiet = true): Html =>
  html`<form class="screen" method="post" action="${page.path}/${action}" enctype="multipart/form-data">${hidden(page)}<button class="button${quiet ? ' quiet' : ''}">${label}</button></form>`

const textForm = (page: CaseParts, action: string, label: string, send: string): Html =>
  html`<form class="stack screen" method="post" action="${page.path}/${action}" enctype="multipart/form-data">${hidden(page)}
<div><label for="${action}">${label}</label><textarea id="${action}" name="text" rows="3" maxlength="2000" required>${typedIn(page, action)}</textarea></div>
<p><button class="button">${send}</button></p></form>`

/** A form for a text and a file that supports it: evidence, or an appeal. */
function evidenceForm(
  page: CaseParts,
  action: 'provide-evidence' | 'appeal',
  { title, text, note, send }: { title: string; text?: string; note: string; send: string },
  say: SayCase,
): Html {
  return html`<form class="stack screen" method="post" action="${page.path}/${action}" enctype="multipart/form-data">${hidden(page)}
<h2>${title}</h2>${text !== undefined && html`<p>${text}</p>`}
<div><label for="${action}-note">${note}</label><textarea id="${action}-note" name="text" rows="${action === 'appeal' ? 4 : 2}" maxlength="2000" required>${typedIn(page, action)}</textarea></div>
<div><label for="${action}-file">${say('document')}</label><input id="${action}-file" name="file" type="file" accept="${fileTypes}"></div>
<p><button class="button quiet">${send}</button></p></form>`
}

function appealForm(page: CaseParts, say: SayCase): Html {
  const { dispute, sheet, zone } = page
  const text = dispute.timer && say('appealText', { date: sheet.format.until(dispute.timer.due, zone) })
  const words = { title: say('appealTitle'), note: say('appealNote'), send: say('appeal') }
  return evidenceForm(page, 'appeal', { ...words, ...(text !== undefined && { text }) }, say)
}

interface Said {
  readonly at: string
  readonly isOwn: boolean
  readonly text: string
  readonly files: readonly { readonly name: string }[]
}

/** Messages and what else the payer sent: evidence with its files, and why an offer was turned down. Oldest first. */
function saidIn({ messages = [], evidences = [], offer }: Dispute): Said[] {
  const written = messages.map(
    ({ posted_by, time_posted: at, content: text, documents: files = [] }): Said => ({
      at,
      isOwn: posted_by === 'BUYER',
      text,
      files,
    }),
  )
  const shown = evidences
    .filter((evidence) => isOf('buyer', evidence))
    .map(({ date: at, notes: text = '', documents: files = [] }): Said => ({ at, isOwn: true, text, files }))
  const refused = (offer.history ?? [])
    .filter(({ actor }) => actor === 'BUYER')
    .map(({ offer_time: at, notes: text = '' }): Said => ({ at, isOwn: true, text, files: [] }))
  // What opened the case is a message and also evidence. It is shown once, with its files.
  const once = new Map<string, Said>()
  for (const one of [...written, ...refused, ...shown]) {
    const key = `${one.at} ${one.text}`
    const had = once.get(key)
    once.set(key, had && one.files.length === 0 ? had : { ...one, ...had, files: one.files })
  }
  return [...once.values()]
    .filter(({ text, files }) => text !== '' || files.length > 0)
    .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
}

function talk(dispute: Dispute, say: SayCase, sheet: Sheet, zone: string): Content {
  const all = saidIn(dispute)
  if (all.length === 0) return undefined
  return html`<section><h2>${say('messages')}</h2><ul class="talk">${all.map(
    ({ at, isOwn, text, files }) =>
      html`<li><p class="by"><strong>${isOwn ? say('you') : sheet.seller}</strong><span>${sheet.format.dayOf(at, zone)}</span></p>${text !== '' && html`<p>${paragraphs(text)}</p>`}${files.map(({ name }) => html`<p class="hint">${name}</p>`)}</li>`,
  )}</ul></section>`
}
