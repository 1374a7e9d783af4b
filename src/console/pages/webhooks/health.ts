import { sql } from '../../../database/sql.ts'
import type { Reader } from '../../../database/transaction.ts'
import { type Content, html } from '../../../http/html.ts'
import type { Caller } from '../../../kernel/caller.ts'
import { after, type Instant } from '../../../kernel/clock.ts'
import { type Lane, lanes } from '../../../webhooks/dispatch/lanes.ts'
import { failureWords } from '../../words.ts'

/** How a webhook has been doing for the last day. */
export interface Health {
  readonly id: string
  readonly lane: Lane
  readonly waiting: number
  readonly next_time: string | null
  /** Of its newest deliveries of the day: how many there are, and how many of them arrived. */
  readonly sent: number
  readonly arrived: number
  /** Of those that were answered: the time within which half of them were, and the time of the slowest. */
  readonly half_ms: number | null
  readonly slowest_ms: number | null
  /** The last answer: a status, or why there was none. */
  readonly last: string | null
}

const WAITING_COUNTED_MAX = 1_000
/** How many of the newest deliveries of each webhook are looked at. */
export const LOOKED_AT = 50
const DAY_SECONDS = 86_400

// Each row of the queue is looked up by itself: a plan made while the queue was empty would read all of it for each webhook.
const healthOf = sql`
  select w.id, w.lane, waiting.n as waiting, next.next_time, share.*
  from webhooks w
    cross join lateral (
      select count(*)::int as n from (
        select from delivery_queue where webhook_id = w.id and account_id || '' = w.account_id order by resource_id, seq limit $5) queued) waiting
    left join lateral (
      select next_time from delivery_queue
      where lane + 0 = w.lane and webhook_id || '' = w.id and account_id || '' = w.account_id order by next_time, seq limit 1) next on true
    cross join lateral (
      select count(*)::int as sent, count(*) filter (where d.failure is null and q.id is null)::int as arrived,
        percentile_disc(0.5) within group (order by a.duration_ms) filter (where a.http_status is not null) as half_ms,
        max(a.duration_ms) filter (where a.http_status is not null) as slowest_ms,
        (array_agg(coalesce(a.http_status::text, a.error) order by a.attempt_time desc)
          filter (where a.attempt_time is not null))[1] as last
      from (
          select account_id, id, failure from deliveries
          where account_id = w.account_id and webhook_id = w.id and transmit_time >= $4
          order by transmit_time desc, id desc limit $6) d
        left join lateral (select id from delivery_queue q where q.account_id = d.account_id and q.id = d.id offset 0) q on true
        left join lateral (
          select http_status, error, duration_ms, attempt_time from delivery_attempts t
          where t.account_id = d.account_id and t.delivery_id = d.id order by t.number desc limit 1) a on true) share
  where w.account_id = $1 and w.app_id = $2 and w.id = any($3::text[])`

/** How webhooks of an app are doing, by their ids. */
export async function findHealth(
  db: Reader,
  { accountId, appId }: Pick<Caller, 'accountId' | 'appId'>,
  ids: readonly string[],
  now: Instant,
): Promise<ReadonlyMap<string, Health>> {
  const asked = [accountId, appId, ids, after(now, -DAY_SECONDS), WAITING_COUNTED_MAX, LOOKED_AT]
  const rows = ids.length === 0 ? [] : await db.rows<Health>(healthOf, asked)
  return new Map(rows.map((row) => [row.id, row]))
}

const isFine = (last: string | null) => last !== null && /^2\d\d$/.test(last)

/** The last answer, in a few words. */
const answer = (last: string | null): Content =>
  last === null ? undefined : /^\d{3}$/.test(last) ? `answered ${last} last` : failureWords(last)

/** How a webhook is doing, in a word, by the lane in which its deliveries wait. */
export function standing({ lane, last }: Health): Content {
  if (lane === lanes.proven) return html`<span class="good">prompt</span>`
  if (lane === lanes.unproven && last === null) return html`<span class="soft">not called yet</span>`
  return isFine(last) ? html`<span class="wait">slow</span>` : html`<b class="warn">fails</b>`
}

export const waitingWords = (n: number): string =>
  n === 0 ? 'none' : n >= WAITING_COUNTED_MAX ? `${WAITING_COUNTED_MAX} or more` : String(n)

/** How a webhook is doing, in a few words for a list. */
export const healthWords = (one: Health): Content =>
  html`${standing(one)}<small>${[answer(one.last), `${waitingWords(one.waiting)} waiting`].filter(Boolean).join(', ')}</small>`
