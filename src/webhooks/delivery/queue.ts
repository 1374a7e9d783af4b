import { randomInt } from 'node:crypto'
import type { Connection } from '../../database/open.ts'
import { sql, statementOf } from '../../database/sql.ts'
import type { Instant } from '../../kernel/clock.ts'
import { mayStillHear } from '../audience.ts'
import type { Claim, Lane } from '../dispatch/lanes.ts'

/** The webhook a delivery goes to, as it was when the delivery was claimed. */
export interface ClaimedWebhook {
  readonly id: string
  readonly url: string
  readonly enabled: boolean
  /** False while the account of its app is suspended. */
  readonly active: boolean
  /** Sealed, in hexadecimal digits. */
  readonly secret: string
  readonly previous_secret: string | null
  readonly previous_until: Instant | null
}

/** A row of the queue with the body of its event. */
interface QueuedDelivery {
  readonly account_id: string
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly attempts: number
  readonly transmit_time: Instant
  readonly next_time: Instant
  readonly signature: string | null
  readonly key_id: string | null
  /** Set when it goes elsewhere than to a webhook's address. */
  readonly url: string | null
  readonly body: string
  /** Whether the app may hear of this event now; a consent may have been taken back since it was added. */
  readonly permitted: boolean
}

/** A delivery in the hands of this process, with all that an attempt needs. */
export interface ClaimedDelivery extends QueuedDelivery {
  readonly claim: number
  readonly lane: Lane
  /** Absent when it is gone. */
  readonly webhook: ClaimedWebhook | undefined
}

/** One attempt, as it is written down. */
export interface RecordedAttempt {
  readonly account_id: string
  readonly id: string
  readonly claim: number
  readonly lane: Lane
  readonly status: 'PENDING' | 'SUCCESS' | 'FAILURE'
  /** Absent when there is no next attempt. */
  readonly next_time?: Instant | undefined
  readonly url: string
  /** Only kept for the next attempt. */
  readonly signature?: string | null | undefined
  readonly key_id?: string | null | undefined
  readonly attempt_time: Instant
  readonly http_status: number | null
  readonly reason: string | null
  readonly duration_ms: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly error: string | null
}

/** Every delivery that was `inserted` in the same commit and has not failed already waits from then on. */
export const queueInserted = sql`
  insert into delivery_queue (account_id, id, webhook_id, event_account_id, event_id, seq, resource_id, transmit_time,
    url, lane, attempts, next_time)
  select p.account_id, p.id, p.webhook_id, p.event_account_id, p.event_id, p.seq, p.resource_id, p.transmit_time, p.url,
    coalesce((select w.lane from webhooks w where w.account_id = p.account_id and w.id = p.webhook_id), 1), 0,
    p.transmit_time
  from inserted p
  where p.failure is null order by p.seq
  returning 1`

/**
 * Takes due deliveries of a lane, a few of each webhook, webhooks in turn. Stepping from webhook to webhook through
 * the index costs the same however much any of them has waiting. What would overtake an earlier event of the same
 * resource that has not been attempted yet, or is being attempted, stays. A lease that ran out can be taken over, with `$9`.
 *
 * The first row tells whose turn it was and describes the webhooks, once each, however many deliveries they get.
 *
 * Neither this nor a result waits for the disk: if the database's machine dies within that moment, the deliveries are
 * made once more, which can happen with any of them.
 */
const claimDue = statementOf(`
  with recursive turn as (
    (select q.webhook_id from delivery_queue q
     where q.lane = $1 and q.webhook_id > $2 order by q.webhook_id limit 1)
    union all
    select (
      select q.webhook_id from delivery_queue q
      where q.lane = $1 and q.webhook_id > turn.webhook_id order by q.webhook_id limit 1)
    from turn where turn.webhook_id is not null),
  able as materialized (
    select turn.webhook_id from turn
    where turn.webhook_id is not null
      and not exists (select from unnest($3::text[]) as busy (webhook_id) where busy.webhook_id = turn.webhook_id)
    limit $4),
  due as materialized (
    select first.* from able cross join lateral (
      select q.ctid as place, q.account_id, q.webhook_id from delivery_queue q
      where q.lane = $1 and q.webhook_id = able.webhook_id and q.next_time <= $5
        and (q.lease_until is null or ($9 and q.lease_until <= clock_timestamp()))
        and not exists (
          select from delivery_queue earlier
          where earlier.webhook_id = q.webhook_id and earlier.resource_id = q.resource_id and earlier.seq < q.seq
            and (earlier.attempts = 0 or earlier.lease_until > clock_timestamp()))
      order by q.next_time, q.seq limit $6
      for update of q skip locked) first
    limit $7),
  held as (
    update delivery_queue q set claim = $8, lease_until = clock_timestamp() + interval '15 seconds'
    from due where q.ctid = due.place
    returning q.account_id, q.id, q.webhook_id, q.event_account_id, q.event_id, q.attempts, q.transmit_time,
      q.next_time, q.signature, q.key_id, q.url),
  described as (
    select json_agg(json_build_object('id', w.id, 'url', w.url, 'enabled', w.enabled,
      'active', (select m.status = 'ACTIVE' from accounts m where m.id = w.account_id),
      'secret', encode(w.secret, 'hex'), 'previous_secret', encode(w.previous_secret, 'hex'),
      'previous_until', w.previous_until)) as webhooks
    from webhooks w where (w.account_id, w.id) in (select due.account_id, due.webhook_id from due))
  select case
      when (select count(*) from due) = $7 then (select max(webhook_id) from due)
      else (select case when count(*) = $4 then max(webhook_id) end from able) end as turn,
    described.webhooks, null as account_id, null::uuid as id, null as webhook_id, null as event_id, null::int as attempts,
    null as transmit_time, null as next_time, null as signature, null as key_id, null as url, null as body, null::boolean as permitted
  from (select set_config('synchronous_commit', 'off', true)) always cross join described
  union all
  select null, null, held.account_id, held.id, held.webhook_id, held.event_id, held.attempts, held.transmit_time,
    held.next_time, held.signature, held.key_id, held.url, e.body,
    ${mayStillHear}
  from held left join events e on e.account_id = held.event_account_id and e.id = held.event_id`)

