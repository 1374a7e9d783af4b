import type { Connection } from '../../database/open.ts'
import { statementOf } from '../../database/sql.ts'
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

const columns = 'q.account_id, q.id, q.event_id, q.webhook_id, q.url, q.attempts, q.next_time, q.seq'

/** The earliest deliveries among those that `queue` selects, with what is shown of them. */
const earliestOf = (queue: string) =>
  statementOf(`
  select first.account_id, first.id, first.event_id, d.event_type, coalesce(first.url, w.url) as url, first.attempts,
    first.next_time
  from (${queue}) first
    join deliveries d on d.account_id = first.account_id and d.id = first.id
    left join webhooks w on w.account_id = first.account_id and w.id = first.webhook_id
  order by first.next_time, first.seq limit $1`)

/** Takes the earliest of each lane, and then the earliest of all. */
const earliest = earliestOf(`
  select q.* from generate_series(0, 2) as lanes (lane) cross join lateral (
    select ${columns} from delivery_queue q where q.lane = lanes.lane order by q.next_time limit $1) q`)

/** Found by their keys, account by account. A sandbox has few accounts. */
const earliestAbout = earliestOf(`
  select ${columns} from delivery_queue q where (q.account_id, q.id) in (
    select d.account_id, d.id from accounts a cross join unnest($2::text[]) as about (event_id)
      join deliveries d on d.account_id = a.id and d.event_id = about.event_id
    union
    select a.id, case when about.id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$' then about.id::uuid end
    from accounts a cross join unnest($2::text[]) as about (id))`)

/** The deliveries that are attempted next. With `about`, only those that have one of these ids or carry one of these events. */
export async function upcomingDeliveries(
  database: Connection,
  limit: number,
  about?: readonly string[],
): Promise<Upcoming[]> {
  const rows = await (about
    ? database.rows<WaitingDelivery>(earliestAbout, [limit, about])
    : database.rows<WaitingDelivery>(earliest, [limit]))
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
