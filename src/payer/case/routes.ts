import type { Transact, Tx } from '../../database/transaction.ts'
import { act } from '../../disputes/act.ts'
import { createDispute } from '../../disputes/filing/create.ts'
import type { House } from '../../disputes/house.ts'
import { disputeLifecycle } from '../../disputes/machine/lifecycle.ts'
import { findDispute, findDisputeOf, type StoredDispute } from '../../disputes/store.ts'
import type { UploadedFile } from '../../http/body/multipart.ts'
import { type AnyRoute, route } from '../../http/route.ts'
import { recipientCode } from '../../invoices/schema/codes.ts'
import { nobody } from '../../kernel/caller.ts'
import { Problem } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import type { PaymentTransaction } from '../../ledger/schema.ts'
import { findTransaction, findTransactionsOfInvoice } from '../../ledger/store.ts'
import type { Service } from '../../room.ts'
import { isOwnOrigin, issueFormToken, readFormToken, sessionCookie, sessionOf } from '../page/form-token.ts'
import { type Opened, openByCode, tongueFor } from '../page/open-page.ts'
import { pageAnswer, seeOther } from '../page/respond.ts'
import { messagePage } from '../page/small-pages.ts'
import { Code, lang, missing, shared } from '../page-routes.ts'
import { sayProblemIn } from '../words/case.ts'
import { problemPath, readProblemKey } from './link.ts'
import { casePage, reportedPage, reportPage, reportReasons } from './pages.ts'

type Headers = Readonly<Record<string, string | string[] | undefined>>

const words = Type.Optional(Type.String({ maxLength: 2000 }))
const ReportForm = Type.Object({
  token: Type.String({ maxLength: 300 }),
  lang,
  payment: Type.Optional(Type.String({ maxLength: 40 })),
  reason: Type.Optional(Type.String({ maxLength: 100 })),
  text: words,
  again: Type.Optional(Type.String({ maxLength: 10 })),
})
const ActionForm = Type.Object({ token: Type.String({ maxLength: 300 }), lang, text: words })
const form = { accepts: ['multipart', 'application/x-www-form-urlencoded'], success: { 303: null } } as const
const Key = Type.Object({ key: Type.String({ minLength: 1, maxLength: 200 }) })

/** What a payer may do with their case, and what each says to it. */
const actions = {
  'send-message': (text: string) => ({ message: text }),
  'accept-offer': () => ({}),
  'deny-offer': (text: string) => ({ note: text }),
  'provide-evidence': (text: string) => ({ evidences: [{ evidence_type: 'OTHER', notes: text }] }),
  escalate: () => ({}),
  cancel: () => ({}),
} as const
type PayerAction = keyof typeof actions

/** Whoever holds the private link, or the link of the invoice they paid, is its payer. */
const actor = { side: 'buyer', isPartner: false, roles: ['buyer'] } as const

