import type { AnnouncedEvent } from '../database/event.ts'
import { sql, statementOf } from '../database/sql.ts'
import type { Announce, Write } from '../database/transaction.ts'
import type { Service } from '../room.ts'
import { rowMayHear, type Shown, shownIn } from './audience.ts'
import { deliveryId } from './delivery/delivery-id.ts'
import { queueInserted } from './delivery/queue.ts'
import { eventBody } from './events/envelope.ts'
import { mentionIds } from './events/mentioned-ids.ts'

const returned = 'returning seq, account_id, id, type, resource_id, create_time'

/** Nearly every unit of work has one event. Its text then need not travel as part of an array. */
const insertEvent = statementOf(
  `insert into events (account_id, id, app_id, type, resource_id, body, create_time, actor, cause)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9) ${returned}`,
)
const insertEvents = statementOf(
  `insert into events (account_id, id, app_id, type, resource_id, body, create_time, actor, cause)
   select e.account_id, e.id, e.app_id, e.type, e.resource_id, e.body, e.create_time, e.actor, e.cause
   from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[])
     with ordinality as e (account_id, id, app_id, type, resource_id, body, create_time, actor, cause, place)
   order by e.place ${returned}`,
)

/**
 * What is the same for all events of a unit of work becomes part of the SQL, which then is far less work to carry out. What
 * differs is undefined here, and asked of each event.
 */
interface Traits {
  /** Whether there is an app that called for this account, or that the resource is known to come from. */
  readonly isKnown: boolean | undefined
  /** Tells the two apart. */
  readonly isCalled: boolean | undefined
  readonly isDispute: boolean | undefined
  readonly shown: Shown | undefined
}

const asked = { isKnown: 'known.app_id is not null', isCalled: 'known.called', isDispute: 'known.dispute' } as const
type Trait = keyof typeof asked

/** Who may have to hear of an event, and of which events. */
const candidates: readonly { readonly of: Partial<Record<Trait, boolean>>; readonly text: string }[] = [
  { of: { isKnown: true }, text: 'select known.app_id where true' },
  // An app that calls for a merchant shares the event with the merchant's own apps.
  {
    of: { isDispute: false, isCalled: true },
    text: `select own.id from apps own join apps c on c.id = known.app_id and c.account_id <> own.account_id
           where own.account_id = announced.account_id`,
  },
  // What nobody called for goes to the app that the resource came from, and to the apps that asked for such events.
  {
    of: { isDispute: false, isCalled: false },
    text: 'select l.app_id from webhook_lookups l where l.account_id = announced.account_id',
  },
  {
    of: { isDispute: false, isKnown: false },
    text: `select e.app_id from (select e.app_id from events e where e.account_id = announced.account_id
             and e.resource_id = announced.resource_id and e.app_id is not null order by e.seq limit 1) e where true`,
  },
  // What happens in a dispute goes to every app of the seller, and to every partner who may see the seller's disputes.
  { of: { isDispute: true }, text: 'select own.id from apps own where own.account_id = announced.account_id' },
  { of: { isDispute: true }, text: 'select c.app_id from consents c where c.account_id = announced.account_id' },
]

/** The apps that hear of an event, for events with these traits. */
function listeners(traits: Traits): string {
  const ids = candidates.flatMap(({ of, text }) => {
    const wanted = Object.entries(of) as [Trait, boolean][]
    if (wanted.some(([trait, is]) => traits[trait] === !is)) return []
    const open = wanted.filter(([trait]) => traits[trait] === undefined)
    return [[text, ...open.map(([trait, is]) => `${is ? '' : 'not '}(${asked[trait]})`)].join(' and ')]
  })
  // Each is looked up by itself: for a handful the server would sooner go through all apps there are.
  return `
  select a.id as app_id, a.account_id from (${ids.join(' union ')}) as one (id)
    cross join lateral (select * from apps a where a.id = one.id offset 0) a
  where a.status = 'ENABLED' and ${rowMayHear('a', 'announced.account_id', 'announced.type', traits.shown)}`
}

/** What is known of one event, or as arrays of several. */
const knownOfOne = '(values ($1::text, $2::text, $3::boolean, $4::boolean))'
const knownOfEach = 'unnest($1::text[], $2::text[], $3::boolean[], $4::boolean[])'

const insertAudience = (known: string, traits: Traits) =>
  statementOf(
    `insert into event_audience (account_id, app_id, event_id, event_account_id, event_type, seq, create_time)
   select heard.account_id, heard.app_id, announced.id, announced.account_id, announced.type, announced.seq,
     announced.create_time
   from announced join ${known} as known (event_id, app_id, called, dispute) on known.event_id = announced.id
     cross join lateral (${listeners(traits)}) as heard
   returning account_id, app_id, event_id`,
  )

const keyOf = (known: string, { isKnown, isCalled, isDispute, shown }: Traits) =>
  [known, isKnown, isCalled, isDispute, shown].join()

