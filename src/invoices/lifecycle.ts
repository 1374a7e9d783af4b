import type { EventType } from '../kernel/event-types.ts'
import { Lifecycle, type Row } from '../kernel/lifecycle.ts'
import { notFound, type Problem, refused } from '../kernel/problem.ts'
import type { Status } from './schema/enums.ts'
import type { InvoiceState } from './schema/invoice.ts'
import { type Account, hasRecordedPayments, type SettlementOutcome } from './sums/settlement.ts'

const is = <const S extends Status>(...status: S[]) => ({ status }) as const
const becomes = <const S extends Status>(status: S) => ({ status }) as const
const base = <const S extends InvoiceState['base_status']>(status: S) => ({ status, base_status: status }) as const

/** Whether it can be sent depends on the base status: what was never sent can be sent, whatever was recorded as paid before. */
const on = <const S extends Status, const B extends InvoiceState['base_status']>(
  from: { readonly status: readonly S[] },
  ...base_status: B[]
) => ({ ...from, base_status }) as const

const unsent = is('DRAFT', 'SCHEDULED')
const payable = is('SENT', 'PARTIALLY_PAID')
const recorded = is('PARTIALLY_PAID', 'MARKED_AS_PAID', 'PARTIALLY_REFUNDED', 'MARKED_AS_REFUNDED')
const sentWithMoney = { base_status: 'SENT' } as const
const scheduledWithMoney = { base_status: 'SCHEDULED' } as const
const withPayments = is('PARTIALLY_PAID', 'PAYMENT_PENDING', 'PAID', 'MARKED_AS_PAID', 'PARTIALLY_REFUNDED')
const withRefunds = is('PARTIALLY_REFUNDED', 'REFUNDED', 'MARKED_AS_REFUNDED')
const withPending = is('PAYMENT_PENDING', ...withRefunds.status)
const issued = is(...payable.status, 'PAYMENT_PENDING', 'PAID', 'MARKED_AS_PAID', ...withRefunds.status)

const event = <const E extends string>(name: E) => `INVOICING.INVOICE.${name}` as const

type InvoiceRow = Row<InvoiceState> & { emits: EventType | 'nothing' }

/** The status for what the money on an invoice amounts to, whatever moved it. Without money it has its base status again. */
const settledStatus = {
  pending: 'PAYMENT_PENDING',
  'partly paid': 'PARTIALLY_PAID',
  paid: 'PAID',
  'paid offline': 'MARKED_AS_PAID',
  'partly refunded': 'PARTIALLY_REFUNDED',
  refunded: 'REFUNDED',
  'refunded offline': 'MARKED_AS_REFUNDED',
} as const satisfies Record<Exclude<SettlementOutcome, 'unpaid'>, Status>

/** One row for each outcome that the money can then have. */
function settles<const A extends string, const E extends EventType, const O extends keyof typeof settledStatus>(
  row: { action: A; by: InvoiceRow['by']; from: { status: readonly Status[] }; given?: string[]; emits: E },
  ...outcomes: O[]
) {
  return outcomes.map((outcome) => ({ given: [], ...row, outcome, to: becomes(settledStatus[outcome]) }))
}

/** Rows for when no money is left on the invoice: back to draft, scheduled or sent. */
function unsettles<const A extends string, const E extends EventType>(row: {
  action: A
  by: InvoiceRow['by']
  from: { status: readonly Status[] }
  emits: E
}) {
  return (['DRAFT', 'SCHEDULED', 'SENT'] as const).map((base_status) => ({
    ...row,
    given: [],
    from: { ...row.from, base_status },
    outcome: 'unpaid' as const,
    to: becomes(base_status),
  }))
}

const deletePayment = { action: 'delete-payment', by: ['seller'], from: withPayments, emits: event('UPDATED') } as const
const deleteRefund = { action: 'delete-refund', by: ['seller'], from: withRefunds, emits: event('UPDATED') } as const
const restorePayment = { action: 'restore-payment', by: ['clock'], from: withRefunds, emits: event('UPDATED') } as const
const clearPayment = { action: 'clear-payment', by: ['clock'], from: withPending, emits: event('PAID') } as const
const denyPayment = { action: 'deny-payment', by: ['clock'], from: withPending, emits: event('UPDATED') } as const
const recordRefund = {
  action: 'record-refund',
  by: ['seller'],
  from: is('PARTIALLY_PAID', 'PAID', 'MARKED_AS_PAID', 'PARTIALLY_REFUNDED'),
  given: ['a payment recorded by the merchant'],
  emits: event('REFUNDED'),
} as const

