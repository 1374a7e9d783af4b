import { Answer, type AnyRoute, route } from '../../http/route.ts'
import { Money } from '../../kernel/money.ts'
import { notFound } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { findForCaller, viewerOf } from '../access.ts'
import type { House } from '../house.ts'
import { DisputeId } from '../schema/shown.ts'
import { actionRoute } from './actions.ts'
import { tag } from './parts.ts'

const base = '/v1/customer/disputes/:id'
const compensationScopes = ['disputes/read-buyer', 'disputes/read', 'disputes/update-buyer', 'operator'] as const

/** What a buyer may do besides the actions that have links, and the answer to one of them. */
export function buyerRoutes(house: House): AnyRoute[] {
  return [
    actionRoute(house, 'provide-refund-preference', { operation: 'provideRefundPreference' }),
    actionRoute(house, 'return-compensation', { operation: 'requestReturnCompensation' }),
    actionRoute(house, 'answer-compensation', {
      path: 'return-compensation/answer',
      operation: 'answerReturnCompensation',
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
