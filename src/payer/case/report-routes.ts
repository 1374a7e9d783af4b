import { type Quota, useQuota } from '../../database/quota.ts'
import type { Tx } from '../../database/transaction.ts'
import { plainlyNamed } from '../../disputes/documents.ts'
import { createDispute } from '../../disputes/filing/create.ts'
import type { House } from '../../disputes/house.ts'
import type { DisputeOfPayment } from '../../disputes/store.ts'
import type { UploadedFile } from '../../http/body/multipart.ts'
import { type AnyRoute, route } from '../../http/route.ts'
import { nobody } from '../../kernel/caller.ts'
import { Problem } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import { formsOf, type Headers } from '../page/forms.ts'
import { answerPage, type Opened, openByCode } from '../page/open-page.ts'
import type { Notice } from '../page/page.ts'
import { seeOther } from '../page/respond.ts'
import { Code, lang, shared } from '../page-routes.ts'
import { sayCaseIn } from '../words/index.ts'
import { answerForm, caseForm, caseText, isOfFile, isOfText, written } from './case-form.ts'
import { type Disputable, disputable } from './disputable.ts'
import { reportedPage, reportPage, reportReasons, type TypedReport } from './pages.ts'

const ReportForm = Type.Object({
  token: Type.String({ maxLength: 300 }),
  lang,
  payment: Type.Optional(Type.String({ maxLength: 40 })),
  reason: Type.Optional(Type.String({ maxLength: 100 })),
  text: caseText,
  again: Type.Optional(Type.String({ maxLength: 10 })),
})

/** How often a payment can be reported. A case that the payer withdrew can be opened again. */
export const CASES_PER_PAYMENT_MAX = 3
const casesOfPayment: Quota = { name: 'case', max: CASES_PER_PAYMENT_MAX, seconds: 365 * 86_400 }

/** How often the link of a case is mailed again in a day. */
export const LINK_MAILS_A_DAY = 3
const linksOfCase: Quota = { name: 'mail-link', max: LINK_MAILS_A_DAY, seconds: 86_400 }

/**
 * The way from a paid invoice to a case. Anybody who has the link of the invoice can open a case. What follows goes through
 * a private link that only the payer's own address receives.
 */
export function reportRoutes(service: Service, house: House): AnyRoute[] {
  const forms = formsOf(service)

  async function showReport(tx: Tx, opened: Opened, headers: Headers, notice?: Notice, typed: TypedReport = {}) {
    const { stored, sheet, path, inLanguage } = opened
    const payments = await disputable(tx, opened.stored)
    if (payments.length === 0) return undefined
    const common = { sheet, path: `${path}/problem`, invoicePath: path + inLanguage, ...(notice && { notice }) }
    const free = payments.filter(({ why }) => why === undefined).map(({ payment }) => payment)
    const cases = payments.flatMap(({ dispute }) => (dispute ? [dispute.dispute] : []))
    if (free.length === 0 && cases.length === 0)
      return answerPage(service, tx, opened, notice ? { status: 422, notice } : unreportable(opened, payments))
    return forms.page(
      tx,
      headers,
      `report ${stored.invoice.id}`,
      (token) =>
        free.length > 0
          ? reportPage({ ...common, token, payments: free, typed })
          : reportedPage({ ...common, token, dispute: cases.at(-1)! }),
      notice?.tone === 'bad' ? 422 : 200,
    )
  }

  async function report(tx: Tx, opened: Opened, body: Static<typeof ReportForm>, files: readonly UploadedFile[]) {
    const payments = await disputable(tx, opened.stored)
    const chosen = payments.find(({ payment, why }) => payment.id === body.payment && why === undefined)?.payment
    const reason = Object.keys(reportReasons).find((known) => known === body.reason) as
      | keyof typeof reportReasons
      | undefined
    if (!chosen || !reason) throw new Problem(422, 'UNPROCESSABLE_ENTITY', [])
    const notes = written(body)
    if (await useQuota(tx, opened.stored.account.id, [{ quota: casesOfPayment, key: chosen.id }]))
      throw new Problem(422, 'UNPROCESSABLE_ENTITY', [])
    const complaint = {
      disputed_transactions: [{ buyer_transaction_id: chosen.buyer_transaction_id }],
      reason,
      evidences: [{ notes }],
    }
    await createDispute(tx, house, nobody, { body: complaint, files, buyerOf: chosen.id })
    return seeOther(`${opened.path}/problem${opened.inLanguage}`)
  }

  async function mailAgain(tx: Tx, opened: Opened, headers: Headers) {
    const say = sayCaseIn(opened.sheet.locale.language)
    let isMailed = false
    for (const { dispute } of await disputable(tx, opened.stored)) {
      if (!dispute) continue
      const use = { quota: linksOfCase, key: dispute.dispute.dispute_id }
      // The link of one case may have been mailed often enough, but not that of another case.
      if (await useQuota(tx, opened.stored.account.id, [use])) continue
      mailLink(tx, dispute)
      isMailed = true
    }
    if (!isMailed) return showReport(tx, opened, headers, { text: say('mailedEnough'), tone: 'bad' })
    return showReport(tx, opened, headers, { text: say('mailedAgain'), tone: 'good' })
  }

  return [
    route({
      ...shared,
      method: 'GET',
      url: '/invoice/p/:code/problem',
      operation: 'showProblemForm',
      summary: 'Show the form that reports a problem with a payment',
      params: Code,
      query: Type.Object({ lang }),
      handle: ({ transact, params, query, headers }) =>
        transact(async (tx) => {
          const opened = await openByCode(tx, params.code, headers, query.lang)
          return (opened && (await showReport(tx, opened, headers))) ?? forms.missing(headers, query.lang)
        }),
    }),
    route({
      ...shared,
      ...caseForm,
      method: 'POST',
      url: '/invoice/p/:code/problem',
      operation: 'reportProblem',
      summary: 'Report a problem with a payment',
      params: Code,
      body: ReportForm,
      handle: ({ transact, params, body, files, headers }) =>
        answerForm<Opened>(
          service,
          { transact, headers, body },
          {
            open: (tx) => openByCode(tx, params.code, headers, body.lang),
            purpose: ({ stored: { invoice, account } }) => [`report ${invoice.id}`, account.id],
            carryOut: (tx, opened) =>
              body.again === undefined ? report(tx, opened, body, plainlyNamed(files)) : mailAgain(tx, opened, headers),
            show: (tx, opened, notice) => showReport(tx, opened, headers, notice, body),
            refused: ({ sheet }, problem) => sayCaseIn(sheet.locale.language)(whyRefused(problem)),
          },
        ),
    }),
  ]
}

const whyRefused = (problem: Problem) =>
  isOfFile(problem) ? 'fileRefused' : isOfText(problem) ? 'textMissing' : 'cannotReport'

/** What stands above the invoice if nothing of it can be reported: that it is too late. Nothing, if the reason is another one. */
function unreportable({ sheet }: Opened, payments: readonly Disputable[]): { notice?: Notice } {
  const isTooLate = payments.some(({ why }) => why === 'TRANSACTION_TOO_OLD')
  return isTooLate ? { notice: { text: sayCaseIn(sheet.locale.language)('cannotReport'), tone: 'bad' } } : {}
}

function mailLink(tx: Tx, { dispute: { seller, dispute_id } }: DisputeOfPayment): void {
  const payload = { account_id: seller.account_id, dispute_id, event: 'CUSTOMER.DISPUTE.CREATED', to: 'buyer' }
  tx.enqueue({ name: 'dispute-notice', payload, key: `problem-link:${dispute_id}` })
}