/** The whole invoice machine on one screen. `clock` is the passing of time; `buyer` is whoever opens the hosted page. */
// biome-ignore format: a table reads best as a table
const rows = [
  { action: 'update',  by: ['seller'], from: is('DRAFT', 'SCHEDULED', 'SENT'), given: [], outcome: 'unpaid', to: {}, emits: event('UPDATED') },
  ...settles({ action: 'update', by: ['seller'], from: is('PARTIALLY_PAID'), emits: event('UPDATED') }, 'partly paid', 'paid', 'paid offline'),
  { action: 'delete',  by: ['seller'], from: unsent,          given: [], outcome: 'gone',              to: {},                emits: 'nothing' },
  { action: 'send',    by: ['seller'], from: unsent,                            given: [], outcome: 'due now',           to: base('SENT'),       emits: event('SENT') },
  { action: 'send',    by: ['seller'], from: on(recorded, 'DRAFT', 'SCHEDULED'), given: [], outcome: 'due now',           to: sentWithMoney,      emits: event('SENT') },
  { action: 'send',    by: ['seller'], from: is('DRAFT'),                       given: [], outcome: 'due later',         to: base('SCHEDULED'),  emits: event('SCHEDULED') },
  { action: 'send',    by: ['seller'], from: on(recorded, 'DRAFT'),             given: [], outcome: 'due later',         to: scheduledWithMoney, emits: event('SCHEDULED') },
  { action: 'send',    by: ['seller'], from: on(is('SCHEDULED', ...recorded.status), 'SCHEDULED'), given: [], outcome: 'already scheduled', to: {}, emits: 'nothing' },
  { action: 'send',    by: ['seller'], from: on(payable, 'SENT'),               given: [], outcome: 'already sent',      to: {},                 emits: 'nothing' },
  { action: 'issue',   by: ['clock'],  from: is('SCHEDULED'),                   given: [], outcome: 'due now',           to: base('SENT'),       emits: event('SENT') },
  { action: 'issue',   by: ['clock'],  from: on(recorded, 'SCHEDULED'),         given: [], outcome: 'due now',           to: sentWithMoney,      emits: event('SENT') },
  { action: 'issue',   by: ['clock'],  from: on(is('SCHEDULED', ...recorded.status), 'SCHEDULED'), given: [], outcome: 'due later', to: {},         emits: 'nothing' },
  { action: 'cancel',  by: ['seller'], from: is('SENT'),      given: [], outcome: 'cancelled',         to: becomes('CANCELLED'), emits: event('CANCELLED') },
  { action: 'remind',  by: ['seller'], from: on(payable, 'SENT'), given: [], outcome: 'reminded',          to: {},                emits: 'nothing' },
  { action: 'qr-code', by: ['seller'], from: on(issued, 'SENT'), given: [], outcome: 'drawn',             to: {},                emits: 'nothing' },
  { action: 'view',    by: ['buyer'],  from: on(is(...issued.status, 'CANCELLED'), 'SENT'), given: [], outcome: 'viewed', to: {},         emits: 'nothing' },
  ...settles({ action: 'record-payment', by: ['seller'], from: is(...unsent.status, ...payable.status), emits: event('PAID') }, 'partly paid', 'paid offline'),
  ...unsettles(deletePayment),
  ...settles(deletePayment, 'pending', 'partly paid', 'partly refunded', 'refunded', 'refunded offline'),
  ...settles({ ...recordRefund, given: [...recordRefund.given] }, 'partly refunded', 'refunded offline'),
  ...settles(deleteRefund, 'pending', 'partly paid', 'paid', 'paid offline', 'partly refunded', 'refunded', 'refunded offline'),
  ...settles({ action: 'pay', by: ['buyer'], from: on(payable, 'SENT'), emits: event('PAID') }, 'pending', 'partly paid', 'paid'),
  ...settles(clearPayment, 'partly paid', 'paid', 'partly refunded'),
  ...unsettles(denyPayment),
  ...settles(denyPayment, 'partly paid', 'partly refunded', 'refunded', 'refunded offline'),
  ...settles({ action: 'refund-payment', by: ['clock'], from: withPayments, emits: event('REFUNDED') }, 'partly refunded', 'refunded'),
  ...settles(restorePayment, 'pending', 'partly paid', 'paid', 'paid offline', 'partly refunded', 'refunded', 'refunded offline'),
] as const satisfies readonly InvoiceRow[]

