import type { Connection } from '../database/open.ts'
import { sql } from '../database/sql.ts'
import type { Instant } from '../kernel/clock.ts'
import type { Claim, Lane } from './lanes.ts'

/** A delivery in the hands of this process, with all that an attempt needs. */
export interface ClaimedDelivery {
  readonly account_id: string
  readonly id: string
  readonly fence: number
  readonly webhook_id: string
  readonly event_id: string
  readonly lane: Lane
  readonly attempts: number
  readonly transmit_time: Instant
  readonly next_time: Instant
  readonly signature: string | null
  readonly key_id: string | null
  /** Set when it goes elsewhere than to a webhook's address. */
  readonly own_url: string | null
  readonly body: string
  /** The webhook as it is now; absent when it is gone. */
  readonly url: string | null
  readonly enabled: boolean | null
  readonly secret: Buffer | null
  readonly previous_secret: Buffer | null
  readonly previous_until: Instant | null
}

/** One attempt, as it is written down. */
export interface RecordedAttempt {
  readonly account_id: string
  readonly id: string
  readonly fence: number
  readonly lane: Lane
  readonly status: 'PENDING' | 'SUCCESS' | 'FAILURE'
  /** Absent when there is no next attempt. */
  readonly next_time?: Instant | undefined
  readonly url: string
  readonly signature: string | null
  readonly key_id: string | null
  readonly attempt_time: Instant
  readonly http_status: number | null
  readonly reason: string | null
  readonly duration_ms: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly error: string | null
}

/**
 * Takes due deliveries of a lane, a few of each webhook, webhooks in turn. Stepping from webhook to webhook through
 * the index costs the same however much any of them has waiting. What would overtake an earlier event of the same
 * resource that has not been attempted yet, or is being attempted, stays. Claimed rows leave the index of waiting ones,
 * so a lease that runs out is noticed by `recoverLeases`.
 */
const claimDue = sql`
  with recursive turn as (
    (select d.webhook_id from deliveries d
     where d.status = 'PENDING' and d.lease_until is null and d.lane = $1 and d.webhook_id > $2
     order by d.webhook_id limit 1)
    union all
    select (
      select d.webhook_id from deliveries d
      where d.status = 'PENDING' and d.lease_until is null and d.lane = $1 and d.webhook_id > turn.webhook_id
      order by d.webhook_id limit 1)
    from turn where turn.webhook_id is not null),
  able as materialized (
    select turn.webhook_id from turn
    where turn.webhook_id is not null
      and not exists (select from unnest($3::text[]) as busy (webhook_id) where busy.webhook_id = turn.webhook_id)
    limit $4),
  due as materialized (
    select first.account_id, first.id from able cross join lateral (
      select d.account_id, d.id from deliveries d
      where d.status = 'PENDING' and d.lease_until is null and d.lane = $1
        and d.webhook_id = able.webhook_id and d.next_time <= $5
        and not exists (
          select from deliveries earlier
          where earlier.status = 'PENDING' and earlier.webhook_id = d.webhook_id
            and earlier.resource_id = d.resource_id and earlier.seq < d.seq
            and (earlier.attempts = 0 or earlier.lease_until is not null))
      order by d.next_time, d.seq limit $6
      for update skip locked) first
    limit $7),
  claimed as (
    update deliveries d set lease_until = clock_timestamp() + interval '30 seconds', fence = d.fence + 1
    from due where d.account_id = due.account_id and d.id = due.id
    returning d.account_id, d.id, d.fence, d.webhook_id, d.event_account_id, d.event_id, d.seq, d.lane, d.attempts,
      d.transmit_time, d.next_time, d.signature, d.key_id, d.url as own_url)
  select case
      when (select count(*) from due) = $7 then (select max(webhook_id) from claimed)
      else (select case when count(*) = $4 then max(webhook_id) end from able) end as turn,
    c.account_id, c.id, c.fence, c.webhook_id, c.event_id, c.lane, c.attempts, c.transmit_time, c.next_time,
    c.signature, c.key_id, c.own_url, e.body, w.url, w.enabled, w.secret, w.previous_secret, w.previous_until
  from (select 1) always
    left join claimed c on true
    left join events e on e.account_id = c.event_account_id and e.id = c.event_id
    left join webhooks w on w.account_id = c.account_id and w.id = c.webhook_id
  order by c.next_time, c.seq`