/** Every statement there may be, made when this is loaded: so whatever looks at all statements of the source sees each of them. */
const audiences = new Map(
  [knownOfOne, knownOfEach].flatMap((known) =>
    traitsOf(known === knownOfOne).map((traits) => [keyOf(known, traits), insertAudience(known, traits)] as const),
  ),
)

/** All traits that one event can have, or several. */
function traitsOf(one: boolean): Traits[] {
  const either = one ? [true, false] : [true, false, undefined]
  const told = [
    { isDispute: true, shown: 'dispute' },
    { isDispute: false, shown: 'invoices' },
    { isDispute: false, shown: 'payments' },
    ...(one
      ? []
      : [{ isDispute: false, shown: undefined } as const, { isDispute: undefined, shown: undefined } as const]),
  ] as const
  return either.flatMap((isKnown) => either.flatMap((isCalled) => told.map((what) => ({ isKnown, isCalled, ...what }))))
}

/** An app that calls for its own account is the only one to hear of what it did, so nobody else has to be looked for. */
const insertOwnAudience = sql`
  insert into event_audience (account_id, app_id, event_id, event_account_id, event_type, seq, create_time)
  select a.account_id, a.id, e.id, e.account_id, e.type, e.seq, e.create_time
  from announced e join apps a on a.id = $1 and a.status = 'ENABLED'
  returning account_id, app_id, event_id`

/**
 * A disabled webhook, and one of a suspended account, gets its deliveries too, as failed ones, so that they can be seen
 * and replayed.
 */
const insertDeliveries = statementOf(`
  insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, seq, resource_id,
    transmit_time, failure)
  select w.account_id, ${deliveryId({ event: 'e.id', webhook: 'w.id', round: '0' })}, w.app_id, w.id, e.account_id, e.id, e.type, e.seq, e.resource_id,
    e.create_time, case when not w.enabled then 'The webhook is disabled.'
      when (select m.status <> 'ACTIVE' from accounts m where m.id = w.account_id) then 'The account is suspended.' end
  from audience a
    join announced e on e.id = a.event_id
    join webhooks w on w.account_id = a.account_id and w.app_id = a.app_id
      and (e.type = any(w.event_types) or '*' = any(w.event_types))
  returning *`)

/**
 * Stores events with the business that caused them, tells which apps they are for, and adds one delivery for every webhook
 * that matches. All of it is part of the one statement of the commit, so no event can exist without them.
 */
export const makeAnnounce = (service: Service): Announce => {
  return (events) => {
    const texts = events.map((event) => eventBody(service, event))
    const writes: Write[] = [
      { name: 'announced', ...inserted(events.map((event, i) => rowOf(event, texts[i]!))) },
      audienceOf(events),
      { name: 'inserted', statement: insertDeliveries, values: [] },
      { name: 'queued', statement: queueInserted, values: [], wakes: 'deliveries' },
      ...mentionIds(events, texts),
    ]
    return writes
  }
}

const rowOf = (event: AnnouncedEvent, text: string) => [
  event.accountId,
  event.id,
  event.callingAppId ?? event.appId ?? null,
  event.type,
  event.resourceId,
  text,
  event.time,
  event.actor,
  event.cause,
]

function inserted(rows: readonly (readonly (string | null)[])[]): Pick<Write, 'statement' | 'values'> {
  return { statement: rows.length === 1 ? insertEvent : insertEvents, values: valuesOf(rows) }
}

/** The values of a single row, or the columns of several. */
const valuesOf = ([first, ...others]: readonly (readonly unknown[])[]): readonly unknown[] =>
  others.length === 0 ? first! : first!.map((value, column) => [value, ...others.map((row) => row[column])])

function audienceOf(events: readonly AnnouncedEvent[]): Write {
  const name = 'audience'
  const own = events[0]?.callingAppId
  const shown = events.map(({ type }) => shownIn(type))
  // All events of a unit of work come from one call.
  if (
    own !== undefined &&
    events.every(({ callingAppId, onBehalf }) => callingAppId === own && !onBehalf) &&
    !shown.includes('dispute')
  )
    return { name, statement: insertOwnAudience, values: [own] }
  const known = events.map(({ id, callingAppId, appId }, i) => ({
    id,
    appId: callingAppId ?? appId ?? null,
    isCalled: callingAppId !== undefined,
    isDispute: shown[i] === 'dispute',
  }))
  const traits = {
    isKnown: common(known.map(({ appId }) => appId !== null)),
    isCalled: common(known.map(({ isCalled }) => isCalled)),
    isDispute: common(known.map(({ isDispute }) => isDispute)),
    shown: common(shown),
  }
  const from = events.length === 1 ? knownOfOne : knownOfEach
  return {
    name,
    statement: audiences.get(keyOf(from, traits))!,
    values: valuesOf(known.map((one) => Object.values(one))),
  }
}

/** What all of them are. Undefined if they differ. */
const common = <Value>([first, ...others]: readonly Value[]): Value | undefined =>
  others.every((other) => other === first) ? first : undefined
