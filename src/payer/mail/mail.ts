import { type Html, html, paragraphs } from '../../http/html.ts'
import { isPayable } from '../../invoices/payable.ts'
import type { StoredInvoice } from '../../invoices/store.ts'
import { beginning } from '../../kernel/beginning.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { MailPayload } from '../../kernel/mail.ts'
import type { Money } from '../../kernel/money.ts'
import { recipientLocale } from '../page/open-page.ts'
import { nameOf } from '../sheet/parties.ts'
import { type Sheet, sheetOf } from '../sheet/sheet.ts'
import { fill } from '../words/index.ts'
import { accountLocale } from '../words/languages.ts'
import { mailPhrases } from '../words/mail.ts'
import { merchantPhrases } from '../words/merchant-mail.ts'

/** A mail ready to go out, in text and in markup. */
export interface RenderedMail {
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly links: readonly string[]
  readonly sheet: Sheet
}

const SUBJECT_MAX = 200

/** The text on one line, without anything that could end a header or hide in it. */
export const oneLine = (text: string): string =>
  text
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not get through
    .replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()

const subjectOf = (text: string) => beginning(oneLine(text), SUBJECT_MAX)

const capitalised = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Says what happened to an invoice, to its recipient or to its merchant, each in their language. */
export function renderMail(
  { invoice, account }: StoredInvoice,
  payload: Pick<MailPayload, 'kind' | 'to' | 'subject' | 'note'> & { amount?: Money },
  { address, now }: { address: string; now: Instant },
): RenderedMail {
  const toMerchant = payload.to === 'invoicer'
  const locale = toMerchant ? accountLocale(account) : recipientLocale(invoice)
  const sheet = sheetOf({ invoice, account, now }, locale)
  const { format } = sheet
  const phrases = mailPhrases[locale.language]
  const { kinds, nameless } = { nameless: '', ...(toMerchant ? merchantPhrases[locale.language] : phrases) }
  const words = kinds[payload.kind]
  const billing = invoice.primary_recipients[0]?.billing_info
  const customer = (billing && nameOf(billing)) ?? billing?.email_address ?? ''
  const values = {
    business: oneLine(sheet.seller),
    number: sheet.number,
    amount: format.money(payload.amount ?? invoice.amount),
    due: format.money(invoice.due_amount),
    customer: oneLine(customer) || nameless,
  }
  const subject = subjectOf(payload.subject ?? capitalised(fill(words.subject, values)))
  const pays = !toMerchant && isPayable(invoice) && !payload.kind.startsWith('payment-')
  const parts: MailParts = {
    language: locale.language,
    business: sheet.seller,
    subject,
    greeting: toMerchant || customer === '' ? undefined : fill(phrases.greeting, values),
    lead: capitalised(fill(words.lead, values)),
    note: payload.note,
    matter: {
      name: sheet.say('invoiceNumber', { number: sheet.number }),
      amount: payload.amount ? format.money(payload.amount) : sheet.headlineAmount,
      standing: payload.kind.startsWith('payment-') ? undefined : sheet.headline,
    },
    link: { address, label: pays ? phrases.viewAndPay : phrases.view },
    closing: toMerchant ? undefined : fill(phrases.closing, values),
  }
  return { subject, text: asText(parts), html: asHtml(parts).text, links: [address], sheet }
}

interface MailParts {
  readonly language: string
  readonly business: string
  readonly subject: string
  readonly greeting: string | undefined
  readonly lead: string
  readonly note: string | undefined
  /** What the mail is about: the name of the invoice, the amount, and how it stands. */
  readonly matter?: { readonly name: string; readonly amount: string; readonly standing: string | undefined }
  readonly link?: { readonly address: string; readonly label: string }
  readonly closing: string | undefined
}

/** A mail that says one thing and has one link. */
export function simpleMail(
  parts: Pick<MailParts, 'language' | 'business' | 'subject' | 'lead'> &
    Partial<Pick<MailParts, 'note' | 'matter' | 'link' | 'closing'>>,
): Omit<RenderedMail, 'sheet'> {
  const subject = subjectOf(parts.subject)
  const whole: MailParts = { greeting: undefined, note: undefined, closing: undefined, ...parts, subject }
  return { subject, text: asText(whole), html: asHtml(whole).text, links: parts.link ? [parts.link.address] : [] }
}

function asText({ greeting, lead, note, matter, link, closing }: MailParts): string {
  const block = (...lines: (string | undefined)[]) => lines.filter((line) => line !== undefined).join('\n')
  return [
    greeting,
    lead,
    note,
    matter && block(matter.name, matter.amount, matter.standing),
    link && block(`${link.label}:`, link.address),
    closing && `-- \n${closing}`,
  ]
    .filter((part) => part !== undefined && part !== '')
    .join('\n\n')
    .concat('\n')
}

/** Mail programs hardly support style sheets, so each element has its own style. */
function asHtml({ language, business, subject, greeting, lead, note, matter, link, closing }: MailParts): Html {
  const family = "font-family:'IBM Plex Sans','Helvetica Neue',Helvetica,Arial,sans-serif"
  return html`<!doctype html>
<html lang="${language}"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light"><title>${subject}</title></head>
<body style="margin:0;padding:0;background:#eef0f2;color:#16191d;${family}">
<table role="presentation" width="100%" cellpadding="0" cellspacing="0" style="background:#eef0f2"><tr><td align="center" style="padding:32px 12px">
<table role="presentation" width="560" cellpadding="0" cellspacing="0" style="width:100%;max-width:560px;background:#ffffff"><tr><td style="padding:40px 40px 36px;${family};font-size:16px;line-height:24px;color:#16191d">
<p style="margin:0 0 28px;padding:0 0 16px;border-bottom:2px solid #16191d;font-size:18px;font-weight:600">${business}</p>
${greeting && html`<p style="margin:0 0 16px">${greeting}</p>`}
<p style="margin:0 0 16px">${lead}</p>
${note && html`<p style="margin:0 0 16px;padding:0 0 0 16px;border-left:3px solid #d9dde2;color:#545c66">${paragraphs(note)}</p>`}
${
  matter &&
  html`<p style="margin:28px 0 4px;font-size:14px;line-height:20px;color:#545c66">${matter.name}</p>
<p style="margin:0;font-size:32px;line-height:38px;font-weight:600;letter-spacing:-0.5px">${matter.amount}</p>
${matter.standing && html`<p style="margin:4px 0 0;color:#545c66;font-weight:600">${matter.standing}</p>`}`
}
${
  link &&
  html`<p style="margin:28px 0 0"><a href="${link.address}" style="display:inline-block;background:#0b5cab;color:#ffffff;text-decoration:none;font-weight:600;padding:13px 28px;border-radius:6px">${link.label}</a></p>`
}
</td></tr></table>
${closing && html`<p style="max-width:560px;margin:20px auto 0;${family};font-size:13px;line-height:20px;color:#545c66">${closing}</p>`}
</td></tr></table></body></html>
`
}