/**
 * What arrived leaves the queue. This is what nearly every attempt comes to, so its values travel as columns, which the
 * server reads in a fraction of the time that objects take it. The result of a lost lease finds another claim, or nothing.
 */
const recordArrived = sql`
  with arrived as materialized (
    select * from unnest($1::text[], $2::uuid[], $3::bigint[], $4::text[], $5::text[], $6::int[], $7::text[], $8::int[],
        $9::json[], $10::text[])
      as arrived (account_id, id, claim, attempt_time, url, http_status, reason, duration_ms, headers, body)),
  ended as (
    delete from delivery_queue q using arrived a
    where q.account_id = a.account_id and q.id = a.id and q.claim = a.claim
    returning q.attempts + 1 as number, a.*)
  insert into delivery_attempts (account_id, delivery_id, number, attempt_time, url, http_status, reason, duration_ms,
    response_headers, response_body)
  select account_id, id, number, attempt_time, url, http_status, reason, duration_ms, headers, body
  from (select set_config('synchronous_commit', 'off', true)) always cross join ended`
/**
 * What did not arrive waits for its next attempt, or has failed for good when there is none. Here and below the keys come
 * once more by themselves: planned while the queue is empty, a join alone would read all of it.
 */
const recordFailed = sql`
  with failed as materialized (
    select * from json_to_recordset($1::json) as failed (account_id text, id uuid, claim bigint, lane smallint,
      next_time text, url text, signature text, key_id text, attempt_time text, http_status int, reason text,
      duration_ms int, headers json, body text, error text)),
  put_off as (
    update delivery_queue q set attempts = q.attempts + 1, next_time = f.next_time, lane = f.lane,
      signature = f.signature, key_id = f.key_id, claim = null, lease_until = null
    from failed f
    where q.account_id = any($2::text[]) and q.id = any($3::uuid[])
      and q.account_id = f.account_id and q.id = f.id and q.claim = f.claim and f.next_time is not null
    returning q.attempts as number, f.*),
  ended as (
    delete from delivery_queue q using failed f
    where q.account_id = any($2::text[]) and q.id = any($3::uuid[])
      and q.account_id = f.account_id and q.id = f.id and q.claim = f.claim and f.next_time is null
    returning q.attempts + 1 as number, f.*),
  given_up as (
    update deliveries d set failure = ended.error from ended where d.account_id = ended.account_id and d.id = ended.id)
  insert into delivery_attempts (account_id, delivery_id, number, attempt_time, url, http_status, reason, duration_ms,
    response_headers, response_body, error)
  select account_id, id, number, attempt_time, url, http_status, reason, duration_ms, headers, body, error
  from (select set_config('synchronous_commit', 'off', true)) always
    cross join (select * from put_off union all select * from ended) done`

/**
 * Deliveries that are held move too: a thousand that wait for an answer would be stepped over at every look at the lane
 * they came from. What is being recorded is left alone, since that writes its lane, and so are those far back in a long
 * line, whose turn comes in either lane: moving a webhook must not cost as much as it has waiting.
 */
const moveWebhook = sql`
  with webhook as (update webhooks set lane = $2 where id = $1 and lane <> $2)
  update delivery_queue set lane = $2 where ctid = any(array(
    select q.ctid from delivery_queue q where q.webhook_id = $1 and q.lane <> $2 limit 2000 for update skip locked))`