export type InvoiceAction = (typeof rows)[number]['action']
export type OutcomeOf<A extends InvoiceAction> = Extract<(typeof rows)[number], { action: A }>['outcome']

/** Codes of refusals, for actions with one code for every status in which they are not allowed. */
const codes: Partial<Record<InvoiceAction, string>> = {
  update: 'CANNOT_UPDATE_INVOICE',
  delete: 'INVOICE_CANNOT_BE_DELETED',
  send: 'CANNOT_SEND_INVOICE',
  remind: 'CANNOT_REMIND_INVOICE',
  'record-payment': 'CANNOT_PROCESS_PAYMENTS',
  'record-refund': 'CANNOT_PROCESS_REFUNDS',
  'qr-code': 'CANNOT_GENERATE_QR_CODE',
  pay: 'CANNOT_PROCESS_PAYMENTS',
}

const cancelCodes: Readonly<Record<Exclude<Status, 'SENT'>, string>> = {
  DRAFT: 'CANNOT_CANCEL_DRAFT_INVOICE',
  SCHEDULED: 'CANNOT_CANCEL_SCHEDULED_INVOICE',
  PAYMENT_PENDING: 'CANNOT_CANCEL_PAID_INVOICE',
  PARTIALLY_PAID: 'CANNOT_CANCEL_PAID_INVOICE',
  PAID: 'CANNOT_CANCEL_PAID_INVOICE',
  MARKED_AS_PAID: 'CANNOT_CANCEL_PAID_INVOICE',
  PARTIALLY_REFUNDED: 'CANNOT_CANCEL_REFUNDED_INVOICE',
  REFUNDED: 'CANNOT_CANCEL_REFUNDED_INVOICE',
  MARKED_AS_REFUNDED: 'CANNOT_CANCEL_REFUNDED_INVOICE',
  CANCELLED: 'INVOICE_CANCELED_ALREADY',
}

/**
 * The code with which a status refuses an action; NOT_FOUND if there is nothing to act on. Undefined if the action is
 * allowed.
 */
export function refusalOf(status: Status, action: InvoiceAction): string | undefined {
  if (rows.some((row) => row.action === action && row.from.status.some((from: Status) => from === status)))
    return undefined
  if (action === 'cancel') return cancelCodes[status as keyof typeof cancelCodes]
  if (action === 'delete-payment')
    return status === 'REFUNDED' || status === 'MARKED_AS_REFUNDED' ? 'CANNOT_DELETE_EXTERNAL_PAYMENT' : 'NOT_FOUND'
  return codes[action] ?? 'NOT_FOUND'
}

/** What was paid on the page is given back by the ledger, and the invoice then shows it without a call. */
const HOW_TO_REFUND =
  'What was paid through the service is refunded with POST /v2/payments/captures/{payment_id}/refund.'
const paidThroughService: readonly Status[] = ['PAID', 'PARTIALLY_PAID', 'PARTIALLY_REFUNDED']

function refuse({ status }: InvoiceState, action: string, missing: string, allowed: readonly string[]): Problem {
  // The table only ever asks about its own actions.
  const code = refusalOf(status, action as InvoiceAction) ?? codes[action as InvoiceAction] ?? 'NOT_FOUND'
  if (code === 'NOT_FOUND') return notFound('The transaction')
  const open = allowed.length > 0 ? ` It takes ${allowed.join(', ')} now.` : ''
  const paid = action === 'record-refund' && paidThroughService.includes(status) ? ` ${HOW_TO_REFUND}` : ''
  return refused(code, `The invoice is ${status}: ${missing}${paid}${open}`)
}

export const invoiceLifecycle = new Lifecycle<InvoiceState, InvoiceState & Account, typeof rows>(
  rows,
  { 'a payment recorded by the merchant': hasRecordedPayments },
  refuse,
)
