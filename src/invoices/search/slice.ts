import { type Fragment, fragment, raw } from '../../database/sql.ts'

/** A place in a list: how many to skip and how many to show. */
export interface Slice {
  readonly offset: number
  readonly limit: number
}

export const newestFirst = fragment`order by i.create_time desc, i.seq desc`

/**
 * A merchant as the planner is to see them. By name it takes one it has not counted yet for one without invoices, and sorts
 * all of them rather than go by the index that holds their order.
 */
export const anyMerchant = (accountId: string): Fragment => fragment`(select ${accountId}::text)`

/** A first page has few sizes, so its limit is part of the text: as a parameter it would have every list planned anew. */
export const window = ({ offset, limit }: Slice): Fragment =>
  offset === 0 ? raw(`limit ${limit}`) : fragment`offset ${offset} limit ${limit}`
