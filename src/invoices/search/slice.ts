import { type Fragment, fragment, raw } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'

/** A place in a list: how many to skip and how many to show. */
export interface Slice {
  readonly offset: number
  readonly limit: number
}

export const newestFirst = fragment`order by i.create_time desc, i.seq desc`

/**
 * A merchant in a form in which the planner does not see who it is. If it saw a merchant without statistics, it would expect
 * no invoices and sort all of them, instead of using the index that holds their order.
 */
export const anyMerchant = (accountId: string): Fragment => fragment`(select ${accountId}::text)`

/** First pages have few sizes, so their limit is part of the text. As a parameter, it would have every list planned anew. */
export const window = ({ offset, limit }: Slice): Fragment =>
  offset === 0 ? raw(`limit ${limit}`) : fragment`offset ${offset} limit ${limit}`

export async function hasMoreThan(db: Reader, count: number, rows: Fragment): Promise<boolean> {
  const { statement, values } = fragment`select 1 from (${rows} ${raw(`offset ${count} limit 1`)}) i`.toQuery()
  return (await db.row(statement, values)) !== undefined
}
