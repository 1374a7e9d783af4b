import type { Instant } from '../../kernel/clock.ts'
import type { Dispute, DisputeNode } from '../schema/dispute.ts'
import type { ActionContext, ActionDefinition, Decision } from './action.ts'
import { disputeActions } from './actions/index.ts'
import { timerFor } from './deadlines.ts'
import { type DisputeAction, disputeLifecycle } from './lifecycle.ts'

/** An action that was decided and followed along the table, before anything is written. */
export interface Step {
  readonly before: Dispute
  readonly after: Dispute
  readonly decision: Decision
  readonly row: (typeof disputeLifecycle.rows)[number]
}

/**
 * Takes one step that the table allows: decide, follow the table, set the timer. Pure, and the only way in which a dispute
 * changes. Whether the step is allowed was asked before, because files are only read after that. A step that is not allowed
 * finds no row.
 */
export function step(
  before: Dispute,
  roles: readonly string[],
  action: DisputeAction,
  input: unknown,
  context: ActionContext,
): Step {
  // The body was checked against this action's own schema before it came here.
  const { decide } = disputeActions[action] as unknown as ActionDefinition
  const decision = decide(before, input as never, context)
  const row = disputeLifecycle.follow(before, roles, action, decision.outcome)

  const { timer: _before, ...changed } = {
    ...before,
    ...decision.changes,
    ...row.to,
    update_time: context.now,
  } as Dispute
  const next = withoutAbsent({ ...changed, resolved_time: resolvedAt(before, changed, context.now) })
  const running = decision.timer ?? timerAfter(action, before, next, context)
  return { before, after: running ? { ...next, timer: running } : next, decision, row }
}

/** When the dispute ended, whatever was noted of it since. Earlier versions did not store it, so their last change counts. */
function resolvedAt(before: Dispute, { status }: DisputeNode, now: Instant): Instant | undefined {
  if (status !== 'RESOLVED') return undefined
  return before.status === 'RESOLVED' ? (before.resolved_time ?? before.update_time) : now
}

const facets = ['dispute_life_cycle_stage', 'status', 'flow', 'finality'] as const satisfies (keyof DisputeNode)[]

const isSameNode = (a: DisputeNode, b: DisputeNode): boolean => facets.every((facet) => a[facet] === b[facet])

/** Removes fields that were changed to `undefined` or to an empty list. */
function withoutAbsent(dispute: { [Field in keyof Dispute]: Dispute[Field] | undefined }): Dispute {
  const kept = Object.entries(dispute).filter(
    ([, value]) => value !== undefined && !(Array.isArray(value) && value.length === 0),
  )
  return Object.fromEntries(kept) as unknown as Dispute
}

/** Whether an action asks somebody anew: the dispute got to another node, or its reason changed. */
export const asksAnew = (action: DisputeAction, before: DisputeNode, after: DisputeNode): boolean =>
  action === 'change-reason' || !isSameNode(before, after)

/** The timer after an action. If somebody is asked anew, a new one; otherwise the running timer goes on until it is up. */
export const timerAfter = (
  action: DisputeAction,
  before: Dispute,
  after: Dispute,
  { now, rules }: Pick<ActionContext, 'now' | 'rules'>,
): Dispute['timer'] =>
  action === 'pass-deadline' || asksAnew(action, before, after) ? timerFor(after, now, rules) : before.timer

const letters = { INQUIRY: 'I', CHARGEBACK: 'C', PRE_ARBITRATION: 'P', ARBITRATION: 'A' } as const

/** The short name of a node in the documentation: `IS`, `CU`, `XA`. */
export function nodeName({ dispute_life_cycle_stage, status, flow, finality }: DisputeNode): string {
  if (status === 'RESOLVED') return finality === 'APPEALABLE' ? 'XA' : 'XX'
  const stage = letters[dispute_life_cycle_stage]
  if (status === 'OPEN') return `${stage}O`
  if (status === 'UNDER_REVIEW') return `${stage}U`
  if (flow === 'OFFER') return `${stage}F`
  if (flow === 'RETURN') return `${stage}R`
  if (flow === 'ACK') return `${stage}A`
  return `${stage}${status === 'WAITING_FOR_SELLER_RESPONSE' ? 'S' : 'B'}`
}
