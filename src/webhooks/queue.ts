import type { Connection } from '../database/open.ts'
import { sql } from '../database/sql.ts'
import type { Instant } from '../kernel/clock.ts'
import type { Claim, Lane } from './lanes.ts'

/** A delivery in the hands of this process, with all that an attempt needs. */
export interface ClaimedDelivery {
  readonly account_id: string
  readonly id: string
  readonly token: string
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
  readonly token: string
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
 * resource that has not been attempted yet, or is being attempted, stays. A lease that ran out can be taken over.
 *
 * Neither this nor a result waits for the disk: if the database's machine dies within that moment, the deliveries are
 * made once more, which can happen with any of them.
 */
const claimDue = sql`
  with recursive turn as (
    (select d.webhook_id from deliveries d
     where d.status = 'PENDING' and d.lane = $1 and d.webhook_id > $2 order by d.webhook_id limit 1)
    union all
    select (
      select d.webhook_id from deliveries d
      where d.status = 'PENDING' and d.lane = $1 and d.webhook_id > turn.webhook_id order by d.webhook_id limit 1)
    from turn where turn.webhook_id is not null),
  able as materialized (
    select turn.webhook_id from turn
    where turn.webhook_id is not null
      and not exists (select from unnest($3::text[]) as busy (webhook_id) where busy.webhook_id = turn.webhook_id)
    limit $4),
  due as materialized (
    select first.* from able cross join lateral (
      select d.account_id, d.id, d.webhook_id, d.event_account_id, d.event_id, d.seq, d.lane, d.attempts,
        d.transmit_time, d.next_time, d.signature, d.key_id, d.url as own_url
      from deliveries d
      where d.status = 'PENDING' and d.lane = $1 and d.webhook_id = able.webhook_id and d.next_time <= $5
        and not exists (
          select from delivery_leases held
          where held.account_id = d.account_id and held.id = d.id and held.lease_until > clock_timestamp())
        and not exists (
          select from deliveries earlier
          where earlier.status = 'PENDING' and earlier.webhook_id = d.webhook_id
            and earlier.resource_id = d.resource_id and earlier.seq < d.seq
            and (earlier.attempts = 0 or exists (
              select from delivery_leases held where held.account_id = earlier.account_id and held.id = earlier.id
                and held.lease_until > clock_timestamp())))
      order by d.next_time, d.seq limit $6
      for update of d skip locked) first
    limit $7),
  claimed as (
    insert into delivery_leases as held (account_id, id, token, lease_until)
    select account_id, id, nextval('delivery_claims'), clock_timestamp() + interval '15 seconds' from due
    on conflict (account_id, id) do update set token = excluded.token, lease_until = excluded.lease_until
      where held.lease_until <= clock_timestamp()
    returning account_id, id, token)
  select case
      when (select count(*) from due) = $7 then (select max(webhook_id) from due)
      else (select case when count(*) = $4 then max(webhook_id) end from able) end as turn,
    claimed.token::text, due.account_id, due.id, due.webhook_id, due.event_id, due.lane, due.attempts,
    due.transmit_time, due.next_time, due.signature, due.key_id, due.own_url,
    e.body, w.url, w.enabled, w.secret, w.previous_secret, w.previous_until
  from (select set_config('synchronous_commit', 'off', true)) always
    left join (due join claimed on claimed.account_id = due.account_id and claimed.id = due.id) on true
    left join events e on e.account_id = due.event_account_id and e.id = due.event_id
    left join webhooks w on w.account_id = due.account_id and w.id = due.webhook_id
  order by due.next_time, due.seq`

/** Everything a batch of attempts came to, as one statement. The result of a lost lease finds it gone. */
const recordAttempts = sql`
  with result as materialized (
    select * from json_to_recordset($1::json) as result (account_id text, id uuid, token bigint, lane smallint,
      status text, next_time text, url text, signature text, key_id text, attempt_time text, http_status int,
      reason text, duration_ms int, headers json, body text, error text)),
  returned as (
    delete from delivery_leases held using result r
    where held.account_id = r.account_id and held.id = r.id and held.token = r.token
    returning held.account_id, held.id),
  recorded as (
    update deliveries d set status = r.status, lane = r.lane, attempts = d.attempts + 1,
      next_time = coalesce(r.next_time, d.next_time), url = r.url, signature = r.signature, key_id = r.key_id,
      http_status = r.http_status, last_error = r.error,
      finish_time = case when r.status <> 'PENDING' then r.attempt_time end
    from result r join returned on returned.account_id = r.account_id and returned.id = r.id
    where d.account_id = r.account_id and d.id = r.id and d.status = 'PENDING'
    returning d.account_id, d.id, d.attempts)
  insert into delivery_attempts (account_id, delivery_id, number, attempt_time, url, http_status, reason, duration_ms,
    response_headers, response_body, error)
  select recorded.account_id, recorded.id, recorded.attempts, r.attempt_time, r.url, r.http_status, r.reason,
    r.duration_ms, r.headers, r.body, r.error
  from (select set_config('synchronous_commit', 'off', true)) always
    cross join recorded join result r on r.account_id = recorded.account_id and r.id = recorded.id`

/**
 * Deliveries that are held are left alone: their lane is written with their result. So are those far back in a long
 * line, whose turn comes in either lane: moving a webhook must not cost as much as it has waiting.
 */
const moveWebhook = sql`
  with webhook as (update webhooks set lane = $2 where id = $1 and lane <> $2)
  update deliveries set lane = $2 where status = 'PENDING' and ctid = any(array(
    select d.ctid from deliveries d
    where d.webhook_id = $1 and d.status = 'PENDING' and d.lane <> $2
      and not exists (select from delivery_leases held where held.account_id = d.account_id and held.id = d.id)
    limit 2000))`
const releaseClaims = sql`
  delete from delivery_leases held
  using json_to_recordset($1::json) as mine (account_id text, id uuid, token bigint)
  where held.account_id = mine.account_id and held.id = mine.id and held.token = mine.token`
const renewLeases = sql`
  update delivery_leases held set lease_until = clock_timestamp() + interval '15 seconds'
  from json_to_recordset($1::json) as mine (account_id text, id uuid, token bigint)
  where held.account_id = mine.account_id and held.id = mine.id and held.token = mine.token`
const sweepLeases = sql`delete from delivery_leases where lease_until < clock_timestamp() - interval '1 minute'`
const earliestWaiting = sql`
  select min(first.next_time) as next_time from (values (0), (1), (2)) as lanes (lane) cross join lateral (
    select d.next_time from deliveries d
    where d.status = 'PENDING' and d.lane = lanes.lane order by d.next_time limit 1) first`

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

const keyOf = ({ account_id, id, token }: ClaimedDelivery) => ({ account_id, id, token })

export async function release(database: Connection, held: readonly ClaimedDelivery[]): Promise<void> {
  await database.rows(releaseClaims, [JSON.stringify(held.map(keyOf))])
}

/** Keeps what is claimed for another while: an attempt can wait for its turn to be signed. */
export async function renew(database: Connection, held: readonly ClaimedDelivery[]): Promise<void> {
  await database.rows(renewLeases, [JSON.stringify(held.map(keyOf))])
}

/** Forgets leases of processes that died; whatever they held can be claimed again anyway. */
export async function sweepOldLeases(database: Connection): Promise<void> {
  await database.rows(sweepLeases)
}

/** When the earliest open delivery is due; one that is being attempted counts as well. */
export async function nextWaiting(database: Connection): Promise<Instant | undefined> {
  const [row] = await database.rows<{ next_time: Instant | null }>(earliestWaiting)
  return row?.next_time ?? undefined
}
