import type { Tx } from '../database/transaction.ts'
import type { UploadedFile } from '../http/body/multipart.ts'
import { onlyKnown } from '../http/validation/validator.ts'
import type { EventType } from '../kernel/event-types.ts'
import { toMinor } from '../kernel/money.ts'
import { conflict, Problem } from '../kernel/problem.ts'
import type { PaymentChange } from '../ledger/schema.ts'
import type { Service } from '../room.ts'
import { type Actor, clockActor } from './access.ts'
import { keepDocuments, receiveFiles, refuseTooMany } from './documents.ts'
import type { House } from './house.ts'
import type { ActionContext, ActionDefinition } from './machine/action.ts'
import { disputeActions } from './machine/actions/index.ts'
import { type DisputeAction, disputeLifecycle } from './machine/lifecycle.ts'
import { type Step, step } from './machine/step.ts'
import { moveMoney, withPayments } from './money.ts'
import { type News, newsOf } from './news.ts'
import { presentDispute } from './present.ts'
import type { Dispute, StoredDocument } from './schema/dispute.ts'
import { findDisputesOf, type StoredDispute, saveDispute, takeOut } from './store.ts'
import { logMove } from './transitions.ts'

export interface ActionRequest {
  readonly action: DisputeAction
  readonly input: unknown
  readonly files?: readonly UploadedFile[]
}

/** The one path every dispute action takes: check, decide, follow the table, save, log, move the money, announce. */
export async function act(
  tx: Tx,
  house: House,
  found: StoredDispute,
  actor: Actor,
  request: ActionRequest,
): Promise<Step> {
  const { service } = house
  const { action, input, files = [] } = request
  const { files: most = 0, body } = disputeActions[action] as Pick<ActionDefinition, 'files' | 'body'>
  requireAllowed(service, found.dispute, actor.roles, action)
  const overdue = afterDeadline(tx, house, found.dispute, actor)
  if (overdue) requireAllowed(service, overdue, actor.roles, action)
  refuseTooMany(files, most)
  const { dispute, payments } = await withPayments(tx, found.dispute, action)
  const uploads = receiveFiles(tx, files)
  // Fields that no schema knows are ignored, so they are not kept either, however deep they stand.
  const known = onlyKnown(body, input)
  const context = contextOf(tx, house, actor, uploads.stored)
  if (overdue) step(overdue, actor.roles, action, known, context)
  const taken = step(dispute, actor.roles, action, known, context)
  // A request that only tests something has changed nothing.
  if (taken.decision.outcome === 'tested') return taken
  const moved = await moveMoney(tx, house, taken, payments)
  saveDispute(tx, found.version, taken.after)
  takeOut(tx, taken.before, taken.after)
  logMove(tx, taken, found.version + 1)
  keepDocuments(tx, taken.after, uploads)
  keepTimer(tx, taken.before, taken.after)
  if (taken.row.emits !== 'nothing') announce(tx, service, taken.after, taken.row.emits, newsOf(taken, actor))
  await followPayments(tx, house, moved, found.dispute.dispute_id)
  return taken
}

const contextOf = (
  tx: Tx,
  { rules }: House,
  { side, isPartner, roles }: Actor,
  uploads: readonly StoredDocument[],
): ActionContext => ({
  now: tx.now,
  newId: (kind) => tx.newId(kind),
  side,
  isPartner,
  tellsPartnerActions: roles.includes('partner'),
  rules,
  uploads,
})

/**
 * The dispute as a deadline leaves it that is up, but whose job has not run yet. An action must be possible there too, in the
 * same words: it does not matter how late due work is done. Undefined if no deadline is up. Triage is nobody's deadline.
 */
const afterDeadline = (tx: Tx, house: House, dispute: Dispute, actor: Actor): Dispute | undefined =>
  actor.roles.includes('clock') ? undefined : overdueStep(tx, house, dispute)?.after

