import { Answer, type AnyRoute, MONEY_REPLAY_HOURS, route } from '../../http/route.ts'
import { readerOf } from '../../http/validation/reader.ts'
import { Links } from '../../kernel/links.ts'
import type { Issue } from '../../kernel/problem.ts'
import { type TSchema, Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import { act } from '../act.ts'
import { invoiceActions } from '../actions/index.ts'
import { invoiceLifecycle } from '../lifecycle.ts'
import { invoicerViewUrl, payerViewLink, recipientViewUrl } from '../present.ts'
import { prepareRecorded, withoutAliases } from '../reading/requests.ts'
import type { Invoice } from '../schema/invoice.ts'
import { findInvoice } from '../store.ts'
import { InvoiceId, tag, writeScopes } from './parts.ts'
import { answerImage, drawQrCode, imageForms, QrInput } from './qr-code.ts'
import { pull } from './triggers.ts'

const PayerView = Type.Object({
  href: Type.String({ maxLength: 4000 }),
  rel: Type.String({ maxLength: 20 }),
  method: Type.String({ maxLength: 10 }),
  links: Links,
})

const TransactionId = Type.Object({
  ...InvoiceId.properties,
  transaction_id: Type.String({ maxLength: 255 }),
})

/** The operations that take a body and act on one invoice. */
interface BodyAction {
  readonly action: 'send' | 'remind' | 'cancel' | 'record-payment' | 'record-refund'
  readonly path: string
  readonly operation: string
  readonly bodyOptional: boolean
  readonly success: Readonly<Record<number, TSchema | null>>
  readonly replayHours?: number
  answer(service: Service, id: string, invoice: Invoice | undefined): unknown
}

const sendAnswer = (service: Service, id: string, invoice: Invoice | undefined) => {
  const link = payerViewLink(service, id)
  return new Answer(invoice?.base_status === 'SCHEDULED' ? 202 : 200, { ...link, links: [link] })
}

/** The id of what was recorded, or a made-up one if success is only simulated. */
const newest = (ids: readonly string[] | undefined) => ids?.at(-1) ?? 'EXTR-00000000000000000'

// biome-ignore format: a table reads best as a table
const bodyActions: readonly BodyAction[] = [
  { action: 'send',   path: 'send',   operation: 'sendInvoice',   bodyOptional: true, success: { 200: PayerView, 202: PayerView }, answer: sendAnswer },
  { action: 'remind', path: 'remind', operation: 'remindInvoice', bodyOptional: true, success: { 204: null }, answer: () => undefined },
  { action: 'cancel', path: 'cancel', operation: 'cancelInvoice', bodyOptional: true, success: { 204: null }, answer: () => undefined },
  { action: 'record-payment', path: 'payments', operation: 'recordPayment', bodyOptional: false, replayHours: MONEY_REPLAY_HOURS,
    success: { 200: Type.Object({ payment_id: Type.String({ maxLength: 22 }) }) },
    answer: (_, _id, invoice) => ({ payment_id: newest(invoice?.payments.map(({ payment_id }) => payment_id)) }) },
  { action: 'record-refund', path: 'refunds', operation: 'recordRefund', bodyOptional: false, replayHours: MONEY_REPLAY_HOURS,
    success: { 200: Type.Object({ refund_id: Type.String({ maxLength: 22 }) }) },
    answer: (_, _id, invoice) => ({ refund_id: newest(invoice?.refunds.map(({ refund_id }) => refund_id)) }) },
]

export function actionRoutes(service: Service): AnyRoute[] {
  const isSandbox = service.environment === 'sandbox'
  return [
    ...bodyActions.map((definition) => bodyRoute(service, definition)),
    route({
      method: 'DELETE',
      url: '/v2/invoicing/invoices/:invoice_id',
      operation: 'deleteInvoice',
      summary: invoiceActions.delete.summary,
      tag,
      scopes: writeScopes,
      params: InvoiceId,
      success: { 204: null },
      trigger: ({ params }) => void pull('delete', 'invoice', params['invoice_id']),
      async handle({ tx, caller, params }) {
        if (isSandbox && pull('delete', 'invoice', params.invoice_id) === 'ok') return
        await act(service, tx, 'seller', { accountId: caller.accountId, id: params.invoice_id }, 'delete', undefined)
      },
    }),
    deleteRecordRoute(service, 'delete-payment', 'payments', 'deletePayment'),
    deleteRecordRoute(service, 'delete-refund', 'refunds', 'deleteRefund'),
    route({
      method: 'POST',
      url: '/v2/invoicing/invoices/:invoice_id/generate-qr-code',
      operation: 'generateQrCode',
      summary: 'Draw the QR code that leads to the invoice',
      tag,
      scopes: writeScopes,
      params: InvoiceId,
      body: QrInput,
      bodyOptional: true,
      prepare: readerOf(QrInput, { clean: true }),
      success: { 200: Type.Object({ image: Type.String({ maxLength: 100_000 }) }) },
      produces: imageForms,
      reads: true,
      async handle({ db, caller, params, body, headers }) {
        const invoice = await findInvoice(db, caller.accountId, params.invoice_id)
        invoiceLifecycle.require(invoice, ['seller'], 'qr-code')
        const { width = 500, height = 500, action = 'pay' } = body
        const leadsTo = action.toLowerCase() === 'pay' ? recipientViewUrl : invoicerViewUrl
        return answerImage(drawQrCode(leadsTo(service, invoice.id), width, height), headers['accept'] as string)
      },
    }),
  ]
}

function bodyRoute(service: Service, { action, path, operation, answer, ...rest }: BodyAction): AnyRoute {
  const { summary, body, check } = invoiceActions[action]
  const schema: TSchema = body ?? Type.Object({})
  const read = readerOf(schema, { clean: true })
  return route({
    method: 'POST',
    url: `/v2/invoicing/invoices/:invoice_id/${path}`,
    operation,
    summary,
    tag,
    scopes: writeScopes,
    params: InvoiceId,
    body: schema,
    prepare: prepareRecorded((given) => read(withoutAliases(given))),
    ...(check && { alsoWrong: check as (sound: object) => readonly Issue[] }),
    ...rest,
    trigger: ({ params }) => void pull(action, 'invoice', params['invoice_id']),
    precheck: async (db, caller, { invoice_id }) => void (await findInvoice(db, caller.accountId, invoice_id)),
    async handle({ tx, caller, params, body: input }) {
      const { invoice_id: id } = params
      const isSimulated = service.environment === 'sandbox' && pull(action, 'invoice', id) === 'ok'
      if (isSimulated) return answer(service, id, undefined)
      // The server has checked the body against the schema of this very action.
      const invoice = await act(service, tx, 'seller', { accountId: caller.accountId, id }, action, input as never)
      return answer(service, id, invoice)
    },
  })
}

function deleteRecordRoute(
  service: Service,
  action: 'delete-payment' | 'delete-refund',
  path: string,
  operation: string,
): AnyRoute {
  return route({
    method: 'DELETE',
    url: `/v2/invoicing/invoices/:invoice_id/${path}/:transaction_id`,
    operation,
    summary: invoiceActions[action].summary,
    tag,
    scopes: writeScopes,
    params: TransactionId,
    success: { 204: null },
    trigger: ({ params }) => void pull(action, 'transaction', params['transaction_id']),
    async handle({ tx, caller, params: { invoice_id, transaction_id } }) {
      if (service.environment === 'sandbox' && pull(action, 'transaction', transaction_id) === 'ok') return
      await act(service, tx, 'seller', { accountId: caller.accountId, id: invoice_id }, action, { transaction_id })
    },
  })
}
