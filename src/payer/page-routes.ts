import { findForward } from '../accounts/forwards.ts'
import { type AnyRoute, route } from '../http/route.ts'
import { markViewed } from '../invoices/act.ts'
import { idOfCode } from '../invoices/schema/codes.ts'
import type { Invoice } from '../invoices/schema/invoice.ts'
import { findByRecipientCode } from '../invoices/store.ts'
import { notFound, type Problem } from '../kernel/problem.ts'
import { Type } from '../kernel/type.ts'
import type { Service } from '../room.ts'
import { detailsPage } from './details-page.ts'
import { findLogo } from './logo/store.ts'
import { answerPage, localeFor, openByCode, pagePath } from './page/open-page.ts'
import { assetAnswer, logoAnswer, pageAnswer, pdfAnswer, seeOther } from './page/respond.ts'
import { hashPage, messagePage } from './page/small-pages.ts'
import { assets } from './page/style.ts'
import { type Attempt, findAttempt, grossOf } from './pay/attempts.ts'
import { japaneseStyle, webFont } from './print/fonts.ts'
import type { Printer } from './print/printer.ts'
import { pdfName, type Sheet } from './sheet/sheet.ts'
import type { Words } from './words/index.ts'

export const tag = 'Payer pages'
export const Code = Type.Object({ code: Type.String({ minLength: 1, maxLength: 40 }) })
export const lang = Type.Optional(Type.String({ maxLength: 35 }))
const open = {
  tag,
  scopes: 'public',
  stranger: 'payer',
  reads: 'free',
  produces: ['text/html'],
  success: { 200: Type.String() },
} as const

/** What a reader is told of a refusal for which there is no page of its own. */
const refusals: Readonly<Record<number, { title: keyof Words; text: keyof Words }>> = {
  404: { title: 'notFound', text: 'notFoundText' },
  413: { title: 'tooLarge', text: 'tooLargeText' },
  429: { title: 'tooMany', text: 'tooManyText' },
  503: { title: 'problemTitle', text: 'tooManyText' },
}

/** What all pages have in common: every answer is a page, whatever was wrong with the request. */
export const shared = {
  ...open,
  limitedBy: 'address',
  refusal({ status }: Problem, headers: Readonly<Record<string, string | string[] | undefined>>) {
    const words = refusals[status] ?? { title: 'problemTitle', text: 'tryAgainText' }
    return pageAnswer(status, messagePage(localeFor(headers), words))
  },
} as const

