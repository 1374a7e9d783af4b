import { type Fragment, fragment, joined, raw, sql, statementOf, unseen } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Instant } from '../../kernel/clock.ts'
import { dayOf, firstEventId } from '../../kernel/dated.ts'
import { notFound } from '../../kernel/problem.ts'
import { mayHear } from '../audience.ts'
import { boundsOf, isBackwards, oneMoreThan, type Page } from './page.ts'

export interface StoredEvent {
  readonly account_id: string
  readonly id: string
  readonly type: string
  readonly create_time: Instant
  readonly body: string
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

const heardOf = raw(mayHear({ ...audience, held: 'held.scopes' }))
/** The scopes that somebody holds, for `mayHear`. */
export const heldBy = (scopes: ReadonlySet<string>) =>
  fragment`(select ${unseen([...scopes], 'text[]')} as scopes) held`

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
 * The events that the app was told of. While the server has no statistics on an account, it takes any index that begins with
 * the account for as good as the key, and would step through all events of the account, or with partitions through all
 * events there are. Asked for as the least of a range of one id, each event is found by its key.
 */
const withEvents = (heard: Fragment) => fragment`
  ${heard} a cross join lateral (
    select * from events where account_id = a.event_account_id
      and id between a.event_id and a.event_id order by id limit 1) e`
const told = withEvents(raw('event_audience'))
const toldAbout = (id: string, filter: EventFilter) =>
  withEvents(fragment`
  (${concerning(id, filter)}) about (event_id) cross join lateral (
    select * from event_audience where account_id = ${filter.accountId} and app_id = ${filter.appId}
      and event_id between about.event_id and about.event_id order by event_id limit 1)`)

/** The type that a row of the audience has if it was written before rows held the type of their event. */
const UNKNOWN_TYPE = ''

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
 * One event more than the page holds, so that the caller knows whether there is another page, in the order they were read.
 * Where ids of events carry their day, the day at the page's beginning is asked first: mostly it has enough, and the other
 * partitions are left alone.
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

/** Events of this day, and those whose ids carry no day. */
const ofDay = (day: number) => fragment`
  (a.event_id < ${firstEventId()} or a.event_id >= ${firstEventId(day)} and a.event_id < ${firstEventId(day + 1)})`

/** An event with its place among those of the same time. */
interface ToldEvent extends StoredEvent {
  readonly seq: bigint
}

/**
 * Reads events of a type by the index of types. There may be very many older rows without a type, of which few or none
 * belong to the type. So if the page is full already, only what would come before its last event is looked for among them.
 */
async function readEvents(db: Reader, filter: EventFilter, page: Page, day?: number): Promise<StoredEvent[]> {
  const { type, transactionId } = filter
  if (type === undefined || transactionId !== undefined) return readTold(db, filter, page, { day })
  const known = await readTold(db, filter, page, { day, kind: type })
  const unknown = await readTold(db, filter, upTo(page, known[page.size]), { day, kind: UNKNOWN_TYPE })
  if (unknown.length === 0) return known
  const isBefore = (a: ToldEvent, b: ToldEvent) =>
    a.create_time === b.create_time ? a.seq < b.seq : a.create_time < b.create_time
  const sign = isBackwards(page) ? -1 : 1
  return [...known, ...unknown].sort((a, b) => (isBefore(a, b) ? sign : -sign)).slice(0, page.size + 1)
}

/** The same page, ending at this event. */
function upTo(page: Page, last: ToldEvent | undefined): Page {
  if (!last) return page
  return { ...page, ...(isBackwards(page) ? { to: last.create_time } : { from: last.create_time }) }
}

function readTold(
  db: Reader,
  filter: EventFilter,
  page: Page,
  { day, kind }: { day: number | undefined; kind?: string },
): Promise<ToldEvent[]> {
  const { appId, scopes, accountId, type, transactionId } = filter
  const [account, app] = [unseen(accountId, 'text'), unseen(appId, 'text')]
  const { after, before } = boundsOf(page, {
    least: raw('-1'),
    most: raw('9223372036854775807'),
    of: (id) =>
      fragment`(select seq from event_audience where account_id = ${account} and app_id = ${app} and event_id = ${id})`,
  })
  // The type is part of the order as well, so that no other index will do. The index of times would be read to its end for a
  // rare type.
  const columns = kind === undefined ? 'a.create_time, a.seq' : 'a.event_type, a.create_time, a.seq'
  const ofKind = kind === undefined ? raw('') : fragment`${unseen(kind, 'text')}, `
  const order = raw(isBackwards(page) ? columns : columns.replace(/,|$/g, ' desc$&'))
  const { statement, values } = fragment`
    select e.account_id, e.id, e.type, a.create_time, a.seq, e.body
    from ${transactionId === undefined ? told : toldAbout(transactionId, filter)} cross join ${heldBy(scopes)}
    where ${joined(
      [
        fragment`a.account_id = ${account} and a.app_id = ${app}`,
        fragment`(${raw(columns)}) > (${ofKind}${after}) and (${raw(columns)}) < (${ofKind}${before})`,
        heardOf,
        ...(type === undefined ? [] : [fragment`e.type = ${unseen(type, 'text')}`]),
        ...(day === undefined ? [] : [ofDay(day)]),
      ],
      ' and ',
    )} order by ${order} ${oneMoreThan(page)}`.toQuery()
  return db.rows<ToldEvent>(statement, values)
}
