import { Answer, type AnyRoute, route } from '../../http/route.ts'
import { readerOf } from '../../http/validation/reader.ts'
import { fits } from '../../http/validation/validator.ts'
import { Money, normalise } from '../../kernel/money.ts'
import { forbidden, invalid, notFound, refused } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { actorOf, findForCaller, viewerOf } from '../access.ts'
import { announce } from '../act.ts'
import type { House } from '../house.ts'
import { PatchBody } from '../machine/actions/patch.ts'
import { isSound } from '../machine/amounts.ts'
import { disputeLifecycle } from '../machine/lifecycle.ts'
import { type Dispute, PartnerAction } from '../schema/dispute.ts'
import { LinksOnly } from '../schema/shown.ts'
import { saveDispute } from '../store.ts'
import { tag } from './parts.ts'
import { accepted, wantsAsync } from './receipts.ts'

const Params = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9-]+$' }),
  action_id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9_-]+$' }),
})
const url = '/v1/customer/disputes/:id/partner-actions/:action_id'
const readScopes = ['disputes/read-partner'] as const
const updateScopes = ['disputes/update-partner'] as const
const statuses = PartnerAction.properties.status

/** What a partner says it did: shown, and brought up to date. It never moves the dispute. */
export function partnerActionRoutes(house: House): AnyRoute[] {
  const { service } = house
  return [
    route({
      method: 'GET',
      url,
      operation: 'showPartnerAction',
      summary: 'Show a partner action',
      tag,
      scopes: readScopes,
      params: Params,
      success: { 200: PartnerAction },
      reads: true,
      async handle({ db, caller, params }) {
        const found = await findForCaller(db, caller, params.id, readScopes)
        viewerOf(found)
        return actionIn(found.dispute, params.action_id)
      },
    }),
    route({
      method: 'PATCH',
      url,
      operation: 'updatePartnerAction',
      summary: 'Change the status or amount of a partner action',
      tag,
      scopes: updateScopes,
      params: Params,
      body: PatchBody,
      success: { 204: null, 202: LinksOnly },
      precheck: async (db, caller, { id }) => void actorOf(await findForCaller(db, caller, id, updateScopes)),
      async handle({ tx, caller, params, body, headers }) {
        const found = await findForCaller(tx, caller, params.id, updateScopes)
        const { roles } = actorOf(found)
        if (!roles.includes('partner')) throw forbidden('Only a partner of the seller changes partner actions.')
        disputeLifecycle.require(found.dispute, roles, 'patch')
        const action = body.reduce(changed, actionIn(found.dispute, params.action_id))
        if (body.length > 0) {
          const others = found.dispute.partner_actions ?? []
          const updated = { ...action, update_time: tx.now }
          const partner_actions = others.map((one) => (one.id === action.id ? updated : one))
          const dispute: Dispute = { ...found.dispute, partner_actions, update_time: tx.now }
          saveDispute(tx, found.version, dispute)
          announce(tx, service, dispute, 'CUSTOMER.DISPUTE.UPDATED')
        }
        return wantsAsync(headers) ? accepted(tx, caller, service.publicUrl, found.dispute) : new Answer(204)
      },
    }),
  ]
}

function actionIn({ partner_actions = [] }: Dispute, id: string): PartnerAction {
  const action = partner_actions.find((one) => one.id === id)
  if (!action) throw notFound('The partner action')
  return action
}

const readMoney = readerOf(Money)

function changed(action: PartnerAction, entry: { op: string; path: string; value?: unknown }, i: number) {
  const { op, path } = entry
  const field = path === '/status' ? 'status' : path === '/amount' ? 'amount' : undefined
  if (!field) throw refused('NOT_PATCHABLE', 'Only /status and /amount can be changed.', `/${i}/path`)
  if (op !== 'replace') throw refused('INVALID_PATCH_OPERATION', 'Use replace.', `/${i}/op`)
  if (entry.value === undefined) throw refused('PATCH_VALUE_REQUIRED', 'replace needs a value.', `/${i}/value`)
  const value = field === 'amount' ? readMoney(entry.value) : entry.value
  const sound = field === 'status' ? fits(statuses, value) : fits(Money, value) && isSound(value)
  if (!sound) throw invalid(`/${i}/value`, `This is no ${field} of a partner action.`)
  return { ...action, [field]: field === 'amount' ? normalise(value as Money) : value } as PartnerAction
}