const releaseClaims = sql`
  update delivery_queue q set claim = null, lease_until = null
  from json_to_recordset($1::json) as mine (account_id text, id uuid, claim bigint)
  where q.account_id = any($2::text[]) and q.id = any($3::uuid[])
    and q.account_id = mine.account_id and q.id = mine.id and q.claim = mine.claim`
/** What is locked is being recorded. Waiting for it, with locks of our own that it may want next, could last for ever. */
const renewLeases = sql`
  update delivery_queue set lease_until = clock_timestamp() + interval '15 seconds' where ctid = any(array(
    select q.ctid from json_to_recordset($1::json) as mine (account_id text, id uuid, claim bigint)
      join delivery_queue q on q.account_id = mine.account_id and q.id = mine.id and q.claim = mine.claim
    where q.account_id = any($2::text[]) and q.id = any($3::uuid[])
    for update of q skip locked))`
const earliestWaiting = sql`
  select min(first.next_time) as next_time from (values (0), (1), (2)) as lanes (lane) cross join lateral (
    select q.next_time from delivery_queue q where q.lane = lanes.lane and q.webhook_id <> all($1::text[]) order by q.next_time limit 1) first`

export interface ClaimResult {
  readonly claimed: readonly ClaimedDelivery[]
  /** The last webhook that was looked at; undefined when all were. */
  readonly turn: string | undefined
}

interface ClaimHead {
  readonly turn: string | null
  readonly webhooks: readonly ClaimedWebhook[] | null
}

const CLAIM_MAX = 2 ** 47

/** Takes over what others hold too long only with `takesOver`. */
export async function claimDeliveries(
  database: Connection,
  { lane, afterWebhook, busy, webhooks, each, count }: Claim,
  now: Instant,
  takesOver = true,
): Promise<ClaimResult> {
  const claim = randomInt(CLAIM_MAX)
  const values = [lane, afterWebhook, busy, webhooks, now, each, count, claim, takesOver]
  const rows = await database.rows<ClaimHead | QueuedDelivery>(claimDue, values)
  const head = rows.shift() as ClaimHead
  const described = new Map(head.webhooks?.map((webhook) => [webhook.id, webhook]))
  const claimed = (rows as QueuedDelivery[]).map(
    (row): ClaimedDelivery => ({ ...row, claim, lane, webhook: described.get(row.webhook_id) }),
  )
  return { claimed, turn: head.turn ?? undefined }
}

/** Writes down what attempts came to. */
export async function record(database: Connection, attempts: readonly RecordedAttempt[]): Promise<void> {
  const arrived = attempts.filter(({ status }) => status === 'SUCCESS')
  const failed = attempts.filter(({ status }) => status !== 'SUCCESS')
  const column = (of: (attempt: RecordedAttempt) => string | null) => arrived.map(of)
  // Of these the driver need not look for characters that would end them.
  const plain = (of: (attempt: RecordedAttempt) => string | number | null) =>
    `{${arrived.map((attempt) => of(attempt) ?? 'null').join()}}`
  await Promise.all([
    arrived.length > 0 &&
      database.rows(recordArrived, [
        column(({ account_id }) => account_id),
        plain(({ id }) => id),
        plain(({ claim }) => claim),
        plain(({ attempt_time }) => attempt_time),
        column(({ url }) => url),
        plain(({ http_status }) => http_status),
        column(({ reason }) => reason),
        plain(({ duration_ms }) => duration_ms),
        column(({ headers }) => JSON.stringify(headers)),
        column(({ body }) => body),
      ]),
    failed.length > 0 && database.rows(recordFailed, [JSON.stringify(failed), ...keysOf(failed)]),
  ])
}

export async function move(database: Connection, webhookId: string, lane: Lane): Promise<void> {
  await database.rows(moveWebhook, [webhookId, lane])
}

const claimOf = ({ account_id, id, claim }: ClaimedDelivery) => ({ account_id, id, claim })
const keysOf = (rows: readonly { readonly account_id: string; readonly id: string }[]) => [
  [...new Set(rows.map(({ account_id }) => account_id))],
  rows.map(({ id }) => id),
]

export async function release(database: Connection, held: readonly ClaimedDelivery[]): Promise<void> {
  await database.rows(releaseClaims, [JSON.stringify(held.map(claimOf)), ...keysOf(held)])
}

/** Keeps what is claimed for another while: an attempt can wait for its turn to be signed. */
export async function renew(database: Connection, held: readonly ClaimedDelivery[]): Promise<void> {
  await database.rows(renewLeases, [JSON.stringify(held.map(claimOf)), ...keysOf(held)])
}

/** When the earliest open delivery of other webhooks is due; one that is being attempted counts as well. */
export async function nextWaiting(
  database: Connection,
  otherThan: readonly string[] = [],
): Promise<Instant | undefined> {
  const [row] = await database.rows<{ next_time: Instant | null }>(earliestWaiting, [otherThan])
  return row?.next_time ?? undefined
}
