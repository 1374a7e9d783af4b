import type { Fragment } from '../database/sql.ts'
import { fragment, joined, sql } from '../database/sql.ts'
import type { Reader, Tx } from '../database/transaction.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Instant } from '../kernel/clock.ts'
import { notFound } from '../kernel/problem.ts'
import { lanes } from './lanes.ts'
import type { Webhook } from './store.ts'

export interface StoredEvent {
  readonly account_id: string
  readonly id: string
  readonly type: string
  readonly create_time: Instant
  readonly body: string
}

/** A delivery with what its last attempt came to. */
export interface Transmission {
  readonly id: string
  readonly webhook_id: string
  readonly event_id: string
  readonly event_type: string
  readonly round: number
  readonly url: string | null
  readonly status: 'PENDING' | 'SUCCESS' | 'FAILURE'
  readonly attempts: number
  readonly transmit_time: Instant
  readonly next_time: Instant
  readonly signature: string | null
  readonly key_id: string | null
  readonly http_status: number | null
  readonly last_error: string | null
  readonly reason: string | null
  readonly duration_ms: number | null
  readonly response_headers: Readonly<Record<string, string>> | null
}

export interface Attempt {
  readonly number: number
  readonly attempt_time: Instant
  readonly url: string
  readonly http_status: number | null
  readonly reason: string | null
  readonly duration_ms: number
  readonly response_headers: Readonly<Record<string, string>>
  readonly response_body: string
  readonly error: string | null
}

/** Where a page begins, and how far the list reaches. */
export interface Page {
  readonly size: number
  readonly from: Instant
  readonly to: Instant
  readonly index?: { readonly time: Instant; readonly id: string; readonly move: 'next' | 'previous' }
}

const appAccount = sql`select account_id from apps where id = $1`

const eventOfApp = sql`
  select e.account_id, e.id, e.type, e.create_time, e.body
  from event_audience a join events e on e.account_id = a.event_account_id and e.id = a.event_id
  where a.account_id = (select account_id from apps where id = $1) and a.app_id = $1 and a.event_id = $2`

export async function findEvent(db: Reader, appId: string, id: string): Promise<StoredEvent> {
  const event = await db.row<StoredEvent>(eventOfApp, [appId, id])
  if (!event) throw notFound('The event')
  return event
}

/** The account of the calling app, which is also the one it calls for unless it acts on behalf of another. */
export const accountOfApp = async (db: Reader, { appId, accountId, onBehalf }: Caller): Promise<string> =>
  onBehalf ? (await db.row<{ account_id: string }>(appAccount, [appId]))!.account_id : accountId

/** Ids that may be asked for, wherever they stand in the resource. */
const namesOfIds = [
  'id',
  'dispute_id',
  'transaction_id',
  'payment_id',
  'refund_id',
  'seller_transaction_id',
  'buyer_transaction_id',
]
const anyIdPath = `strict $.resource.** ? (${namesOfIds.map((name) => `@.${name} == $wanted`).join(' || ')})`

const concerns = (id: string) =>
  fragment`(e.resource_id = ${id} or case when position(${id}::text in e.body) > 0 then
    jsonb_path_exists(e.body::jsonb, ${anyIdPath}::text::jsonpath, jsonb_build_object('wanted', ${id}::text), true) end)`

export interface EventFilter {
  readonly appId: string
  readonly accountId: string
  readonly type?: string | undefined
  readonly transactionId?: string | undefined
}

