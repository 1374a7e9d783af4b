import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Sight } from '../access.ts'

/** Counts each state by the index of states, and only up to `$3`. */
const ofSellers = sql`
  select wanted.state, sum(counted.n)::int as count
  from unnest($1::text[]) as seller (id), unnest($2::text[]) as wanted (state)
    cross join lateral (select count(*) as n from (
      select from disputes where account_id = seller.id and seller_state = wanted.state limit $3) found) counted
  group by wanted.state`
const ofBuyer = sql`
  select wanted.state, (select count(*)::int from (
      select from disputes where buyer_account_id = $1 and buyer_state = wanted.state limit $3) counted) as count
  from unnest($2::text[]) as wanted (state)`

/** How many disputes of a sight are in each of these states. If there are many, at least `most`. */
export async function countStates(
  db: Reader,
  { sellers, buyer }: Sight,
  states: readonly string[],
  most: number,
): Promise<ReadonlyMap<string, number>> {
  type Row = { readonly state: string; readonly count: number }
  const read = await Promise.all([
    sellers.size === 0 ? [] : db.rows<Row>(ofSellers, [[...sellers.keys()], states, most]),
    buyer === undefined ? [] : db.rows<Row>(ofBuyer, [buyer, states, most]),
  ])
  const counts = new Map<string, number>()
  for (const { state, count } of read.flat()) counts.set(state, (counts.get(state) ?? 0) + count)
  return counts
}
