import type { Reader } from '../../database/transaction.ts'
import { type AnyRoute, MONEY_REPLAY_HOURS, route } from '../../http/route.ts'
import type { Caller } from '../../kernel/caller.ts'
import { forbidden } from '../../kernel/problem.ts'
import { actorOf, findForCaller } from '../access.ts'
import { act } from '../act.ts'
import type { House } from '../house.ts'
import { actionLinks } from '../links.ts'
import type { ActionDefinition } from '../machine/action.ts'
import { disputeActions } from '../machine/actions/index.ts'
import type { DisputeAction } from '../machine/lifecycle.ts'
import { DisputeId, LinksOnly } from '../schema/shown.ts'
import { tag, withFiles } from './parts.ts'
import { accepted } from './receipts.ts'
import { pullTrigger } from './triggers.ts'

interface Names {
  /** The end of the address, where it is not the name of the action. */
  readonly path?: string
  readonly operation?: string
}

/** Actions of the parties that can give money back at once. */
const refunding: ReadonlySet<DisputeAction> = new Set([
  'make-offer',
  'accept-offer',
  'accept-claim',
  'acknowledge-return-item',
])

/** One route for every action of the table; there is nothing to add here for a new action. */
export function actionRoute(
  house: House,
  name: DisputeAction,
  { path = name, operation = operationName(name) }: Names = {},
): AnyRoute {
  // Each action's body type is its own; the server has checked the body against it.
  const action = disputeActions[name] as unknown as ActionDefinition
  return route({
    method: 'POST',
    url: `/v1/customer/disputes/:id/${path}`,
    operation,
    summary: action.summary,
    tag,
    scopes: action.scopes,
    params: DisputeId,
    body: action.body,
    bodyOptional: action.bodyOptional ?? false,
    ...withFiles,
    ...(refunding.has(name) && { replayHours: MONEY_REPLAY_HOURS }),
    success: name === 'accept-offer' ? { 200: LinksOnly, 202: LinksOnly } : { 200: LinksOnly },
    trigger: ({ params }) => pullTrigger(name, params['id']),
    precheck: (db, caller, { id }) => requireActor(db, caller, id, action),
    async handle({ tx, caller, params, body: input, files }) {
      const found = await findForCaller(tx, caller, params.id, action.scopes)
      if (action.agentsOnly) requireAgent(caller)
      const taken = await act(tx, house, found, actorOf(found), { action: name, input, files })
      if (name === 'accept-offer' && taken.decision.outcome === 'return agreed')
        return accepted(tx, caller, house.service.publicUrl, taken.after, { waitsForRefund: true })
      return actionLinks(house.service.publicUrl, params.id)
    },
  })
}

/** Refuses with 404 or 403 what would be refused whatever the body is. */
export async function requireActor(
  db: Reader,
  caller: Caller,
  id: string,
  { scopes, agentsOnly = false }: Pick<ActionDefinition, 'scopes' | 'agentsOnly'>,
): Promise<void> {
  const found = await findForCaller(db, caller, id, scopes)
  if (agentsOnly) requireAgent(caller)
  actorOf(found)
}

/** Refuses everybody who cannot act as an agent: every caller can in the sandbox, and only the operator in live. */
function requireAgent({ roles }: Caller): void {
  if (!roles.includes('agent')) throw forbidden('Only the operator of the service decides disputes here.')
}

/** `make-offer` is the operation `disputeMakeOffer`, so that names stay unique across the service. */
const operationName = (action: DisputeAction) =>
  `dispute${action.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())}`