/** One more than the page holds, so that the caller knows whether there is another; in the order they were read. */
export function listEvents(
  db: Reader,
  { appId, accountId, type, transactionId }: EventFilter,
  page: Page,
): Promise<StoredEvent[]> {
  const conditions: Fragment[] = [
    fragment`a.account_id = ${accountId} and a.app_id = ${appId}`,
    fragment`a.create_time between ${page.from} and ${page.to}`,
    ...(type === undefined ? [] : [fragment`e.type = ${type}`]),
    ...(transactionId === undefined ? [] : [concerns(transactionId)]),
  ]
  const backwards = page.index?.move === 'previous'
  if (page.index) {
    const { time, id } = page.index
    const seq = fragment`(select seq from event_audience where account_id = ${accountId} and app_id = ${appId} and event_id = ${id})`
    conditions.push(
      backwards
        ? fragment`(a.create_time, a.seq) > (${time}, ${seq})`
        : fragment`(a.create_time, a.seq) < (${time}, ${seq})`,
    )
  }
  const order = backwards ? fragment`a.create_time, a.seq` : fragment`a.create_time desc, a.seq desc`
  const { statement, values } = fragment`
    select e.account_id, e.id, e.type, e.create_time, e.body
    from event_audience a join events e on e.account_id = a.event_account_id and e.id = a.event_id
    where ${joined(conditions, ' and ')} order by ${order} limit ${page.size + 1}`.toQuery()
  return db.rows<StoredEvent>(statement, values)
}

const transmissionColumns = fragment`
  d.id, d.webhook_id, d.event_id, d.event_type, d.round, coalesce(d.url, w.url) as url, d.status, d.attempts,
  d.transmit_time, d.next_time, d.signature, d.key_id, d.http_status, d.last_error, t.reason, t.duration_ms,
  t.response_headers`
const transmissionTables = fragment`
  deliveries d left join webhooks w on w.account_id = d.account_id and w.id = d.webhook_id
    left join delivery_attempts t on t.account_id = d.account_id and t.delivery_id = d.id and t.number = d.attempts`

/** Every transmission of these events to webhooks of the app, oldest first. */
export function transmissionsOf(
  db: Reader,
  accountId: string,
  appId: string,
  eventIds: readonly string[],
): Promise<Transmission[]> {
  const { statement, values } = fragment`
    select ${transmissionColumns} from ${transmissionTables}
    where d.account_id = ${accountId} and d.app_id = ${appId} and d.event_id = any(${eventIds})
    order by d.webhook_id, d.round`.toQuery()
  return db.rows<Transmission>(statement, values)
}

export interface TransmissionFilter {
  readonly appId: string
  readonly accountId: string
  readonly webhookId?: string | undefined
  readonly status?: string | undefined
}

export function listTransmissions(
  db: Reader,
  { appId, accountId, webhookId, status }: TransmissionFilter,
  page: Page,
): Promise<Transmission[]> {
  const backwards = page.index?.move === 'previous'
  const conditions = [
    fragment`d.account_id = ${accountId} and d.app_id = ${appId}`,
    fragment`d.transmit_time between ${page.from} and ${page.to}`,
    ...(webhookId === undefined ? [] : [fragment`d.webhook_id = ${webhookId}`]),
    ...(status === undefined ? [] : [fragment`d.status = ${status}`]),
    ...(page.index === undefined
      ? []
      : [
          backwards
            ? fragment`(d.transmit_time, d.id) > (${page.index.time}, ${page.index.id}::uuid)`
            : fragment`(d.transmit_time, d.id) < (${page.index.time}, ${page.index.id}::uuid)`,
        ]),
  ]
  const order = backwards ? fragment`d.transmit_time, d.id` : fragment`d.transmit_time desc, d.id desc`
  const { statement, values } = fragment`
    select ${transmissionColumns} from ${transmissionTables}
    where ${joined(conditions, ' and ')} order by ${order} limit ${page.size + 1}`.toQuery()
  return db.rows<Transmission>(statement, values)
}

/** PostgreSQL refuses to look for anything else by such an id. */
export const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

export async function findTransmission(
  db: Reader,
  accountId: string,
  appId: string,
  id: string,
): Promise<Transmission> {
  const { statement, values } = fragment`
    select ${transmissionColumns} from ${transmissionTables}
    where d.account_id = ${accountId} and d.app_id = ${appId} and d.id = ${id}`.toQuery()
  const found = isUuid(id) ? await db.row<Transmission>(statement, values) : undefined
  if (!found) throw notFound('The transmission')
  return found
}

