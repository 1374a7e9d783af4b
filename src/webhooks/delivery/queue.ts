import type { Connection } from '../../database/open.ts'
import { sql, statementOf } from '../../database/sql.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { Lane } from '../dispatch/lanes.ts'
import { ANY_WEBHOOK, accountOf, accountsOf } from './free-address.ts'

/** Why nothing is sent to a receiver any more. */
export const SUSPENDED = 'The account was suspended before this attempt.'
export const DISABLED = 'The app was disabled before this attempt.'

/** The webhook a delivery goes to, as it was when the delivery was claimed. */
export interface ClaimedWebhook {
  readonly id: string
  readonly url: string
  readonly enabled: boolean
  /** False while the account of its app is suspended. */
  readonly active: boolean
  /** False while its app is disabled. */
  readonly heard: boolean
  /** Sealed, in hexadecimal digits. */
  readonly secret: string
  readonly previous_secret: string | null
  readonly previous_until: Instant | null
}

/** A row of the queue with the body of its event. */
export interface QueuedDelivery {
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
  /** Why it is not to be sent, of one that goes to no webhook. */
  readonly stopped: string | null
}

/** A delivery in the hands of this process, with all that an attempt needs. */
export interface ClaimedDelivery extends QueuedDelivery {
  readonly claim: number
  readonly lane: Lane
  /** Whose line it stands in. */
  readonly endpoint: string
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

/** Puts every delivery that this commit `inserted` into the queue, except those that were inserted as failed. */
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
 * What arrived leaves the queue. Nearly every attempt ends like this, so the values travel as columns, which the server
 * reads in a fraction of the time that JSON objects take. A result whose lease was lost finds another claim or no row, and
 * writes nothing.
 *
 * Here and below the queue is asked for the ids as an array as well: a plan made while it was empty would otherwise join by
 * reading the whole queue. It is not asked for accounts: before version 17 PostgreSQL looks for each account with each id. And
 * it is asked for ids as text, for which only one index will do: the primary key would be read from end to end.
 *
 * The series tells the planner that the batch may be large, nothing else: arrays alone count as ten rows. Where one delivery
 * had waited when the queue was counted, PostgreSQL 15 compared every row of a batch with every other then.
 */
const recordArrived = sql`
  with arrived as materialized (
    select * from rows from (unnest($1::text[]), unnest($2::text[]), unnest($3::bigint[]), unnest($4::text[]),
        unnest($5::text[]), unnest($6::int[]), unnest($7::text[]), unnest($8::int[]), unnest($9::json[]),
        unnest($10::text[]), generate_series(1, cardinality($2::text[])))
      as arrived (account_id, id, claim, attempt_time, url, http_status, reason, duration_ms, headers, body, place)),
  ended as (
    delete from delivery_queue q using arrived a
    where q.id::text = any($2::text[]) and q.id::text = a.id and q.claim = a.claim
    returning q.attempts + 1 as number, a.*)
  insert into delivery_attempts (account_id, delivery_id, number, attempt_time, url, http_status, reason, duration_ms,
    response_headers, response_body)
  select account_id, id::uuid, number, attempt_time, url, http_status, reason, duration_ms, headers, body
  from (select set_config('synchronous_commit', 'off', true)) always cross join ended`
/** What did not arrive waits for its next attempt, or has failed for good when there is none. */
const recordFailed = sql`
  with failed as materialized (
    select * from json_to_recordset($1::json) as failed (account_id text, id text, claim bigint, lane smallint,
      next_time text, url text, signature text, key_id text, attempt_time text, http_status int, reason text,
      duration_ms int, headers json, body text, error text)),
  put_off as (
    update delivery_queue q set attempts = q.attempts + 1, next_time = f.next_time, lane = f.lane,
      signature = f.signature, key_id = f.key_id, claim = null, lease_until = null
    from failed f
    where q.id::text = any($2::text[]) and q.id::text = f.id and q.claim = f.claim and f.next_time is not null
    returning q.attempts as number, f.*),
  ended as (
    delete from delivery_queue q using failed f
    where q.id::text = any($2::text[]) and q.id::text = f.id and q.claim = f.claim and f.next_time is null
    returning q.attempts + 1 as number, f.*),
  given_up as (
    update deliveries d set failure = ended.error from ended
    where d.account_id = any($3::text[]) and d.id = any($4::uuid[])
      and d.account_id = ended.account_id and d.id = ended.id::uuid)
  insert into delivery_attempts (account_id, delivery_id, number, attempt_time, url, http_status, reason, duration_ms,
    response_headers, response_body, error)
  select account_id, id::uuid, number, attempt_time, url, http_status, reason, duration_ms, headers, body, error
  from (select set_config('synchronous_commit', 'off', true)) always
    cross join (select * from put_off union all select * from ended) done`

/**
 * Moves deliveries that are claimed as well: a thousand that wait for an answer would otherwise be stepped over at every
 * look at their old lane. Rows that are just being recorded are skipped, since recording writes their lane. So is what lies
 * beyond the first 2000 of a long line: it gets its turn in either lane, and moving a webhook must not cost more the more it
 * has waiting.
 */
const moveWebhook = sql`
  with webhook as (update webhooks set lane = $2 where id = $1 and lane <> $2)
  update delivery_queue set lane = $2 where ctid = any(array(
    select q.ctid from delivery_queue q where q.webhook_id = $1 and q.lane <> $2 limit 2000 for update skip locked))`
/** The same for what an account has simulated for addresses of its own. */
const moveFree = statementOf(`
  update delivery_queue set lane = $2 where ctid = any(array(
    select q.ctid from delivery_queue q
    where q.webhook_id || '' = '${ANY_WEBHOOK}' and q.account_id || '' = $1 and q.lane + 0 = any('{0,1,2}'::int[]) and q.lane <> $2
    limit 2000 for update skip locked))`)
const releaseClaims = sql`
  update delivery_queue q set claim = null, lease_until = null
  from json_to_recordset($1::json) as mine (id text, claim bigint)
  where q.id::text = any($2::text[]) and q.id::text = mine.id and q.claim = mine.claim`
const releaseAll = sql`
  update delivery_queue set claim = null, lease_until = null
  where lane = any('{0,1,2}'::int[]) and next_time <= $1 and claim is not null`
/**
 * A locked row is just being recorded, so it is skipped. Waiting for it, while holding locks that it may want next, could
 * last for ever.
 */
const renewLeases = sql`
  update delivery_queue set lease_until = clock_timestamp() + interval '15 seconds' where ctid = any(array(
    select q.ctid from json_to_recordset($1::json) as mine (id text, claim bigint)
      join delivery_queue q on q.id::text = mine.id and q.claim = mine.claim
    where q.id::text = any($2::text[])
    for update of q skip locked))`
const earliestWaiting = statementOf(`
  select min(first.next_time) as next_time from (values (0), (1), (2)) as lanes (lane) cross join lateral (
    select q.next_time from delivery_queue q
    where q.lane = lanes.lane and q.webhook_id <> all($1::text[])
      and not (q.webhook_id = '${ANY_WEBHOOK}' and q.account_id = any($2::text[]))
    order by q.next_time limit 1) first`)

/** Writes down what attempts came to. */
export async function record(database: Connection, attempts: readonly RecordedAttempt[]): Promise<void> {
  const arrived = attempts.filter(({ status }) => status === 'SUCCESS')
  const failed = attempts.filter(({ status }) => status !== 'SUCCESS')
  const givenUp = failed.filter(({ next_time }) => next_time === undefined)
  const column = (of: (attempt: RecordedAttempt) => string | null) => arrived.map(of)
  // These values hold no characters that would need quoting, so the driver need not look for any.
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
    failed.length > 0 &&
      database.rows(recordFailed, [
        JSON.stringify(failed),
        idsOf(failed),
        [...new Set(givenUp.map(({ account_id }) => account_id))],
        idsOf(givenUp),
      ]),
  ])
}

