import type { Reader } from '../../database/transaction.ts'
import { type Instant, parseInstant } from '../../kernel/clock.ts'
import type { Link } from '../../kernel/links.ts'
import type { Money } from '../../kernel/money.ts'
import { invalid } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { type ReferredDispute, referredFlows } from './schema.ts'
import { countReferrals, listReferrals, type ReferralPlace } from './store.ts'

export const base = '/v1/customer/referred-disputes'
export const urlOf = (publicUrl: string, id: string) => `${publicUrl}${base}/${id}`
export const selfLink = (publicUrl: string, id: string): Link => ({
  href: urlOf(publicUrl, id),
  rel: 'self',
  method: 'GET',
})

export const ListQuery = Type.Object({
  create_time_after: Type.String({ minLength: 20, maxLength: 64 }),
  create_time_before: Type.String({ minLength: 20, maxLength: 64 }),
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 50 })),
  page_token: Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9+/=]+$' })),
  status: Type.Optional(Type.Enum(['OPEN', 'CLOSED'])),
  dispute_flows: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
})
type ListQuery = Static<typeof ListQuery>

const PAGE_SIZE = 10

/** A page of referred disputes, and the links to those around it. */
export async function listFor(db: Reader, accountId: string, query: ListQuery, publicUrl: string) {
  const size = query.page_size ?? PAGE_SIZE
  const listing = {
    accountId,
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
  // Somebody who went backwards came from the page behind this one, so there is a next page.
  const hasNext = rows.length > size || at?.backwards
  const link = (rel: string, token?: string): Link => ({ href: addressOf(publicUrl, query, token), rel, method: 'GET' })
  return {
    items: shown.map((dispute) => ({ ...summaryOf(dispute), links: [selfLink(publicUrl, dispute.id)] })),
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
}

/** The address of the same list at another place. */
function addressOf(
  publicUrl: string,
  { page_token: _token, ...filters }: ListQuery,
  token: string | undefined,
): string {
  const asked = Object.entries({ ...filters, ...(token && { page_token: token }) })
  const texts = asked.map(([name, value]): [string, string] => [name, String(value)])
  return `${publicUrl}${base}?${new URLSearchParams(texts)}`
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
