import type { Tx } from '../../database/transaction.ts'
import { isPayable, mayBePaid, payableRange } from '../../invoices/payable.ts'
import { recipientCode } from '../../invoices/schema/codes.ts'
import type { Invoice } from '../../invoices/schema/invoice.ts'
import { findByRecipientCode, type StoredInvoice } from '../../invoices/store.ts'
import { toMoney } from '../../kernel/money.ts'
import type { Service } from '../../room.ts'
import { problemOf } from '../case/disputable.ts'
import { showLogo } from '../logo/store.ts'
import { qrDrawing } from '../sheet/qr.ts'
import { type Sheet, sheetOf } from '../sheet/sheet.ts'
import { acceptedLanguages, chooseLocale, type Locale } from '../words/languages.ts'
import { invoicePage, type PageParts, type TypedAmounts } from './page.ts'
import { pageAnswer } from './respond.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

/** An invoice that was found behind a code, ready to be shown. */
export interface Opened {
  readonly stored: StoredInvoice
  readonly sheet: Sheet
  /** The path of its page. */
  readonly path: string
  /** The query that keeps the language which the reader chose. Empty if they chose none. */
  readonly inLanguage: '' | `?lang=${string}`
}

export const pagePath = (invoiceId: string): string => `/invoice/p/${recipientCode(invoiceId)}`

/** The address of an invoice's page, as in the QR code and the mails. The page works without a script. */
export const pageAddress = ({ publicUrl }: Service, invoiceId: string): string => publicUrl + pagePath(invoiceId)

/** The reader's language: what they chose, what the merchant says they speak, what their browser asks for. */
export const localeFor = (headers: Headers, chosen?: string, recipient?: string): Locale =>
  chooseLocale(chosen, recipient, ...acceptedLanguages(String(headers['accept-language'] ?? '')))

const recipientLanguage = ({ primary_recipients }: Invoice): string | undefined =>
  primary_recipients[0]?.billing_info?.language

/** The language that the recipient speaks, according to the merchant. */
export const recipientLocale = (invoice: Invoice): Locale => chooseLocale(recipientLanguage(invoice))

/** The invoice that a code opens. Undefined if no invoice has the code or it was not sent yet. */
export async function openByCode(tx: Tx, code: string, headers: Headers, lang?: string): Promise<Opened | undefined> {
  const stored = await findByRecipientCode(tx, code.toUpperCase())
  if (stored?.invoice.base_status !== 'SENT') return undefined
  const locale = localeFor(headers, lang, recipientLanguage(stored.invoice))
  return {
    stored,
    sheet: sheetOf({ invoice: stored.invoice, account: stored.account, now: tx.now }, locale),
    path: pagePath(stored.invoice.id),
    inLanguage: lang === undefined ? '' : `?lang=${locale.tag}`,
  }
}

/** Whether this service can take the payer's money: a sandbox always, a live service if it has a gateway. */
export const takesPayments = ({ environment, settings }: Service): boolean =>
  environment === 'sandbox' || (settings.gatewayUrl !== undefined && settings.gatewaySecrets !== undefined)

/** The page of an invoice, with everything there is to say about it. */
export async function answerPage(
  service: Service,
  tx: Tx,
  { stored, sheet, path, inLanguage }: Opened,
  {
    status = 200,
    notice,
    typed,
  }: { status?: number; notice?: NonNullable<PageParts['notice']>; typed?: TypedAmounts } = {},
) {
  const { invoice, account } = stored
  const payable = isPayable(invoice)
  const online = payable && mayBePaid(account) && takesPayments(service)
  const { least, most } = payableRange(invoice)
  const least_ = toMoney(least, invoice.detail.currency_code)
  const problem = await problemOf(tx, stored)
  const markup = invoicePage({
    sheet,
    address: path,
    logo: await showLogo(tx, stored, path),
    ...(invoice.status !== 'CANCELLED' && { qr: qrDrawing(service.publicUrl + path, sheet.say('scanToPay')) }),
    ...(online && {
      pay: {
        action: `${path}/pay`,
        ...(typed && { typed }),
        tip: invoice.configuration.allow_tip === true,
        ...(least < most && { partial: { minimum: sheet.format.money(least_), smallest: least_.value } }),
      },
    }),
    ...(payable && !online && (mayBePaid(account) ? { offline: true } : { closed: true })),
    ...(notice && { notice }),
    ...(problem && {
      problemLink: { href: `${path}/problem${inLanguage}`, label: sheet.say(`${problem}Problem`) },
    }),
  })
  return pageAnswer(status, markup, { isSecure: service.publicUrl.startsWith('https:') })
}
