import type { AnnouncedEvent } from '../database/event.ts'
import { sql, statementOf } from '../database/sql.ts'
import type { Announce, Write } from '../database/transaction.ts'
import { eventTypes } from '../kernel/event-types.ts'
import type { Service } from '../room.ts'
import { mayHear } from './audience.ts'
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
 * The apps that hear of an event. `known` is the app that called for this account, or else the app the resource is known to
 * come from; `called` tells the two apart. An app that calls for a merchant shares the event with the merchant's own apps.
 * An event that nobody called for goes to the app the resource came from, and to the apps that asked for such events. An
 * event of a dispute goes to every app of the seller, and to every partner who may see the seller's disputes.
 */
const listeners = `
  select a.id as app_id, a.account_id from apps a
  where a.status = 'ENABLED' and a.id in (
      select known.app_id
      union
      select own.id from apps own
      where own.account_id = announced.account_id
        and (known.dispute
          or (known.called and exists (select from apps c where c.id = known.app_id and c.account_id <> own.account_id))
          or (not known.called and exists (
            select from webhook_lookups l where l.account_id = own.account_id and l.app_id = own.id)))
      union
      select c.app_id from consents c where known.dispute and c.account_id = announced.account_id
      union
      (select e.app_id from events e
       where known.app_id is null and not known.dispute and e.account_id = announced.account_id
         and e.resource_id = announced.resource_id and e.app_id is not null order by e.seq limit 1))
    and ${mayHear({ app: 'a.id', appAccount: 'a.account_id', account: 'announced.account_id', type: 'announced.type' })}`

const insertAudience = statementOf(
  `insert into event_audience (account_id, app_id, event_id, event_account_id, event_type, seq, create_time)
   select heard.account_id, heard.app_id, announced.id, announced.account_id, announced.type, announced.seq,
     announced.create_time
   from announced
     join unnest($1::text[], $2::text[], $3::boolean[], $4::boolean[]) as known (event_id, app_id, called, dispute)
       on known.event_id = announced.id
     cross join lateral (${listeners}) as heard
   returning account_id, app_id, event_id`,
)

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
  const [first] = rows
  if (rows.length === 1) return { statement: insertEvent, values: first! }
  return { statement: insertEvents, values: first!.map((_, column) => rows.map((row) => row[column])) }
}

function audienceOf(events: readonly AnnouncedEvent[]): Write {
  const name = 'audience'
  const own = events[0]?.callingAppId
  // All events of a unit of work come from one call.
  if (own !== undefined && events.every((event) => event.callingAppId === own && !event.onBehalf && !isDispute(event)))
    return { name, statement: insertOwnAudience, values: [own] }
  const known = [
    events.map(({ id }) => id),
    events.map(({ callingAppId, appId }) => callingAppId ?? appId ?? null),
    events.map(({ callingAppId }) => callingAppId !== undefined),
    events.map(isDispute),
  ]
  return { name, statement: insertAudience, values: known }
}

const isDispute = ({ type }: AnnouncedEvent) => eventTypes[type].resourceType === 'dispute'
