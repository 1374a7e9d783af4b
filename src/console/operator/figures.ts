import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { lanes } from '../../webhooks/dispatch/lanes.ts'

/** Counted no further than this; a page says so. */
export const COUNTED_MAX = 1_000

/** How the whole service is doing, each part by an index and not far. */
export interface Figures {
  readonly accounts: number
  readonly due: number
  readonly oldest: string | null
  readonly parked: number
  readonly decisions: number
  readonly waiting_since: string | null
  readonly pending: number
  readonly disabled: number
  readonly lanes: Readonly<Record<string, number>> | null
}

const figures = sql`
  select
    (select count(*)::int from (select from accounts limit $1) a) as accounts,
    (select count(*)::int from (select from jobs where parked_time is null and run_at <= $2 limit $1) d) as due,
    (select min(run_at) from jobs where parked_time is null and run_at <= $2) as oldest,
    (select count(*)::int from (select from jobs where parked_time is not null limit $1) p) as parked,
    (select count(*)::int from (select from disputes where status = 'UNDER_REVIEW' limit $1) r) as decisions,
    (select update_time from disputes where status = 'UNDER_REVIEW' order by update_time limit 1) as waiting_since,
    (select count(*)::int from (select from delivery_queue limit $1) q) as pending,
    (select count(*)::int from (select from webhooks where not enabled limit $1) w) as disabled,
    (select json_object_agg(l.lane, (select count(*)::int from (
        select from delivery_queue q where q.lane = l.lane and q.account_id is not null limit $1) waiting))
      from unnest($3::int[]) as l (lane)) as lanes`

export const readFigures = async (db: Reader, now: string): Promise<Figures> =>
  (await db.row<Figures>(figures, [COUNTED_MAX, now, Object.values(lanes)]))!

/** A webhook that much waits for. */
export interface Laggard {
  readonly account_id: string
  readonly webhook_id: string
  readonly account: string | null
  readonly url: string | null
  readonly enabled: boolean | null
  readonly waiting: number
  readonly attempts: number
  readonly next_time: string
}

/** Of the newest that failed or keep us waiting: who has most. */
const laggards = sql`
  select q.account_id, q.webhook_id, a.body->>'name' as account, w.url, w.enabled, q.waiting, q.attempts, q.next_time
  from (
    select account_id, webhook_id, count(*)::int as waiting, max(attempts) as attempts, min(next_time) as next_time
    from (select account_id, webhook_id, attempts, next_time from delivery_queue where lane = $1 limit $2) late
    group by account_id, webhook_id order by count(*) desc, webhook_id limit 20) q
    left join webhooks w on w.account_id = q.account_id and w.id = q.webhook_id
    left join accounts a on a.id = q.account_id
  order by q.waiting desc, q.webhook_id`

export const worstWebhooks = (db: Reader): Promise<Laggard[]> => db.rows<Laggard>(laggards, [lanes.cold, COUNTED_MAX])

const names = sql`select id, name from console_people where id = any($1::text[])`

/** What people are called, by their ids. */
export async function namesOf(db: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows<{ id: string; name: string }>(names, [[...new Set(ids)]])
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** A number that stopped being counted says so. */
export const counted = (n: number): string => (n >= COUNTED_MAX ? `${COUNTED_MAX} or more` : n.toLocaleString('en-US'))
