import { type Fragment, fragment, joined, raw, sql, unseen } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Instant } from '../../kernel/clock.ts'
import { dayInId, firstDeliveryId, firstEventId } from '../../kernel/dated.ts'
import { notFound } from '../../kernel/problem.ts'
import { mayHear } from '../audience.ts'
import { boundsOf, isBackwards, oneMoreThan, type Page } from './page.ts'
import { heldBy } from './store.ts'

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

/** With the cause of its event. Unknown for old events and for those that are gone. */
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

const transmissionColumns = fragment`
  d.id, d.webhook_id, d.event_id, d.event_type, d.round, coalesce(t.url, d.url, w.url) as url,
  case when d.failure is not null then 'FAILURE' when q.id is not null then 'PENDING' else 'SUCCESS' end as status,
  coalesce(t.number, 0) as attempts, d.transmit_time, q.next_time, t.http_status, coalesce(d.failure, t.error) as error,
  t.reason, t.duration_ms, t.response_headers`
/**
 * When ids of deliveries are known, `attempts` repeats them where attempts are looked for, so that few partitions are
 * planned. Each row of the queue is looked up by itself, because a join might read the whole queue.
 */
const tablesOf = (attempts: Fragment, deliveries = raw('deliveries')) => fragment`
  ${deliveries} d left join webhooks w on w.account_id = d.account_id and w.id = d.webhook_id
    left join lateral (select * from delivery_queue q where q.account_id = d.account_id and q.id = d.id offset 0) q on true
    left join lateral (select * from delivery_attempts t where t.account_id = d.account_id and ${attempts}
      order by t.number desc limit 1) t on true`
const ofDelivery = raw('t.delivery_id = d.id')
const sentOf = raw(
  mayHear({
    app: 'd.app_id',
    appAccount: 'd.account_id',
    account: 'd.event_account_id',
    type: 'd.event_type',
    held: 'held.scopes',
  }),
)
/** A delivery lies in the partition of its event's day. */
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

/** A column of the delivery's row in the queue. It is a value and not a join, because a join might read the whole queue. */
const queued = (column: string) =>
  raw(`(select q.${column} from delivery_queue q where q.account_id = d.account_id and q.id = d.id)`)
const isStatus = {
  PENDING: fragment`${queued('id')} is not null`,
  RETRYING: fragment`${queued('attempts')} > 0`,
  SUCCESS: fragment`d.failure is null and ${queued('id')} is null`,
  FAILURE: fragment`d.failure is not null`,
}

/**
 * With a status, the first so many pages of the list are looked through before the deliveries of that status are sought
 * apart.
 */
const GLANCE = 10
/** At most so many deliveries of a status are sorted. If there are more, the list holds them close together anyway. */
const SORTED_MAX = 10_000

/**
 * One more than the page holds, in the order they were read. Those of a status are mostly found among the first of the list; where
 * they are not, there are few of them among very many others, and they come from the queue, or from the attempts that arrived. A delivery
 * made again later carries the day of its event, so no partition can be left out.
 */
export async function listTransmissions(db: Reader, filter: TransmissionFilter, page: Page): Promise<Transmission[]> {
  const { status } = filter
  if (status !== undefined && status !== 'FAILURE') {
    const found = await readTransmissions(db, filter, page, glance)
    if (found.length > page.size) return found
    const keys = (status === 'SUCCESS' ? arrived : waiting)(filter)
    if (await isFew(db, keys)) return readTransmissions(db, filter, page, those(keys))
  }
  return readTransmissions(db, filter, page, everything)
}

async function isFew(db: Reader, keys: Fragment): Promise<boolean> {
  const { statement, values } = fragment`select 1 from (${keys}) k ${raw(`offset ${SORTED_MAX} limit 1`)}`.toQuery()
  return (await db.row(statement, values)) === undefined
}

/** One webhook may have few deliveries among many of its account. Then the account must not decide which index is used. */
const waiting = ({ accountId, webhookId }: TransmissionFilter) => fragment`
  select q.account_id, q.id from delivery_queue q
  where ${webhookId === undefined ? fragment`q.account_id = ${accountId}` : fragment`q.webhook_id = ${webhookId} and q.account_id || '' = ${accountId}`}`

/** A delivery is never attempted again once a receiver has accepted it. */
const arrived = ({ accountId }: TransmissionFilter) => fragment`
  select t.account_id, t.delivery_id as id from delivery_attempts t
  where t.account_id = ${unseen(accountId, 'text')} and t.http_status between 200 and 299`

interface Listed {
  readonly page: Page
  /** What the page is cut from, before any status is looked at. */
  readonly conditions: Fragment
  readonly order: Fragment
}
/** Deliveries `d` among which a page is looked for. */
type Among = (listed: Listed) => Fragment

const everything: Among = ({ conditions }) => fragment`deliveries d where ${conditions}`
const glance: Among = ({ page, conditions, order }) => fragment`(
  select * from deliveries d where ${conditions} order by ${order} ${raw(`limit ${GLANCE * page.size}`)}) d where true`
/**
 * Finds each by its key, as the least of a range of one id. So the server has no other index to choose, even without
 * statistics.
 */
const those =
  (keys: Fragment): Among =>
  ({ conditions }) =>
    fragment`
  (${keys} offset 0) k cross join lateral (
    select * from deliveries where account_id = k.account_id and id between k.id and k.id order by id limit 1) d
  where ${conditions}`

function readTransmissions(db: Reader, filter: TransmissionFilter, page: Page, among: Among): Promise<Transmission[]> {
  const { appId, scopes, accountId, webhookId, status } = filter
  const app = unseen(appId, 'text')
  const { after, before } = boundsOf(page, {
    least: raw(`'00000000-0000-0000-0000-000000000000'::uuid`),
    most: raw(`'ffffffff-ffff-ffff-ffff-ffffffffffff'::uuid`),
    of: (id) => unseen(id, 'uuid'),
  })
  // Of one webhook there may be few among many of its app: then the app is kept out of the choice of an index, and likely to be so.
  const conditions = fragment`d.account_id = ${unseen(accountId, 'text')} and ${
    webhookId === undefined
      ? fragment`d.app_id = ${app}`
      : fragment`d.webhook_id = ${unseen(webhookId, 'text')} and coalesce(d.app_id = ${app}, false)`
  } and (d.transmit_time, d.id) > (${after}) and (d.transmit_time, d.id) < (${before})`
  const order = raw(isBackwards(page) ? 'd.transmit_time, d.id' : 'd.transmit_time desc, d.id desc')
  const { statement, values } = fragment`
    select ${transmissionColumns} from ${tablesOf(
      ofDelivery,
      fragment`(
      select d.* from ${heldBy(scopes)} cross join ${among({ page, conditions, order })}
        and ${sentOf} ${status === undefined ? raw('') : fragment`and ${isStatus[status]}`}
      order by ${order} ${oneMoreThan(page)})`,
    )}
    order by ${order}`.toQuery()
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
      cross join ${heldBy(scopes)}
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
