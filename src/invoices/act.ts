import type { Tx } from '../database/transaction.ts'
import type { Role } from '../kernel/caller.ts'
import type { Instant } from '../kernel/clock.ts'
import { logoJob } from '../kernel/logo.ts'
import { findStandingRefunds } from '../ledger/store.ts'
import type { Service } from '../room.ts'
import { type ActionDefinition, contextOf } from './action.ts'
import { type ActingAction, type InputOf, invoiceActions } from './actions/index.ts'
import type { ServicePayment } from './actions/pay.ts'
import { type ServiceRefund, serviceLeft } from './actions/refund-payment.ts'
import { invoiceLifecycle } from './lifecycle.ts'
import { requireMailQuota } from './mail-quota.ts'
import { presentEvent } from './present.ts'
import type { Invoice } from './schema/invoice.ts'
import { deleteInvoice, findStored, type StoredInvoice, saveInvoice, saveTransactions } from './store.ts'
import { refuseWrong, type Sound } from './sums/check.ts'
import { logMove } from './transitions.ts'

/** Which invoice an action is about. */
export interface Target {
  readonly accountId: string
  readonly id: string
}

// The definition under a name takes this very input, but a union of functions does not show that.
const definitionOf = <A extends ActingAction>(action: A) =>
  invoiceActions[action] as unknown as ActionDefinition<A, InputOf<A>>

/** The one path every action takes: read, check, ask the table, decide, follow the table, save, log, announce. */
export async function act<A extends ActingAction>(
  service: Service,
  tx: Tx,
  role: Role,
  { accountId, id }: Target,
  action: A,
  input: InputOf<A>,
): Promise<Invoice> {
  const stored = await findStored(tx, accountId, id)
  refuseWrong(definitionOf(action).check?.(input as Sound<InputOf<A>>) ?? [])
  return actOn(service, tx, role, stored, action, input)
}

/** The same on an invoice that was read in this unit of work, so that everything in it is decided from one reading. */
async function actOn<A extends ActingAction>(
  service: Service,
  tx: Tx,
  role: Role,
  stored: StoredInvoice,
  action: A,
  input: InputOf<A>,
): Promise<Invoice> {
  const { invoice, account } = stored
  invoiceLifecycle.require(invoice, [role], action)
  const { decide } = definitionOf(action)

  const decision = decide(invoice, input, contextOf(tx, account, service.settings))
  const row = invoiceLifecycle.follow(invoice, [role], action, decision.outcome)
  if (role === 'seller')
    await requireMailQuota(service.settings, tx, { accountId: account.id, invoiceId: invoice.id }, decision)
  for (const job of decision.jobs ?? []) tx.enqueue(job)
  for (const key of decision.withdraws ?? []) tx.withdraw(key)
  if (!decision.changes) return invoice

  const changed = { ...invoice, ...decision.changes, ...row.to } as Invoice
  const isGone = decision.outcome === 'gone'
  if (isGone) deleteInvoice(tx, stored)
  else save(tx, stored, changed)
  logMove(tx, stored, row, isGone ? null : changed.status)
  if (row.emits !== 'nothing') announce(service, tx, account.id, changed, row.emits, role)
  return changed
}

function save(tx: Tx, stored: StoredInvoice, changed: Invoice): void {
  saveInvoice(tx, stored, changed)
  saveTransactions(tx, stored, changed)
  const { logo_url } = changed.invoicer
  const isNew = stored.invoice.base_status !== 'SENT' || stored.invoice.invoicer.logo_url !== logo_url
  // So that whoever opens the page first finds the logo on it.
  if (logo_url && changed.base_status === 'SENT' && isNew) tx.enqueue(logoJob(stored.account.id, logo_url))
}

type InvoiceEvent = Exclude<(typeof invoiceLifecycle.rows)[number]['emits'], 'nothing'> | 'INVOICING.INVOICE.CREATED'

/** Tells the subscribers of the calling app. If nobody called for the merchant, those of the app that made the invoice. */
export function announce(
  service: Service,
  tx: Tx,
  accountId: string,
  invoice: Invoice,
  type: InvoiceEvent,
  role: Role = 'seller',
): void {
  const isOwnCall = role === 'seller' && tx.appId !== undefined
  tx.emit({
    accountId,
    type,
    resourceId: invoice.id,
    resource: presentEvent(service, invoice),
    summary: `Invoice ${invoice.detail.invoice_number} is ${invoice.status}.`,
    ...(!isOwnCall && invoice.app_id !== undefined && { appId: invoice.app_id }),
  })
}

/** A buyer paid on the hosted page. The caller moves the money in the same unit of work. */
export const recordServicePayment = (
  service: Service,
  tx: Tx,
  stored: StoredInvoice,
  payment: ServicePayment,
): Promise<Invoice> => actOn(service, tx, 'buyer', stored, 'pay', payment)

/** A pending payment cleared or was refused. */
export const settleServicePayment = (
  service: Service,
  tx: Tx,
  target: Target,
  { transaction_id, cleared }: { transaction_id: string; cleared: boolean },
): Promise<Invoice> => act(service, tx, 'clock', target, cleared ? 'clear-payment' : 'deny-payment', { transaction_id })

/** A service payment was refunded. A refund that the invoice shows already, or that only gives back a tip, changes nothing. */
export async function recordServiceRefund(
  service: Service,
  tx: Tx,
  target: Target,
  refund: ServiceRefund,
): Promise<void> {
  const stored = await findStored(tx, target.accountId, target.id)
  const { invoice } = stored
  const isKnown = invoice.refunds.some(({ refund_id }) => refund_id === refund.refund_id)
  if (isKnown || serviceLeft(invoice, refund.capture_id) === 0n) return
  await actOn(service, tx, 'clock', stored, 'refund-payment', refund)
}

/** A reversal of a service payment was cancelled. If the invoice does not show it, nothing changes. */
export async function cancelServiceRefund(
  service: Service,
  tx: Tx,
  target: Target,
  { refund_id, capture_id }: Pick<ServiceRefund, 'refund_id' | 'capture_id'>,
): Promise<void> {
  const { invoice } = await findStored(tx, target.accountId, target.id)
  if (!invoice.refunds.some((refund) => refund.refund_id === refund_id)) return
  const others = capture_id === undefined ? [] : await findStandingRefunds(tx, target.accountId, capture_id)
  const standing = others.map(({ id, amount, create_time }) => ({
    refund_id: id,
    amount,
    refund_time: create_time as Instant,
    ...(capture_id !== undefined && { capture_id }),
  }))
  await act(service, tx, 'clock', target, 'restore-payment', { refund_id, standing })
}

/** The hosted page of this invoice was opened by its recipient. */
export const markViewed = (service: Service, tx: Tx, target: Target): Promise<Invoice> =>
  act(service, tx, 'buyer', target, 'view', undefined)
