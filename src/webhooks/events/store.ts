import type { Fragment } from '../../database/sql.ts'
import { fragment, joined, sql, statementOf } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Instant } from '../../kernel/clock.ts'
import { dayInId, dayOf, firstDeliveryId, firstEventId } from '../../kernel/dated.ts'
import { notFound } from '../../kernel/problem.ts'
import { mayHear } from '../audience.ts'

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
  /** Only while it waits. */
  readonly next_time: Instant | null
  readonly http_status: number | null
  readonly error: string | null
  readonly reason: string | null
  readonly duration_ms: number | null
  readonly response_headers: Readonly<Record<string, string>> | null
}

/** With what its event followed from; unknown of old ones and of events that are gone. */
export interface CausedTransmission extends Transmission {
  readonly cause: string | null
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

const audience = { app: 'a.app_id', appAccount: 'a.account_id', account: 'e.account_id', type: 'e.type' }
const eventOfApp = statementOf(
  `select e.account_id, e.id, e.type, e.create_time, e.body
   from event_audience a join events e on e.account_id = a.event_account_id and e.id = a.event_id
   where a.account_id = (select account_id from apps where id = $1) and a.app_id = $1 and a.event_id = $2
     and ${mayHear({ ...audience, held: '$3::text[]' })}`,
)

/** An event that was told to the calling app and that it may still hear of. */
export async function findEvent(db: Reader, { appId, scopes }: Caller, id: string): Promise<StoredEvent> {
  const event = await db.row<StoredEvent>(eventOfApp, [appId, id, [...scopes]])
  if (!event) throw notFound('The event')
  return event
}

const raw = (text: string) => fragment([text] as unknown as TemplateStringsArray)
const heardOf = raw(mayHear({ ...audience, held: 'held.scopes' }))
const holding = (scopes: ReadonlySet<string>) => fragment`cross join (select ${[...scopes]}::text[] as scopes) held`

/** The account of the calling app, which is also the one it calls for unless it acts on behalf of another. */
export const accountOfApp = async (db: Reader, { appId, accountId, onBehalf }: Caller): Promise<string> =>
  onBehalf ? (await db.row<{ account_id: string }>(appAccount, [appId]))!.account_id : accountId

/**
 * The events that concern an id: those of the resource, and those that mention it. Looked up in the accounts this app
 * may hear of, so that no search ever steps through the events of others; a text that is no id finds nothing, at once.
 */
const concerning = (id: string, { appId, accountId, actingFor }: EventFilter) => fragment`
  with heard_of as materialized (
    select distinct account_id from unnest(array[${accountId}, ${actingFor}]::text[]) as own (account_id)
    union select account_id from consents where app_id = ${appId})
  select e.id from heard_of h join events e on e.account_id = h.account_id and e.resource_id = ${id}
  union
  select i.event_id from heard_of h join event_ids i on i.account_id = h.account_id and i.mentioned_id = ${id}`

/**
 * What the app was told about an id. A planner that knows nothing of the app yet takes the index of times for as good as the
 * one with the event, and would step through all it was told; where there are partitions it would read all events there are. As
 * the least of a range each is found by its key.
 */
const toldAbout = (id: string, filter: EventFilter) => fragment`
  (${concerning(id, filter)}) about (event_id) cross join lateral (
    select * from event_audience where account_id = ${filter.accountId} and app_id = ${filter.appId}
      and event_id between about.event_id and about.event_id order by event_id limit 1) a
    cross join lateral (
      select * from events where account_id = a.event_account_id
        and id between a.event_id and a.event_id order by id limit 1) e`
const told = raw('event_audience a join events e on e.account_id = a.event_account_id and e.id = a.event_id')

export interface EventFilter {
  readonly appId: string
  /** Those of the caller. */
  readonly scopes: ReadonlySet<string>
  /** The app's own. */
  readonly accountId: string
  /** The account the app calls for now. */
  readonly actingFor: string
  readonly type?: string | undefined
  readonly transactionId?: string | undefined
}

/**
 * One more than the page holds, so that the caller knows whether there is another; in the order they were read. Where events
 * carry their day, that of the page's beginning is asked first: mostly it has enough, and the other partitions are left alone.
 */
export async function listEvents(
  db: Reader,
  filter: EventFilter,
  page: Page,
  { isDated = false } = {},
): Promise<StoredEvent[]> {
  if (isDated && filter.transactionId === undefined) {
    const { time } = page.index ?? { time: page.to }
    const found = await readEvents(db, filter, page, dayOf(time < page.to ? time : page.to))
    if (found.length > page.size) return found
  }
  return readEvents(db, filter, page)
}

/** What is of a day, and what carries none. */
const ofDay = (day: number) => fragment`
  (a.event_id < ${firstEventId()} or a.event_id >= ${firstEventId(day)} and a.event_id < ${firstEventId(day + 1)})
  and (e.id < ${firstEventId()} or e.id >= ${firstEventId(day)} and e.id < ${firstEventId(day + 1)})`

function readEvents(db: Reader, filter: EventFilter, page: Page, day?: number): Promise<StoredEvent[]> {
  const { appId, scopes, accountId, type, transactionId } = filter
  const conditions: Fragment[] = [
    fragment`a.account_id = ${accountId} and a.app_id = ${appId}`,
    heardOf,
    fragment`a.create_time between ${page.from} and ${page.to}`,
    ...(type === undefined ? [] : [fragment`e.type = ${type}`]),
    ...(day === undefined ? [] : [ofDay(day)]),
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
    from ${transactionId === undefined ? told : toldAbout(transactionId, filter)} ${holding(scopes)}
    where ${joined(conditions, ' and ')} order by ${order} limit ${page.size + 1}`.toQuery()
  return db.rows<StoredEvent>(statement, values)
}

const transmissionColumns = fragment`
  d.id, d.webhook_id, d.event_id, d.event_type, d.round, coalesce(t.url, d.url, w.url) as url,
  case when d.failure is not null then 'FAILURE' when q.id is not null then 'PENDING' else 'SUCCESS' end as status,
  coalesce(t.number, 0) as attempts, d.transmit_time, q.next_time, t.http_status, coalesce(d.failure, t.error) as error,
  t.reason, t.duration_ms, t.response_headers`
/** Of those whose ids are known it is said once more where attempts are looked for: planned, they are then of few partitions. */
const tablesOf = (attempts: Fragment) => fragment`
  deliveries d left join webhooks w on w.account_id = d.account_id and w.id = d.webhook_id
    left join delivery_queue q on q.account_id = d.account_id and q.id = d.id
    left join lateral (select * from delivery_attempts t where t.account_id = d.account_id and ${attempts}
      order by t.number desc limit 1) t on true`
const ofDelivery = raw('t.delivery_id = d.id')
const transmissionTables = tablesOf(ofDelivery)
const sentOf = raw(
  mayHear({
    app: 'd.app_id',
    appAccount: 'd.account_id',
    account: 'd.event_account_id',
    type: 'd.event_type',
    held: 'held.scopes',
  }),
)
const isStatus = {
  PENDING: fragment`q.id is not null`,
  // From the queue: there may be few of them among very many that arrived.
  RETRYING: fragment`q.id in (select id from delivery_queue where account_id = d.account_id and attempts > 0)`,
  SUCCESS: fragment`q.id is null and d.failure is null`,
  FAILURE: fragment`d.failure is not null`,
}

/** A delivery is of the day of its event. */
const ofDays = (column: Fragment, days: readonly number[]) =>
  fragment`and (${joined(
    [...new Set(days)].map(
      (day) => fragment`${column} >= ${firstDeliveryId(day)}::uuid and ${column} < ${firstDeliveryId(day + 1)}::uuid`,
    ),
    ' or ',
  )})`

/** Every transmission of these events to webhooks of the app, oldest first. */
export async function transmissionsOf(
  db: Reader,
  accountId: string,
  appId: string,
  eventIds: readonly string[],
): Promise<Transmission[]> {
  if (eventIds.length === 0) return []
  const days = eventIds.flatMap((id) => dayInId(id) ?? [])
  const within = (column: Fragment) => (days.length < eventIds.length ? raw('') : ofDays(column, days))
  const { statement, values } = fragment`
    select ${transmissionColumns} from ${tablesOf(fragment`${ofDelivery} ${within(raw('t.delivery_id'))}`)}
    where d.account_id = ${accountId} and d.app_id = ${appId} and d.event_id = any(${eventIds}) ${within(raw('d.id'))}
    order by d.webhook_id, d.round`.toQuery()
  return db.rows<Transmission>(statement, values)
}

export interface TransmissionFilter {
  readonly appId: string
  /** Those of the caller. */
  readonly scopes: ReadonlySet<string>
  readonly accountId: string
  readonly webhookId?: string | undefined
  readonly status?: Transmission['status'] | 'RETRYING' | undefined
}

export function listTransmissions(
  db: Reader,
  { appId, scopes, accountId, webhookId, status }: TransmissionFilter,
  page: Page,
): Promise<Transmission[]> {
  const backwards = page.index?.move === 'previous'
  const conditions = [
    fragment`d.account_id = ${accountId}`,
    // Of one webhook there may be few among many of its app: then the app is kept out of the choice of an index.
    webhookId === undefined
      ? fragment`d.app_id = ${appId}`
      : fragment`d.webhook_id = ${webhookId} and d.app_id || '' = ${appId}`,
    sentOf,
    fragment`d.transmit_time between ${page.from} and ${page.to}`,
    ...(status === undefined ? [] : [isStatus[status]]),
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
    select ${transmissionColumns} from ${transmissionTables} ${holding(scopes)}
    where ${joined(conditions, ' and ')} order by ${order} limit ${page.size + 1}`.toQuery()
  return db.rows<Transmission>(statement, values)
}

/** PostgreSQL refuses to look for anything else by such an id. */
export const isUuid = (text: string) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

export async function findTransmission(
  db: Reader,
  accountId: string,
  { appId, scopes }: Caller,
  id: string,
): Promise<CausedTransmission> {
  const day = dayInId(id)
  const ofDay =
    day === undefined ? raw('') : fragment`and e.id >= ${firstEventId(day)} and e.id < ${firstEventId(day + 1)}`
  const { statement, values } = fragment`
    select ${transmissionColumns}, e.cause
    from ${tablesOf(fragment`t.delivery_id = ${id}`)}
      left join events e on e.account_id = d.event_account_id and e.id = d.event_id ${ofDay}
      ${holding(scopes)}
    where d.account_id = ${accountId} and d.app_id = ${appId} and d.id = ${id} and ${sentOf}`.toQuery()
  const found = isUuid(id) ? await db.row<CausedTransmission>(statement, values) : undefined
  if (!found) throw notFound('The transmission')
  return found
}

const attemptsOf = sql`
  select number, attempt_time, url, http_status, reason, duration_ms, response_headers, response_body, error
  from delivery_attempts where account_id = $1 and delivery_id = $2 order by number`

export const listAttempts = (db: Reader, accountId: string, id: string): Promise<Attempt[]> =>
  db.rows<Attempt>(attemptsOf, [accountId, id])
