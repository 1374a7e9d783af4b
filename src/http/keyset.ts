import type { Link } from '../kernel/links.ts'
import { invalid } from '../kernel/problem.ts'
import { Type } from '../kernel/type.ts'

/** A place in a list that is sorted by time and then by number. */
export interface Place {
  readonly create_time: string
  readonly seq: bigint
}

/** No entry has a larger number: a list that is read newest first by its numbers begins here. */
export const SEQ_END = 2n ** 63n - 1n

/** Sorts after every possible entry: a list that is read newest first begins here. */
export const END: Place = { create_time: '9999-12-31T23:59:59.999Z', seq: SEQ_END }

/** The form of an entry's number, as a parameter that says where a list goes on. */
export const seqForm = { maxLength: 18, pattern: '^[0-9]{1,18}$' }

/** The parameters of a list that is read page by page. A page costs the same however long the list is. */
export const keysetQuery = (pageSizeDefault: number, pageSizeMax: number) => ({
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax, default: pageSizeDefault })),
  page_token: Type.Optional(
    Type.String({ minLength: 1, maxLength: 64, description: 'Where a page starts, as the link to it says.' }),
  ),
})

/** The same of a list that is sorted by the numbers of its entries alone. */
export const seqQuery = (pageSizeDefault: number, pageSizeMax: number) => ({
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: pageSizeMax, default: pageSizeDefault })),
  page_token: Type.Optional(Type.String({ ...seqForm, description: 'As the link to the next page says.' })),
})

/** The number that a page token of such a list names. Without a token, the page begins with the newest entry. */
export const seqOf = (token: string | undefined): bigint => (token === undefined ? SEQ_END : BigInt(token))

/** The place that a page token names. Without a token, the newest. */
export function placeOf(token: string | undefined): Place {
  if (token === undefined) return END
  const [, create_time, seq] = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)\.(\d{1,18})$/.exec(token) ?? []
  if (create_time === undefined || seq === undefined)
    throw invalid('page_token', 'Take it from the link to the next page.', 'INVALID_PARAMETER_SYNTAX')
  return { create_time, seq: BigInt(seq) }
}

/** Cuts what was read, one more than fits, down to the page, and links the next if there is one. */
export function pageOf<Row extends Place>(
  read: readonly Row[],
  size: number,
  { url, query }: { url: string; query: { readonly page_token?: string } },
): { rows: readonly Row[]; links: Link[] } {
  const rows = read.slice(0, size)
  const last = read.length > size ? rows.at(-1) : undefined
  return { rows, links: pageLinks(url, query, last && `${last.create_time}.${last.seq}`) }
}

/** Links to this page, and to the next one if there is a token for it. */
export function pageLinks(url: string, query: object, nextToken: string | undefined): Link[] {
  const link = (rel: string, changes: { readonly page_token?: string }): Link => {
    const parameters = new URLSearchParams()
    for (const [name, value] of Object.entries({ ...query, ...changes })) parameters.set(name, String(value))
    return { href: parameters.size === 0 ? url : `${url}?${parameters}`, rel, method: 'GET' }
  }
  const next = nextToken === undefined ? [] : [link('next', { page_token: nextToken })]
  return [link('self', {}), ...next]
}
