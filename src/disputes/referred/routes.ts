import { Answer, type AnyRoute, route } from '../../http/route.ts'
import { type Instant, parseInstant } from '../../kernel/clock.ts'
import { neutralLiteral } from '../../kernel/dialect.ts'
import { type Link, Links } from '../../kernel/links.ts'
import type { Money } from '../../kernel/money.ts'
import { invalid, refused } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import type { Service } from '../../room.ts'
import { NOT_NOW } from '../machine/lifecycle.ts'
import { LinksOnly } from '../schema/shown.ts'
import { eligibilityRoute, scopes, tag } from './eligibility.ts'
import { keptDecision, keptReferral, keptRefund } from './kept.ts'
import { AdjudicationInfo, ReferBody, ReferredDispute, RefundInfo, referredFlows } from './schema.ts'
import {
  countReferrals,
  findReferral,
  insertReferral,
  listReferrals,
  type ReferralPlace,
  saveReferral,
} from './store.ts'

const base = '/v1/customer/referred-disputes'
const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9-]+$' }) })

const ListQuery = Type.Object({
  create_time_after: Type.String({ minLength: 20, maxLength: 64 }),
  create_time_before: Type.String({ minLength: 20, maxLength: 64 }),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
  page_token: Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9+/=]+$' })),
  status: Type.Optional(Type.Enum(['OPEN', 'CLOSED'])),
  dispute_flows: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
})

/** What another marketplace decides: told to us, kept, and closed when the decision is told. */
export function referredRoutes(service: Service): AnyRoute[] {
  const urlOf = (id: string) => `${service.publicUrl}${base}/${id}`
  const self = (id: string): { links: Link[] } => ({ links: [{ href: urlOf(id), rel: 'self', method: 'GET' }] })

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
    async handle({ db, caller, query }) {
      const size = query.page_size ?? 10
      const listing = {
        accountId: caller.accountId,
        from: instant(query.create_time_after, 'create_time_after'),
        before: instant(query.create_time_before, 'create_time_before'),
        status: query.status,
        flows: flowsIn(query.dispute_flows),
      }
      const { page, at } = readToken(query.page_token)
      const rows = await listReferrals(db, listing, size + 1, at)
      const total = await countReferrals(db, listing)
      const read = rows.slice(0, size)
      const shown = at?.backwards ? read.toReversed() : read
      const [first, last] = [shown.at(0), shown.at(-1)]
      // Whoever came back to a page came from the one behind it.
      const hasNext = rows.length > size || at?.backwards
      const { page_token: _token, ...filters } = query
      const link = (rel: string, token?: string): Link => {
        const all = Object.entries({ ...filters, ...(token && { page_token: token }) }).map(([n, v]) => [n, String(v)])
        return {
          href: `${service.publicUrl}${base}?${new URLSearchParams(all as [string, string][])}`,
          rel,
          method: 'GET',
        }
      }
      return {
        items: shown.map((dispute) => ({ ...summaryOf(dispute), ...self(dispute.id) })),
        total_items: total,
        total_pages: Math.ceil(total / size),
        links: [
          link('self', query.page_token),
          link('first'),
          ...(last && hasNext ? [link('next', pageToken(page + 1, last))] : []),
          ...(page === 2 ? [link('prev')] : []),
          ...(page > 2 && first ? [link('prev', pageToken(page - 1, first, 'back'))] : []),
        ],
      }
    },
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
        ...events.map((rel) => ({ href: `${urlOf(dispute.id)}/${rel}`, rel, method: 'POST' })),
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
      const { outcome, items, evidences, messages, dispute_reason, extensions, closure_reason, dispute_amount } =
        keptDecision(body)
      const closed: ReferredDispute = {
        ...dispute,
        status: 'CLOSED',
        outcome: { ...outcome, resolution_date: outcome.resolution_date ?? tx.now },
        ...(dispute_reason && { reason: dispute_reason }),
        ...(dispute_amount && { dispute_amount }),
        ...(closure_reason !== undefined && { closure_reason }),
        ...(extensions && { extensions: { ...dispute.extensions, ...extensions } }),
        ...(items && { transaction: { ...dispute.transaction, items } }),
        ...(evidences && { evidences: [...(dispute.evidences ?? []), ...evidences] }),
        ...(messages && { messages: [...(dispute.messages ?? []), ...messages] }),
        update_time: tx.now,
      }
      saveReferral(tx, caller.accountId, version, closed)
      return self(params.id)
    },
  })

  return [refer, list, show, refunded, adjudicated, eligibilityRoute()]
}

function requireOpen({ status }: ReferredDispute): void {
  if (status !== 'OPEN') throw refused(NOT_NOW, 'This referred dispute is closed.')
}

const summaryOf = ({
  id,
  create_time,
  update_time,
  reference_disputes,
  reason,
  status,
  dispute_flow,
  transaction,
  dispute_amount,
}: ReferredDispute) => ({
  dispute_id: id,
  create_time,
  update_time,
  reference_disputes,
  ...((dispute_amount ?? transaction.gross_amount) && {
    dispute_amount: (dispute_amount ?? transaction.gross_amount) as Money,
  }),
  ...(reason && { reason }),
  status,
  ...(dispute_flow && { dispute_flow }),
})

function instant(given: string, field: string): Instant {
  const read = parseInstant(given)
  if (!read) throw invalid(field, 'Write an RFC 3339 date-time with seconds.', 'INVALID_PARAMETER_SYNTAX')
  return read
}

function flowsIn(given: string | undefined): string[] | undefined {
  if (given === undefined) return undefined
  const list = given.split(',').map((value) => value.trim())
  if (!list.every((value) => referredFlows.some((known) => known === value)))
    throw invalid('dispute_flows', `Known values: ${referredFlows.join(', ')}.`)
  return list
}

const pageToken = (page: number, { create_time, id }: ReferredDispute, way = 'on') =>
  Buffer.from([page, create_time, id, ...(way === 'on' ? [] : [way])].join(' ')).toString('base64')

function readToken(token: string | undefined): { page: number; at?: ReferralPlace } {
  if (token === undefined) return { page: 1 }
  const [page = '', time = '', id = '', way = 'on'] = Buffer.from(token, 'base64').toString('latin1').split(' ')
  if (!/^\d{1,9}$/.test(page) || !parseInstant(time) || id === '' || !/^(on|back)$/.test(way))
    throw invalid('page_token', 'Send the token of a link as it is.')
  return { page: Number(page), at: { time, id, backwards: way === 'back' } }
}