function overdueStep(tx: Tx, house: House, dispute: Dispute): Step | undefined {
  const { timer } = dispute
  if (!timer || timer.due > tx.now || timer.name === 'triage') return undefined
  return step(dispute, clockActor.roles, 'pass-deadline', {}, contextOf(tx, house, clockActor, []))
}

/** Tells what moved to every dispute about these payments, except the one that moved it. Without one, the seller did. */
export async function followPayments(
  tx: Tx,
  house: House,
  moved: readonly PaymentChange[],
  mover?: string,
): Promise<void> {
  const [first] = moved
  if (!first) return
  const payments = moved.map(({ transaction }) => transaction.id)
  for (const found of await findDisputesOf(tx, first.transaction.seller.account_id, payments)) {
    if (found.dispute.dispute_id === mover) continue
    if (mover === undefined) refuseTooLate(tx, house, found.dispute)
    await act(tx, house, found, clockActor, { action: 'follow-payment', input: moved })
  }
}

/** A seller who gives money back freely pays no fee. What a deadline that is up takes from them is not given freely any more. */
function refuseTooLate(tx: Tx, house: House, dispute: Dispute): void {
  const money = overdueStep(tx, house, dispute)?.decision.money ?? []
  if (money.some((order) => order.move === 'settle' && order.reversal && toMinor(order.refund) > 0n))
    throw conflict(
      'CONCURRENT_UPDATE',
      `The time to answer the dispute ${dispute.dispute_id} is up, and it is being decided; send the refund again after that.`,
    )
}

export const deadlineKey = (disputeId: string) => `deadline:${disputeId}`

/** Enqueues the job of the deadline if the timer changed, or withdraws it. */
export function keepTimer(
  tx: Tx,
  before: Pick<Dispute, 'timer'> | undefined,
  { timer, seller, dispute_id }: Dispute,
): void {
  if (timer?.due === before?.timer?.due && timer?.name === before?.timer?.name) return
  if (!timer) {
    tx.withdraw(deadlineKey(dispute_id))
    return
  }
  tx.enqueue({
    name: 'dispute-deadline',
    payload: { account_id: seller.account_id, dispute_id },
    runAt: timer.due,
    key: deadlineKey(dispute_id),
    replace: true,
  })
}

const happened: Partial<Record<EventType, string>> = {
  'CUSTOMER.DISPUTE.CREATED': 'was opened',
  'CUSTOMER.DISPUTE.UPDATED': 'changed',
  'CUSTOMER.DISPUTE.RESOLVED': 'was resolved',
}

/**
 * Tells the seller's apps and partners, whoever acted, in the seller's present view. Tells people by mail if it concerns
 * them.
 */
export function announce(tx: Tx, service: Service, dispute: Dispute, type: EventType, news: News): void {
  const roles = service.environment === 'sandbox' ? (['seller', 'agent'] as const) : (['seller'] as const)
  tx.emit({
    accountId: dispute.seller.account_id,
    type,
    resourceId: dispute.dispute_id,
    resource: presentDispute(dispute, { view: 'seller', side: 'seller', roles }, service),
    summary: `The dispute ${dispute.dispute_id} ${happened[type] ?? 'changed'}.`,
    appId: null,
  })
  if (Object.keys(news).length > 0)
    tx.enqueue({
      name: 'dispute-notice',
      payload: { account_id: dispute.seller.account_id, dispute_id: dispute.dispute_id, event: type, news },
    })
}

/**
 * Asks the table, once for each action. A setting makes agents' actions refuse with 400, as clients of older sandboxes
 * expect.
 */
function requireAllowed(
  { settings }: Service,
  dispute: Dispute,
  roles: readonly string[],
  action: DisputeAction,
): void {
  const asBadRequest =
    settings.disputeAgentRefusal === '400' && (action === 'adjudicate' || action === 'require-evidence')
  try {
    disputeLifecycle.require(dispute, roles, action)
  } catch (error) {
    if (asBadRequest && error instanceof Problem) throw new Problem(400, 'INVALID_REQUEST', error.details)
    throw error
  }
}
