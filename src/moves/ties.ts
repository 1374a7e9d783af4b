import type { Database } from '../database/open.ts'
import { sql } from '../database/sql.ts'

/** Something that two accounts have in common, which must be in one database. */
export interface Tie {
  readonly by: 'a consent' | 'a dispute' | 'a payment' | 'an event'
  readonly id: string
}

/** There is no index for some of it, and no need for one. */
const patience = sql`
  select set_config('statement_timeout', '600000', true), set_config('enable_seqscan', 'on', true)`
const ties = sql`
  select t.by, t.id from (
  select 'a consent' as by, other.id from consents c join apps a on a.id = c.app_id
    cross join lateral (select case when c.account_id = any($1::text[]) then a.account_id else c.account_id end as id) other
  where (c.account_id = any($1::text[])) <> (a.account_id = any($1::text[]))
  union
  select 'a dispute', case when d.account_id = any($1::text[]) then d.buyer_account_id else d.account_id end
  from disputes d where d.buyer_account_id is not null
    and (d.account_id = any($1::text[])) <> (d.buyer_account_id = any($1::text[]))
  union
  select 'a payment', case when p.account_id = any($1::text[]) then p.body#>>'{buyer,account_id}' else p.account_id end
  from payment_transactions p where p.body#>>'{buyer,account_id}' is not null
    and (p.account_id = any($1::text[])) <> (p.body#>>'{buyer,account_id}' = any($1::text[]))
  union
  select 'an event', case when a.account_id = any($1::text[]) then a.event_account_id else a.account_id end
  from event_audience a where (a.account_id = any($1::text[])) <> (a.event_account_id = any($1::text[]))
  ) t
  -- Who lives in another cell is known in every one.
  where not exists (select from accounts o where o.id = t.id and o.cell is not null)
  order by 2, 1 limit 20`

/** What the accounts share with others that stay. */
export const findTies = (db: Database, ids: readonly string[]): Promise<Tie[]> =>
  db.transaction(async (connection) => {
    await connection.rows(patience)
    return connection.rows<Tie>(ties, [ids])
  })