/** From a paid invoice to a case, and the case itself behind a private link. */
export function problemRoutes(service: Service, house: House): AnyRoute[] {
  const secret = service.settings.secret!
  const isSecure = () => service.publicUrl.startsWith('https:')
  const notFoundPage = (headers: Headers, chosen?: string) =>
    pageAnswer(404, messagePage(tongueFor(headers, chosen), missing))
  const refusal = (headers: Headers, chosen?: string) =>
    pageAnswer(403, messagePage(tongueFor(headers, chosen), { title: 'refusedForm', text: 'refusedFormText' }))

  /** A page with forms: its token, and the cookie the token is bound to. */
  function withToken(tx: Tx, headers: Headers, purpose: string, print: (token: string) => string, status = 200) {
    const { session, isNew } = sessionOf(headers['cookie'] as string | undefined)
    const { text } = issueFormToken(secret, { session, purpose }, tx.now)
    return pageAnswer(status, print(text), {
      ...(isNew && { cookie: sessionCookie(session, service.publicUrl) }),
      isSecure: isSecure(),
    })
  }
  const isGenuine = (tx: Tx, headers: Headers, purpose: string, token: string) => {
    const { session } = sessionOf(headers['cookie'] as string | undefined)
    return readFormToken(secret, { session, purpose }, token, tx.now) !== undefined
  }

  async function showReport(tx: Tx, opened: Opened, headers: Headers, notice?: { text: string; tone: 'good' | 'bad' }) {
    const { stored, sheet, path } = opened
    const payments = await disputable(tx, opened)
    if (payments.length === 0) return undefined
    const common = { sheet, path: `${path}/problem`, invoicePath: path, ...(notice && { notice }) }
    const free = payments.filter(({ dispute }) => !dispute).map(({ payment }) => payment)
    const status = notice?.tone === 'bad' ? 422 : 200
    return withToken(
      tx,
      headers,
      `report ${stored.invoice.id}`,
      (token) =>
        free.length > 0 ? reportPage({ ...common, token, payments: free }) : reportedPage({ ...common, token }),
      status,
    )
  }

  async function report(tx: Tx, opened: Opened, body: Static<typeof ReportForm>, files: readonly UploadedFile[]) {
    const payments = await disputable(tx, opened)
    const chosen = payments.find(({ payment, dispute }) => payment.id === body.payment && !dispute)?.payment
    const reason = Object.keys(reportReasons).find((known) => known === body.reason) as
      | keyof typeof reportReasons
      | undefined
    if (!chosen || !reason) throw new Problem(422, 'UNPROCESSABLE_ENTITY', [])
    const text = body.text?.trim() ?? ''
    const request = {
      disputed_transactions: [{ buyer_transaction_id: chosen.buyer_transaction_id }],
      reason,
      evidences: [{ ...(text !== '' && { notes: text }) }],
    }
    const { dispute_id } = await createDispute(tx, house, nobody, request, files, chosen.id)
    return seeOther(problemPath(service, dispute_id))
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
          return (opened && (await showReport(tx, opened, headers))) ?? notFoundPage(headers, query.lang)
        }),
    }),
    route({
      ...shared,
      ...form,
      method: 'POST',
      url: '/invoice/p/:code/problem',
      operation: 'reportProblem',
      summary: 'Report a problem with a payment',
      params: Code,
      body: ReportForm,
      async handle({ transact, params, body, files, headers }) {
        if (!isOwnOrigin(headers, service)) return refusal(headers, body.lang)
        return orShown(
          () =>
            transact(async (tx) => {
              const opened = await openByCode(tx, params.code, headers, body.lang)
              if (!opened) return notFoundPage(headers, body.lang)
              if (!isGenuine(tx, headers, `report ${opened.stored.invoice.id}`, body.token))
                return refusal(headers, body.lang)
              if (body.again === undefined) return report(tx, opened, body, files)
              for (const { dispute } of await disputable(tx, opened)) if (dispute) mailAgain(tx, dispute)
              const say = sayProblemIn(opened.sheet.tongue.language)
              const shown = await showReport(tx, opened, headers, { text: say('mailedAgain'), tone: 'good' })
              return shown ?? notFoundPage(headers, body.lang)
            }),
          transact,
          async (tx, problem) => {
            const opened = await openByCode(tx, params.code, headers, body.lang)
            const say = opened && sayProblemIn(opened.sheet.tongue.language)
            const text =
              problem.details[0]?.issue === 'INVALID_EVIDENCE_FILE'
                ? problem.details[0].description
                : say?.('cannotReport')
            const shown = opened && (await showReport(tx, opened, headers, { text: text ?? '', tone: 'bad' }))
            return shown ?? notFoundPage(headers, body.lang)
          },
        )
      },
    }),
    route({
      ...shared,
      method: 'GET',
      url: '/invoice/problem/:key',
      operation: 'showProblem',
      summary: 'Show a reported problem to the payer who holds its private link',
      params: Key,
      query: Type.Object({ lang }),
      handle: ({ transact, params, query, headers }) =>
        transact(async (tx) => {
          const found = await openCase(tx, params.key, headers, query.lang)
          return found ? showCase(tx, found, headers) : notFoundPage(headers, query.lang)
        }),
    }),
    route({
      ...shared,
      ...form,
      method: 'POST',
      url: '/invoice/problem/:key/:action',
      operation: 'actOnProblem',
      summary: 'Write, answer an offer or add evidence to a reported problem',
      params: Type.Object({ ...Key.properties, action: Type.Enum(Object.keys(actions) as PayerAction[]) }),
      body: ActionForm,
      async handle({ transact, params, body, files, headers }) {
        if (!isOwnOrigin(headers, service)) return refusal(headers, body.lang)
        return orShown(
          () =>
            transact(async (tx) => {
              const found = await openCase(tx, params.key, headers, body.lang)
              if (!found) return notFoundPage(headers, body.lang)
              const { dispute_id } = found.stored.dispute
              if (!isGenuine(tx, headers, `case ${dispute_id}`, body.token)) return refusal(headers, body.lang)
              const input = actions[params.action](body.text?.trim() || '-')
              disputeLifecycle.require(found.stored.dispute, actor.roles, params.action)
              await act(tx, house, found.stored, actor, { action: params.action, input, files })
              return seeOther(problemPath(service, dispute_id))
            }),
          transact,
          async (tx, problem) => {
            const found = await openCase(tx, params.key, headers, body.lang)
            if (!found) return notFoundPage(headers, body.lang)
            const known =
              problem.details[0]?.issue === 'INVALID_EVIDENCE_FILE' ? problem.details[0].description : undefined
            const text = known ?? sayProblemIn(found.opened.sheet.tongue.language)('refused')
            return showCase(tx, found, headers, { text, tone: 'bad' })
          },
        )
      },
    }),
  ]

  /** A dispute behind a private link, with the invoice it is about. */
  async function openCase(tx: Tx, key: string, headers: Headers, chosen?: string) {
    const disputeId = readProblemKey(service, key)
    const stored = disputeId === undefined ? undefined : await findDispute(tx, disputeId)
    const capture = stored?.dispute.disputed_transactions[0]?.seller_transaction_id
    if (!stored || capture === undefined) return undefined
    const payment = await findTransaction(tx, stored.dispute.seller.account_id, capture)
    const invoiceId = payment?.transaction.invoice_id
    const opened = invoiceId === undefined ? undefined : await openByCode(tx, recipientCode(invoiceId), headers, chosen)
    return opened && { stored, opened }
  }

  function showCase(
    tx: Tx,
    { stored, opened }: { stored: StoredDispute; opened: Opened },
    headers: Headers,
    notice?: { text: string; tone: 'good' | 'bad' },
  ) {
    const { dispute } = stored
    const { sheet, path } = opened
    const zone = opened.stored.account.time_zone
    const common = { sheet, dispute, zone, path: problemPath(service, dispute.dispute_id), invoicePath: path }
    const status = notice?.tone === 'bad' ? 422 : 200
    return withToken(
      tx,
      headers,
      `case ${dispute.dispute_id}`,
      (token) => casePage({ ...common, token, ...(notice && { notice }) }),
      status,
    )
  }
}