const attemptsOf = sql`
  select number, attempt_time, url, http_status, reason, duration_ms, response_headers, response_body, error
  from delivery_attempts where account_id = $1 and delivery_id = $2 order by number`

export const listAttempts = (db: Reader, accountId: string, id: string): Promise<Attempt[]> =>
  db.rows<Attempt>(attemptsOf, [accountId, id])

/** A new round of an event for each of these webhooks, unless one is under way. Holds the event against its removal. */
const insertRound = sql`
  insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, round, seq,
    resource_id, lane, transmit_time, next_time)
  select w.account_id, gen_random_uuid(), w.app_id, w.id, e.account_id, e.id, e.type,
    coalesce((select max(d.round) + 1 from deliveries d
      where d.account_id = w.account_id and d.event_id = e.id and d.webhook_id = w.id), 0),
    e.seq, e.resource_id, w.lane, $4, $4
  from events e cross join webhooks w
    join event_audience a on a.account_id = w.account_id and a.app_id = w.app_id and a.event_id = $2
  where e.account_id = $1 and e.id = $2 and w.id = any($3) and w.enabled
    and not exists (select from deliveries d where d.account_id = w.account_id and d.event_id = e.id
      and d.webhook_id = w.id and d.status = 'PENDING')
  for key share of a
  on conflict do nothing`

export function resend(tx: Tx, event: StoredEvent, webhooks: readonly Webhook[]): void {
  tx.write(insertRound, [event.account_id, event.id, webhooks.map(({ id }) => id), tx.now])
}

/** Every event of a span of time that never arrived at a webhook, or every one there was, once more. */
const replayRange = sql`
  with wanted as (
    select e.account_id, e.id, e.type, e.seq, e.resource_id,
      (select max(d.round) from deliveries d
       where d.account_id = $1 and d.event_id = e.id and d.webhook_id = $2) as last_round
    from event_audience a join events e on e.account_id = a.event_account_id and e.id = a.event_id
      join webhooks w on w.account_id = a.account_id and w.id = $2
    where a.account_id = $1 and a.app_id = $3 and a.create_time between $4 and $5
      and (e.type = any(w.event_types) or '*' = any(w.event_types))
      and not exists (select from deliveries d where d.account_id = $1 and d.event_id = e.id
        and d.webhook_id = $2 and (d.status = 'PENDING' or ($6 and d.status = 'SUCCESS')))
    order by a.create_time, a.seq limit $7 for key share of a),
  replayed as (
    insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, round, seq,
      resource_id, lane, transmit_time, next_time)
    select $1, gen_random_uuid(), $3, $2, wanted.account_id, wanted.id, wanted.type, coalesce(last_round + 1, 0),
      wanted.seq, wanted.resource_id, $9, $8, $8
    from wanted
    where not $6 or last_round is not null
    on conflict do nothing returning 1)
  select count(*)::int as replayed from replayed`

export interface ReplayRange {
  readonly from: Instant
  readonly to: Instant
  readonly failedOnly: boolean
  readonly max: number
}

/** Written at once, since how many there were is part of the answer; the caller's transaction holds it together. */
export async function replay(tx: Tx, webhook: Webhook, range: ReplayRange): Promise<number> {
  const row = await tx.row<{ replayed: number }>(replayRange, [
    webhook.account_id,
    webhook.id,
    webhook.app_id,
    range.from,
    range.to,
    range.failedOnly,
    range.max,
    tx.now,
    lanes.unproven,
  ])
  return row!.replayed
}

const attemptAt = sql`
  update deliveries set status = 'PENDING', next_time = $3, finish_time = null
  where account_id = $1 and id = $2 and status <> 'SUCCESS'`

/** Makes the next attempt due now. It counts as one of the attempts there are. */
export function attemptNow(tx: Tx, accountId: string, id: string): void {
  tx.write(attemptAt, [accountId, id, tx.now])
}
