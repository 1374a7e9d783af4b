import type { Tx } from '../../database/transaction.ts'
import { act } from '../../disputes/act.ts'
import { attachmentHeaders, findFile, plainlyNamed } from '../../disputes/documents.ts'
import type { House } from '../../disputes/house.ts'
import { carrierCalled } from '../../disputes/machine/carriers.ts'
import { RETURN } from '../../disputes/machine/evidence.ts'
import { disputeLifecycle } from '../../disputes/machine/lifecycle.ts'
import { findDispute, type StoredDispute, withdrawDispute } from '../../disputes/store.ts'
import { Answer, type AnyRoute, route } from '../../http/route.ts'
import { recipientCode } from '../../invoices/schema/codes.ts'
import type { Problem } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { findTransaction } from '../../ledger/store.ts'
import type { Service } from '../../room.ts'
import { formsOf, type Headers } from '../page/forms.ts'
import { type Opened, openByCode } from '../page/open-page.ts'
import type { Notice } from '../page/page.ts'
import { seeOther } from '../page/respond.ts'
import { lang, shared } from '../page-routes.ts'
import { sayCaseIn } from '../words/index.ts'
import { answerForm, caseForm, caseText, isOfFile, isOfText, written } from './case-form.ts'
import { casePath, readCaseKey } from './link.ts'
import { casePage, type TypedAction } from './pages.ts'

const ActionForm = Type.Object({
  token: Type.String({ maxLength: 300 }),
  lang,
  text: caseText,
  carrier: Type.Optional(Type.String({ maxLength: 255 })),
  tracking: Type.Optional(Type.String({ maxLength: 255 })),
})
type ActionForm = Static<typeof ActionForm>

const Key = Type.Object({ key: Type.String({ minLength: 1, maxLength: 200 }) })

const said = (form: ActionForm) => ({ evidence_type: 'OTHER', notes: written(form) })

/** What a payer may do with their case, and the input that each form makes for the action. */
const actions = {
  'send-message': (form: ActionForm) => ({ message: written(form) }),
  'accept-offer': () => ({}),
  'deny-offer': (form: ActionForm) => ({ note: written(form) }),
  'provide-evidence': (form: ActionForm) => ({
    evidences: [form.tracking === undefined ? said(form) : proofOfReturn(form)],
  }),
  appeal: (form: ActionForm) => ({ evidences: [said(form)] }),
  escalate: () => ({}),
  cancel: () => ({}),
} as const
type PayerAction = keyof typeof actions

/** What was left blank about the parcel is left out here. The action then asks for it. */
function proofOfReturn({ carrier = '', tracking = '' }: ActionForm) {
  const [name, number] = [carrier.trim(), tracking.trim()]
  return {
    evidence_type: RETURN,
    evidence_info: {
      tracking_info: [{ ...(name !== '' && carrierCalled(name)), ...(number !== '' && { tracking_number: number }) }],
    },
  }
}

const whyRefused = (problem: Problem) => {
  if (isOfFile(problem)) return 'fileRefused'
  if (isOfText(problem)) return 'textMissing'
  return problem.details[0]?.issue === 'MISSING_TRACKING_INFO' ? 'trackingMissing' : 'refused'
}

/** Whoever holds the private link is taken for the payer, because it was sent only to their address. */
const actor = { side: 'buyer', isPartner: false, roles: ['buyer'] } as const

/** A dispute behind its private link, with the invoice it is about. */
interface OpenedCase {
  readonly stored: StoredDispute
  readonly opened: Opened
}

/** The case behind a private link, and what its payer can do there. */
export function caseRoutes(service: Service, house: House): AnyRoute[] {
  const forms = formsOf(service)

  async function openCase(tx: Tx, key: string, headers: Headers, chosen?: string): Promise<OpenedCase | undefined> {
    const disputeId = readCaseKey(service, key)
    const stored = disputeId === undefined ? undefined : await findDispute(tx, disputeId)
    const capture = stored?.dispute.disputed_transactions[0]?.seller_transaction_id
    if (!stored || capture === undefined) return undefined
    const payment = await findTransaction(tx, stored.dispute.seller.account_id, capture)
    const invoiceId = payment?.transaction.invoice_id
    const opened = invoiceId === undefined ? undefined : await openByCode(tx, recipientCode(invoiceId), headers, chosen)
    return opened && { stored, opened }
  }

  function showCase(tx: Tx, { stored, opened }: OpenedCase, headers: Headers, notice?: Notice, typed?: TypedAction) {
    const { dispute } = stored
    const { sheet, path, inLanguage } = opened
    const zone = opened.stored.account.time_zone
    const common = { sheet, dispute, zone, path: casePath(service, dispute.dispute_id), invoicePath: path + inLanguage }
    return forms.page(
      tx,
      headers,
      `case ${dispute.dispute_id}`,
      (token) => casePage({ ...common, token, ...(notice && { notice }), ...(typed && { typed }) }),
      notice?.tone === 'bad' ? 422 : 200,
    )
  }

  return [
    route({
      ...shared,
      produces: ['application/pdf', 'image/png', 'image/jpeg', 'image/gif', '*/*'],
      method: 'GET',
      url: '/invoice/problem/:key/label/:n',
      operation: 'showReturnLabel',
      summary: 'Download the shipping label of a return',
      params: Type.Object({ ...Key.properties, n: Type.String({ maxLength: 3, pattern: '^[1-9][0-9]*$' }) }),
      handle: ({ transact, params, headers }) =>
        transact(async (tx) => {
          const found = await openCase(tx, params.key, headers)
          const shipment = found?.stored.dispute.agreed_return?.shipments?.[Number(params.n) - 1]
          const label = shipment?.shipment_label
          const file = label && (await findFile(tx, found!.stored.dispute, label.document_id, label.n))
          return file ? new Answer(200, file.bytes, attachmentHeaders(file)) : forms.missing(headers)
        }),
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
          return found ? showCase(tx, found, headers) : forms.missing(headers, query.lang)
        }),
    }),
    route({
      ...shared,
      ...caseForm,
      method: 'POST',
      url: '/invoice/problem/:key/:action',
      operation: 'actOnProblem',
      summary: 'Write, answer an offer, add evidence to a reported problem or appeal its decision',
      params: Type.Object({ ...Key.properties, action: Type.Enum(Object.keys(actions) as PayerAction[]) }),
      body: ActionForm,
      handle: ({ transact, params, body, files, headers }) =>
        answerForm<OpenedCase>(
          service,
          { transact, headers, body },
          {
            open: (tx) => openCase(tx, params.key, headers, body.lang),
            purpose: ({ stored: { dispute } }) => [`case ${dispute.dispute_id}`, dispute.seller.account_id],
            async carryOut(tx, { stored, opened }) {
              disputeLifecycle.require(stored.dispute, actor.roles, params.action)
              const input = actions[params.action](body)
              await act(tx, house, stored, actor, { action: params.action, input, files: plainlyNamed(files) })
              if (params.action === 'cancel') withdrawDispute(tx, stored.dispute)
              return seeOther(casePath(service, stored.dispute.dispute_id) + opened.inLanguage)
            },
            show: async (tx, found, notice) => showCase(tx, found, headers, notice, { ...body, action: params.action }),
            refused: ({ opened }, problem) => sayCaseIn(opened.sheet.locale.language)(whyRefused(problem)),
          },
        ),
    }),
  ]
}
