import { Answer, type AnyRoute, route } from '../../http/route.ts'
import { Money } from '../../kernel/money.ts'
import { notFound } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { actorOf, findForCaller, viewerOf } from '../access.ts'
import { act } from '../act.ts'
import { refuseTooMany } from '../documents.ts'
import type { House } from '../house.ts'
import { actionLinks } from '../links.ts'
import { disputeActions } from '../machine/actions/index.ts'
import { disputeLifecycle } from '../machine/lifecycle.ts'
import { limits } from '../machine/limits.ts'
import { DisputeId, LinksOnly } from '../schema/shown.ts'
import { tag, withFiles } from './parts.ts'

const base = '/v1/customer/disputes/:id'
const compensationScopes = ['disputes/read-buyer', 'disputes/read', 'disputes/update-buyer'] as const

/** Two things a buyer may do besides the actions that have links. */
export function buyerRoutes(house: House): AnyRoute[] {
  const { service } = house
  const { 'provide-refund-preference': preference, 'return-compensation': compensation } = disputeActions
  return [
    route({
      method: 'POST',
      url: `${base}/provide-refund-preference`,
      operation: 'provideRefundPreference',
      summary: preference.summary,
      tag,
      scopes: preference.scopes,
      params: DisputeId,
      body: preference.body,
      success: { 200: LinksOnly },
      precheck: async (db, caller, { id }) => void actorOf(await findForCaller(db, caller, id, preference.scopes)),
      async handle({ tx, caller, params, body }) {
        const found = await findForCaller(tx, caller, params.id, preference.scopes)
        await act(tx, house, found, actorOf(found), { action: 'provide-refund-preference', input: body })
        return actionLinks(service.publicUrl, params.id)
      },
    }),
    route({
      method: 'POST',
      url: `${base}/return-compensation`,
      operation: 'requestReturnCompensation',
      summary: compensation.summary,
      tag,
      scopes: compensation.scopes,
      params: DisputeId,
      body: compensation.body,
      ...withFiles,
      success: { 200: LinksOnly },
      precheck: async (db, caller, { id }) => void actorOf(await findForCaller(db, caller, id, compensation.scopes)),
      async handle({ tx, caller, params, body, files }) {
        const found = await findForCaller(tx, caller, params.id, compensation.scopes)
        const actor = actorOf(found)
        disputeLifecycle.require(found.dispute, actor.roles, 'return-compensation')
        refuseTooMany(files, limits.filesPerRequest)
        await act(tx, house, found, actor, { action: 'return-compensation', input: body, files })
        return actionLinks(service.publicUrl, params.id)
      },
    }),
    route({
      method: 'GET',
      url: `${base}/return-compensation`,
      operation: 'showReturnCompensation',
      summary: 'Show the compensation of the return postage',
      tag,
      scopes: compensationScopes,
      params: DisputeId,
      success: {
        200: Type.Object({
          status: Type.Enum(['REQUESTED', 'PAID', 'DENIED']),
          amount: Money,
          create_time: Type.String(),
        }),
      },
      reads: true,
      async handle({ db, caller, params }) {
        const found = await findForCaller(db, caller, params.id, compensationScopes)
        if (!found.held.scopes.has('disputes/update-buyer')) viewerOf(found)
        const { compensation: asked } = found.dispute
        if (!asked || found.side === 'seller') throw notFound('The compensation')
        return new Answer(200, { status: asked.status, amount: asked.amount, create_time: asked.create_time })
      },
    }),
  ]
}
