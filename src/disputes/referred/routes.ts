import { Answer, type AnyRoute, route } from '../../http/route.ts'
import type { Instant } from '../../kernel/clock.ts'
import { neutralLiteral } from '../../kernel/dialect.ts'
import { type Link, Links } from '../../kernel/links.ts'
import { refused } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import { NOT_NOW } from '../machine/lifecycle.ts'
import { LinksOnly } from '../schema/shown.ts'
import { eligibilityRoute, scopes, tag } from './eligibility.ts'
import { keptDecision, keptReferral, keptRefund } from './kept.ts'
import { base, ListQuery, listFor, selfLink, urlOf } from './list.ts'
import { AdjudicationInfo, ReferBody, ReferredDispute, RefundInfo } from './schema.ts'
import { findReferral, insertReferral, saveReferral } from './store.ts'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9-]+$' }) })

/** Disputes that another marketplace decides: we are told of them, keep them, and close them when we are told the decision. */
export function referredRoutes(service: Service): AnyRoute[] {
  const { publicUrl } = service
  const self = (id: string): { links: Link[] } => ({ links: [selfLink(publicUrl, id)] })

  const refer = route({
    method: 'POST',
    url: base,
    operation: 'referDispute',
    summary: 'Refer a dispute that another marketplace decides',
    tag,
    scopes,
    body: ReferBody,
    success: { 201: LinksOnly },
    async handle({ tx, caller, body }) {
      const { reference_dispute, ...told } = keptReferral(body)
      const id = tx.newId('dispute')
      insertReferral(tx, caller.accountId, {
        ...told,
        id,
        create_time: tx.now,
        update_time: tx.now,
        reference_disputes: [reference_dispute],
        status: 'OPEN',
      })
      return new Answer(201, self(id))
    },
  })

  const list = route({
    method: 'GET',
    url: base,
    operation: 'listReferredDisputes',
    summary: 'List referred disputes',
    tag,
    scopes,
    query: ListQuery,
    success: {
      200: Type.Object({
        items: Type.Array(Type.Unsafe<object>({ type: 'object' }), { maxItems: 100 }),
        total_items: Type.Integer(),
        total_pages: Type.Integer(),
        links: Links,
      }),
    },
    reads: true,
    fromReplica: true,
    handle: ({ db, caller, query }) => listFor(db, caller.accountId, query, publicUrl),
  })

  const show = route({
    method: 'GET',
    url: `${base}/:id`,
    operation: 'showReferredDispute',
    summary: 'Show a referred dispute',
    tag,
    scopes,
    params: Id,
    success: { 200: ReferredDispute },
    reads: true,
    async handle({ db, caller, params }) {
      const { dispute } = await findReferral(db, caller.accountId, params.id)
      const events = dispute.status === 'OPEN' ? ['process-refund-event', 'process-adjudication-event'] : []
      const links = [
        ...self(dispute.id).links,
        ...events.map((rel) => ({ href: `${urlOf(publicUrl, dispute.id)}/${rel}`, rel, method: 'POST' })),
      ]
      const { refund_info } = dispute
      return {
        ...dispute,
        ...(refund_info && {
          refund_info: { ...refund_info, transaction_source: service.dialect.literal(refund_info.transaction_source) },
        }),
        links,
      }
    },
  })

  const refunded = route({
    method: 'POST',
    url: `${base}/:id/process-refund-event`,
    operation: 'processReferredRefund',
    summary: 'Tell of a refund in a referred dispute',
    tag,
    scopes,
    params: Id,
    body: RefundInfo,
    success: { 200: LinksOnly },
    precheck: async (db, caller, { id }) => void (await findReferral(db, caller.accountId, id)),
    async handle({ tx, caller, params, body }) {
      const { dispute, version } = await findReferral(tx, caller.accountId, params.id)
      requireOpen(dispute)
      const source = neutralLiteral(body.transaction_source) as 'SERVICE' | 'OTHER'
      const refund_info = { ...keptRefund(body), transaction_source: source }
      saveReferral(tx, caller.accountId, version, { ...dispute, refund_info, update_time: tx.now })
      return self(params.id)
    },
  })

  const adjudicated = route({
    method: 'POST',
    url: `${base}/:id/process-adjudication-event`,
    operation: 'processReferredAdjudication',
    summary: 'Tell of the decision in a referred dispute',
    tag,
    scopes,
    params: Id,
    body: AdjudicationInfo,
    success: { 200: LinksOnly },
    precheck: async (db, caller, { id }) => void (await findReferral(db, caller.accountId, id)),
    async handle({ tx, caller, params, body }) {
      const { dispute, version } = await findReferral(tx, caller.accountId, params.id)
      requireOpen(dispute)
      saveReferral(tx, caller.accountId, version, decided(dispute, keptDecision(body), tx.now))
      return self(params.id)
    },
  })

  return [refer, list, show, refunded, adjudicated, eligibilityRoute()]
}

function requireOpen({ status }: ReferredDispute): void {
  if (status !== 'OPEN') throw refused(NOT_NOW, 'This referred dispute is closed.')
}

/** The dispute with what the marketplace told of its decision, which closes it. */
function decided(dispute: ReferredDispute, told: ReturnType<typeof keptDecision>, now: Instant): ReferredDispute {
  const { outcome, items, evidences, messages, dispute_reason, extensions, closure_reason, dispute_amount } = told
  return {
    ...dispute,
    status: 'CLOSED',
    outcome: { ...outcome, resolution_date: outcome.resolution_date ?? now },
    ...(dispute_reason && { reason: dispute_reason }),
    ...(dispute_amount && { dispute_amount }),
    ...(closure_reason !== undefined && { closure_reason }),
    ...(extensions && { extensions: { ...dispute.extensions, ...extensions } }),
    ...(items && { transaction: { ...dispute.transaction, items } }),
    ...(evidences && { evidences: [...(dispute.evidences ?? []), ...evidences] }),
    ...(messages && { messages: [...(dispute.messages ?? []), ...messages] }),
    update_time: now,
  }
}
