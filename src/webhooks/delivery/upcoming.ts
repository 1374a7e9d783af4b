import type { Connection } from '../../database/open.ts'
import { sql } from '../../database/sql.ts'
import type { Upcoming } from '../../jobs/work-source.ts'
import type { Instant } from '../../kernel/clock.ts'

interface WaitingDelivery {
  readonly account_id: string
  readonly id: string
  readonly event_id: string
  readonly event_type: string
  readonly url: string | null
  readonly attempts: number
  readonly next_time: Instant
}

/** The first of each lane, and of these the first. */
const earliest = sql`
  select first.account_id, first.id, first.event_id, d.event_type, coalesce(first.url, w.url) as url, first.attempts,
    first.next_time
  from generate_series(0, 2) as lanes (lane)
    cross join lateral (
      select q.account_id, q.id, q.event_id, q.webhook_id, q.url, q.attempts, q.next_time, q.seq from delivery_queue q
      where q.lane = lanes.lane and ($2::text[] is null or q.event_id = any($2) or q.id::text = any($2)) order by q.next_time limit $1) first
    join deliveries d on d.account_id = first.account_id and d.id = first.id
    left join webhooks w on w.account_id = first.account_id and w.id = first.webhook_id
  order by first.next_time, first.seq limit $1`

/** The deliveries that are attempted next; only those with one of these ids, or of these events, where any are given. */
export async function upcomingDeliveries(
  database: Connection,
  limit: number,
  about?: readonly string[],
): Promise<Upcoming[]> {
  const rows = await database.rows<WaitingDelivery>(earliest, [limit, about ?? null])
  return rows.map((row) => ({
    work: 'deliver-webhook',
    at: row.next_time,
    what: `Attempt ${row.attempts + 1} to deliver ${row.event_type} to ${row.url?.split('?', 1)[0] ?? 'a webhook that is gone'}.`,
    accountId: row.account_id,
    subject: row.event_id,
    key: row.id,
    attempts: row.attempts,
  }))
}
