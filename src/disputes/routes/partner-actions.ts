import { Answer, type AnyRoute, route } from '../../http/route.ts'
import { forbidden } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { actorOf, findForCaller, viewerOf } from '../access.ts'
import { act } from '../act.ts'
import type { House } from '../house.ts'
import { PatchBody } from '../machine/actions/patch.ts'
import { partnerActionIn, updatePartnerAction } from '../machine/actions/update-partner-action.ts'
import { disputeLifecycle } from '../machine/lifecycle.ts'
import { PartnerAction } from '../schema/dispute.ts'
import { LinksOnly } from '../schema/shown.ts'
import { tag } from './parts.ts'
import { accepted, wantsAsync } from './receipts.ts'

const Params = Type.Object({
  id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9-]+$' }),
  action_id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9_-]+$' }),
})
const url = '/v1/customer/disputes/:id/partner-actions/:action_id'
const readScopes = ['disputes/read-partner'] as const
const updateScopes = updatePartnerAction.scopes

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
        return partnerActionIn(found.dispute, params.action_id)
      },
    }),
    route({
      method: 'PATCH',
      url,
      operation: 'updatePartnerAction',
      summary: updatePartnerAction.summary,
      tag,
      scopes: updateScopes,
      params: Params,
      body: PatchBody,
      success: { 204: null, 202: LinksOnly },
      precheck: async (db, caller, { id }) => void actorOf(await findForCaller(db, caller, id, updateScopes)),
      async handle({ tx, caller, params, body, headers }) {
        const found = await findForCaller(tx, caller, params.id, updateScopes)
        const actor = actorOf(found)
        if (!actor.roles.includes('partner')) throw forbidden('Only a partner of the seller changes partner actions.')
        const input = { action_id: params.action_id, entries: body }
        if (body.length > 0) await act(tx, house, found, actor, { action: 'update-partner-action', input })
        else {
          disputeLifecycle.require(found.dispute, actor.roles, 'update-partner-action')
          partnerActionIn(found.dispute, params.action_id)
        }
        return wantsAsync(headers) ? accepted(tx, caller, service.publicUrl, found.dispute) : new Answer(204)
      },
    }),
  ]
}