export async function move(database: Connection, endpoint: string, lane: Lane): Promise<void> {
  const account = accountOf(endpoint)
  await database.rows(account === undefined ? moveWebhook : moveFree, [account ?? endpoint, lane])
}

const claimOf = ({ id, claim }: ClaimedDelivery) => ({ id, claim })
const idsOf = (rows: readonly { readonly id: string }[]) => rows.map(({ id }) => id)

export async function release(database: Connection, held: readonly ClaimedDelivery[]): Promise<void> {
  await database.rows(releaseClaims, [JSON.stringify(held.map(claimOf)), idsOf(held)])
}

/** Releases due deliveries that ended processes hold. Only where no other process works. */
export async function releaseAllDue(database: Connection, now: Instant): Promise<void> {
  await database.rows(releaseAll, [now])
}

/** Renews the lease of what is claimed: an attempt may have to wait for its turn to be signed. */
export async function renew(database: Connection, held: readonly ClaimedDelivery[]): Promise<void> {
  await database.rows(renewLeases, [JSON.stringify(held.map(claimOf)), idsOf(held)])
}

/** When the earliest open delivery of other endpoints is due. Deliveries that are being attempted count as well. */
export async function nextWaiting(
  database: Connection,
  otherThan: readonly string[] = [],
): Promise<Instant | undefined> {
  const [row] = await database.rows<{ next_time: Instant | null }>(earliestWaiting, [otherThan, accountsOf(otherThan)])
  return row?.next_time ?? undefined
}