function mailAgain(tx: Tx, { dispute }: StoredDispute): void {
  const payload = {
    account_id: dispute.seller.account_id,
    dispute_id: dispute.dispute_id,
    event: 'CUSTOMER.DISPUTE.CREATED',
  }
  tx.enqueue({
    name: 'dispute-notice',
    payload: { ...payload, to: 'buyer' },
    key: `problem-link:${dispute.dispute_id}`,
  })
}

/** The payments of an invoice that went through the service, each with the dispute about it. */
async function disputable(
  tx: Tx,
  { stored }: Opened,
): Promise<{ payment: PaymentTransaction; dispute: StoredDispute | undefined }[]> {
  const { account, invoice } = stored
  const payments = await findTransactionsOfInvoice(tx, account.id, invoice.id)
  const made = payments.filter(({ status }) => status !== 'PENDING' && status !== 'DECLINED')
  return Promise.all(
    made.map(async (payment) => ({ payment, dispute: await findDisputeOf(tx, account.id, payment.id) })),
  )
}

/** Carries the work out, or shows its refusal on the page it came from. */
async function orShown<Page>(
  work: () => Promise<Page>,
  transact: Transact,
  show: (tx: Tx, problem: Problem) => Promise<Page>,
): Promise<Page> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Problem) || error.status >= 500) throw error
    return transact((tx) => show(tx, error))
  }
}