/** The page of an invoice, and what it is made of. */
export const pageRoutes = (service: Service, printer: Printer): AnyRoute[] => [
  route({
    ...shared,
    method: 'GET',
    url: '/invoice/p',
    operation: 'openInvoicePage',
    summary: 'Find the page of an invoice by the code in its link',
    query: Type.Object({ code: Type.Optional(Type.String({ maxLength: 40 })), lang }),
    async handle({ query, headers }) {
      if (query.code !== undefined) return seeOther(`/invoice/p/${encodeURIComponent(query.code.trim().toUpperCase())}`)
      return pageAnswer(200, hashPage(localeFor(headers, query.lang)), { script: true })
    },
  }),
  route({
    ...shared,
    method: 'GET',
    url: '/invoice/p/:code',
    operation: 'showInvoicePage',
    fromReplica: true,
    summary: 'Show the page on which the recipient of an invoice reads and pays it',
    params: Code,
    query: Type.Object({ lang, attempt: Type.Optional(Type.String({ maxLength: 40 })) }),
    async handle({ transact, params, query, headers }) {
      return transact(async (tx) => {
        const opened = await openByCode(tx, params.code, headers, query.lang)
        if (!opened) {
          const id = idOfCode(params.code.toUpperCase())
          const left = id === undefined ? undefined : await findForward(tx, 'invoice', id)
          if (id !== undefined && left?.home) return seeOther(left.home + pagePath(id))
          return pageAnswer(404, messagePage(localeFor(headers, query.lang), missing))
        }
        const { invoice, account } = opened.stored
        if (!invoice.detail.viewed_by_recipient)
          await markViewed(service, tx, { accountId: account.id, id: invoice.id })
        if (query.attempt === undefined) return answerPage(service, tx, opened)
        const found = await findAttempt(tx, query.attempt)
        const isIts = found?.attempt.invoice_id === invoice.id
        const notice = isIts ? noticeOf(asSettled(found.attempt, invoice), opened.sheet) : undefined
        return answerPage(service, tx, opened, notice ? { notice } : {})
      })
    },
  }),
  route({
    ...shared,
    method: 'GET',
    url: '/invoice/details/:id',
    operation: 'showInvoiceDetailsPage',
    fromReplica: true,
    summary: 'Show the seller what the recipient of an invoice reads, and which calls it takes now',
    params: Type.Object({ id: Type.String({ minLength: 1, maxLength: 40 }) }),
    query: Type.Object({ lang }),
    handle: ({ transact, params, query, headers }) =>
      transact((tx) => detailsPage(service, tx, params.id.toUpperCase(), localeFor(headers, query.lang))),
  }),
  route({
    ...shared,
    produces: ['application/pdf', '*/*'],
    method: 'GET',
    url: '/invoice/p/:code/pdf',
    operation: 'showInvoicePdf',
    fromReplica: true,
    summary: 'Show an invoice as a PDF',
    params: Code,
    query: Type.Object({ lang }),
    async handle({ transact, params, query, headers }) {
      const found = await transact(async (tx) => {
        const opened = await openByCode(tx, params.code, headers, query.lang)
        return opened && { ...opened, now: tx.now, logo: await findLogo(tx, opened.stored) }
      })
      if (!found) return pageAnswer(404, messagePage(localeFor(headers, query.lang), missing))
      const { stored, sheet, path, now, logo } = found
      const pdf = await printer.print({
        source: { ...stored, now },
        accountId: stored.account.id,
        locale: sheet.locale,
        address: service.publicUrl + path,
        logo,
      })
      return pdfAnswer(pdf, pdfName(sheet))
    },
  }),
  route({
    ...shared,
    produces: ['image/png', 'image/jpeg', '*/*'],
    method: 'GET',
    url: '/invoice/p/:code/logo',
    operation: 'showInvoiceLogo',
    summary: 'Show our copy of the logo on an invoice',
    params: Code,
    query: Type.Object({ v: Type.Optional(Type.String({ maxLength: 64 })) }),
    async handle({ db, params }) {
      const stored = await findByRecipientCode(db, params.code.toUpperCase())
      const logo = stored?.invoice.base_status === 'SENT' ? await findLogo(db, stored) : undefined
      if (!logo) throw notFound('The logo')
      return logoAnswer(logo)
    },
  }),
  route({
    ...open,
    produces: ['text/css', 'text/javascript', 'font/woff2', '*/*'],
    method: 'GET',
    url: '/invoice/assets/:name',
    operation: 'showPageAsset',
    watches: true,
    summary: 'Style and script of the pages',
    params: Type.Object({ name: Type.String({ maxLength: 100 }) }),
    async handle({ params }) {
      if (params.name === 'ja.css') return assetAnswer('text/css; charset=utf-8', japaneseStyle(), { forEver: false })
      const asset = Object.hasOwn(assets, params.name) ? assets[params.name] : undefined
      if (!asset) throw notFound('The file')
      return assetAnswer(asset.type, asset.text)
    },
  }),
  route({
    ...open,
    produces: ['font/woff2', '*/*'],
    method: 'GET',
    url: '/invoice/assets/fonts/:name',
    operation: 'showPageFont',
    watches: true,
    summary: 'Fonts of the pages',
    params: Type.Object({ name: Type.String({ maxLength: 100 }) }),
    async handle({ params }) {
      const font = webFont(params.name)
      if (!font) throw notFound('The font')
      return assetAnswer('font/woff2', font)
    },
  }),
]

export const missing = { title: 'notFound', text: 'notFoundText' } as const

/** The status of a try does not change when its payment clears or is denied in a sandbox. The invoice shows which happened. */
function asSettled(attempt: Attempt, { payments }: Invoice): Attempt {
  if (attempt.status !== 'PENDING') return attempt
  const payment = payments.find(({ payment_id }) => payment_id === attempt.capture_id)
  if (!payment) return { ...attempt, status: 'DENIED' }
  return payment.transaction_status === 'PENDING' ? attempt : { ...attempt, status: 'COMPLETED' }
}

/** What became of the payment the reader just made. */
function noticeOf(
  attempt: Attempt,
  { say, format }: Sheet,
): { text: string; tone: 'good' | 'bad' | 'wait' } | undefined {
  const amount = format.money(grossOf(attempt))
  switch (attempt.status) {
    case 'COMPLETED':
      return { text: say('thanks', { amount }), tone: 'good' }
    case 'PENDING':
      return { text: say('thanksPending', { amount }), tone: 'wait' }
    case 'DENIED':
      return { text: say('denied'), tone: 'bad' }
    case 'REVERSED':
      return { text: say('reversed'), tone: 'bad' }
    case 'RETURNED':
      return { text: say('returned', { amount }), tone: 'bad' }
    case 'OPEN':
      return undefined
  }
}
