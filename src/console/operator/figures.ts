import { BROADCAST } from '../../database/broadcast.ts'
import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { after, type Instant } from '../../kernel/clock.ts'
import { lanes } from '../../webhooks/dispatch/lanes.ts'

/** Nothing is counted further than this, and a page says so. */
export const COUNTED_MAX = 1_000

/** How the whole service is doing. Each part is read by an index, and only up to a limit. */
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

/** A webhook for which much is waiting. */
export interface Laggard {
  readonly account_id: string
  readonly webhook_id: string
  readonly account: string | null
  readonly url: string | null
  readonly enabled: boolean | null
  readonly waiting: number
  readonly attempts: number
  readonly next_time: string
  /** Of its newest deliveries of a day: how many there are, and how many were attempted and did not arrive. */
  readonly sent: number
  readonly failed: number
  /** How the last attempt ended for the delivery that is to be attempted next. */
  readonly status: number | null
  readonly error: string | null
}

/** How many of the newest deliveries of each webhook are looked at. */
export const SHARED_OVER = 100

/**
 * Of what is attempted next for webhooks that failed or keep us waiting: who has most of it, what share of theirs failed, and
 * how.
 */
const laggards = sql`
  select q.account_id, q.webhook_id, a.body->>'name' as account, w.url, w.enabled, q.waiting, q.attempts, q.next_time,
    share.sent, share.failed, last.http_status as status, last.error
  from (
    select account_id, webhook_id, count(*)::int as waiting, max(attempts) as attempts, min(next_time) as next_time
    from (select account_id, webhook_id, attempts, next_time from delivery_queue where lane = $1
      order by next_time limit $2) late
    group by account_id, webhook_id order by count(*) desc, webhook_id limit $5) q
    left join webhooks w on w.account_id = q.account_id and w.id = q.webhook_id
    left join accounts a on a.id = q.account_id
    cross join lateral (
      select count(*)::int as sent, count(*) filter (where d.failure is not null or late.attempts > 0)::int as failed
      from (select account_id, id, failure from deliveries
          where account_id = q.account_id and webhook_id = q.webhook_id and transmit_time >= $3
          order by transmit_time desc, id desc limit $4) d
        left join lateral (
          select attempts from delivery_queue q where q.account_id = d.account_id and q.id = d.id offset 0) late on true) share
    left join lateral (
      select t.http_status, t.error from (
          select account_id, id from delivery_queue
          where lane + 0 = $1 and webhook_id || '' = q.webhook_id and account_id || '' = q.account_id order by next_time, seq limit 1) longest
        cross join lateral (
          select http_status, error from delivery_attempts
          where account_id = longest.account_id and delivery_id = longest.id order by number desc limit 1) t) last on true
  order by q.waiting desc, q.webhook_id`

const DAY_SECONDS = 86_400

export const worstWebhooks = (db: Reader, now: Instant, limit: number): Promise<Laggard[]> =>
  db.rows<Laggard>(laggards, [lanes.cold, COUNTED_MAX, after(now, -DAY_SECONDS), SHARED_OVER, limit])

const listening = sql`
  select split_part(application_name, ' ', 3) as version, count(*)::int as count from pg_stat_activity
  where datname = current_database() and application_name like $1 group by 1 order by 1`

/** How many processes there are, by version: each holds one connection on which it listens. */
export const processesOf = (db: Reader): Promise<{ version: string; count: number }[]> =>
  db.rows(listening, [`${BROADCAST} %`])

const names = sql`select id, name from console_people where id = any($1::text[])`

/** What people are called, by their ids. */
export async function namesOf(db: Reader, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  if (ids.length === 0) return new Map()
  const rows = await db.rows<{ id: string; name: string }>(names, [[...new Set(ids)]])
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** A number in words; one at which counting stopped says that there may be more. */
export const counted = (n: number): string => (n >= COUNTED_MAX ? `${COUNTED_MAX} or more` : n.toLocaleString('en-US'))