/** Everything a batch of attempts came to, as one statement. A result of a lost lease finds its fence moved on. */
const recordAttempts = sql`
  with result as (
    select * from json_to_recordset($1::json) as result (account_id text, id uuid, fence int, lane smallint, status text,
      next_time text, url text, signature text, key_id text, attempt_time text, http_status int, reason text,
      duration_ms int, headers json, body text, error text)),
  recorded as (
    update deliveries d set status = r.status, lane = r.lane, attempts = d.attempts + 1, lease_until = null,
      next_time = coalesce(r.next_time, d.next_time), url = r.url, signature = r.signature, key_id = r.key_id,
      http_status = r.http_status, last_error = r.error,
      finish_time = case when r.status <> 'PENDING' then r.attempt_time end
    from result r where d.account_id = r.account_id and d.id = r.id and d.fence = r.fence
    returning d.account_id, d.id, d.attempts)
  insert into delivery_attempts (account_id, delivery_id, number, attempt_time, url, http_status, reason, duration_ms,
    response_headers, response_body, error)
  select recorded.account_id, recorded.id, recorded.attempts, r.attempt_time, r.url, r.http_status, r.reason,
    r.duration_ms, r.headers, r.body, r.error
  from recorded join result r on r.account_id = recorded.account_id and r.id = recorded.id`

/** Rows that are claimed are left alone: their lane is written with their result. */
const moveWebhook = sql`
  with webhook as (update webhooks set lane = $2 where id = $1 and lane <> $2)
  update deliveries set lane = $2
  where webhook_id = $1 and status = 'PENDING' and lease_until is null and lane <> $2`
const releaseClaims = sql`
  update deliveries d set lease_until = null
  from json_to_recordset($1::json) as held (account_id text, id uuid, fence int)
  where d.account_id = held.account_id and d.id = held.id and d.fence = held.fence and d.status = 'PENDING'`
const renewLeases = sql`
  update deliveries d set lease_until = clock_timestamp() + interval '30 seconds'
  from json_to_recordset($1::json) as held (account_id text, id uuid, fence int)
  where d.account_id = held.account_id and d.id = held.id and d.fence = held.fence and d.status = 'PENDING'
    and d.lease_until is not null`
const recoverLeases = sql`
  update deliveries set lease_until = null
  where status = 'PENDING' and lease_until is not null and lease_until < clock_timestamp()`
const earliestWaiting = sql`
  select min(first.next_time) as next_time from (values (0), (1), (2)) as lanes (lane) cross join lateral (
    select d.next_time from deliveries d
    where d.status = 'PENDING' and d.lease_until is null and d.lane = lanes.lane
    order by d.next_time limit 1) first`
const anyDue = sql`
  select exists (
    select from (values (0), (1), (2)) as lanes (lane) cross join lateral (
      select 1 from deliveries d
      where d.status = 'PENDING' and d.lease_until is null and d.lane = lanes.lane and d.next_time <= $1 limit 1) due)
    or exists (
      select from deliveries d
      where d.status = 'PENDING' and d.lease_until is not null and d.next_time <= $1) as due`

export interface ClaimResult {
  readonly claimed: readonly ClaimedDelivery[]
  /** The last webhook that was looked at; undefined when all were. */
  readonly turn: string | undefined
}

export async function claimDeliveries(database: Connection, claim: Claim, now: Instant): Promise<ClaimResult> {
  const { lane, afterWebhook, busy, webhooks, each, count } = claim
  const rows = await database.rows<ClaimedDelivery & { turn: string | null }>(claimDue, [
    lane,
    afterWebhook,
    busy,
    webhooks,
    now,
    each,
    count,
  ])
  // The first row is there even when nothing was claimed, to say whose turn it was.
  return { claimed: rows.filter(({ id }) => id !== null), turn: rows[0]?.turn ?? undefined }
}

export async function record(database: Connection, attempts: readonly RecordedAttempt[]): Promise<void> {
  await database.rows(recordAttempts, [JSON.stringify(attempts)])
}

export async function move(database: Connection, webhookId: string, lane: Lane): Promise<void> {
  await database.rows(moveWebhook, [webhookId, lane])
}

const keyOf = ({ account_id, id, fence }: ClaimedDelivery) => ({ account_id, id, fence })

export async function release(database: Connection, held: readonly ClaimedDelivery[]): Promise<void> {
  await database.rows(releaseClaims, [JSON.stringify(held.map(keyOf))])
}

/** Keeps what is claimed for another while: an attempt can wait for its turn to be signed. */
export async function renew(database: Connection, held: readonly ClaimedDelivery[]): Promise<void> {
  await database.rows(renewLeases, [JSON.stringify(held.map(keyOf))])
}

/** Gives back what a process that died had claimed. */
export async function recover(database: Connection): Promise<void> {
  await database.rows(recoverLeases)
}

export async function nextWaiting(database: Connection): Promise<Instant | undefined> {
  const [row] = await database.rows<{ next_time: Instant | null }>(earliestWaiting)
  return row?.next_time ?? undefined
}

/** Whether anything is due at `now`, also what other processes hold. */
export async function isAnyDue(database: Connection, now: Instant): Promise<boolean> {
  const [row] = await database.rows<{ due: boolean }>(anyDue, [now])
  return row?.due ?? false
}
