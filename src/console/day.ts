import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import type { Caller } from '../kernel/caller.ts'
import { after, type Instant } from '../kernel/clock.ts'

/** How much went well within an hour, and how much failed. */
export interface Hour {
  readonly from: Instant
  readonly fine: number
  readonly failed: number
}

const HOURS = 24
/** Only the newest deliveries of a busy day are looked at: a picture must not cost more than the list below it. */
const LOOKED_AT_MAX = 10_000

const startOf = (at: Instant) => `${at.slice(0, 13)}:00:00.000Z` as Instant

const byHour = sql`
  select substr(transmit_time, 1, 13) as hour, count(*) filter (where failure is null)::int as fine,
    count(*) filter (where failure is not null)::int as failed
  from (select transmit_time, failure from deliveries where account_id = $1 and app_id = $2 and transmit_time >= $3
    order by transmit_time desc limit $4) newest
  group by 1`

/** In each hour no more than this are counted. */
export const OF_HOUR_MAX = 1_000

const byHourOfAll = sql`
  select h.start_time as hour,
    (select count(*)::int from (
      select from audit_log where create_time >= h.start_time and create_time < h.end_time limit $3) changed) as fine,
    (select count(*)::int from (
      select from jobs where parked_time >= h.start_time and parked_time < h.end_time limit $3) failed) as failed
  from unnest($1::text[], $2::text[]) as h (start_time, end_time)`

/** What was changed in all accounts in the last 24 hours, hour by hour, and the jobs that failed for good. */
export async function changesOfDay(db: Reader, now: Instant): Promise<Hour[]> {
  const starts = Array.from({ length: HOURS + 1 }, (_, i) => startOf(after(now, -(HOURS - 1 - i) * 3_600)))
  const rows = await db.rows<{ hour: Instant; fine: number; failed: number }>(byHourOfAll, [
    ...[starts.slice(0, HOURS), starts.slice(1), OF_HOUR_MAX],
  ])
  return starts.slice(0, HOURS).map((from) => {
    const { fine = 0, failed = 0 } = rows.find(({ hour }) => hour === from) ?? {}
    return { from, fine, failed }
  })
}

/** The deliveries of an app in the last 24 hours, hour by hour, the oldest first. */
export async function deliveriesOfDay(
  db: Reader,
  { accountId, appId }: Pick<Caller, 'accountId' | 'appId'>,
  now: Instant,
): Promise<Hour[]> {
  const hours = Array.from({ length: HOURS }, (_, i) => after(now, -(HOURS - 1 - i) * 3_600))
  const from = startOf(hours[0]!)
  const rows = await db.rows<{ hour: string; fine: number; failed: number }>(byHour, [
    ...[accountId, appId, from, LOOKED_AT_MAX],
  ])
  return hours.map((at) => {
    const { fine = 0, failed = 0 } = rows.find(({ hour }) => hour === at.slice(0, 13)) ?? {}
    return { from: startOf(at), fine, failed }
  })
}
