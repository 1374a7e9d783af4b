import { type Statement, sql, statementOf } from '../database/sql.ts'
import type { Announce, AnnouncedEvent, Write } from '../database/transaction.ts'
import { eventTypes } from '../kernel/event-types.ts'
import type { Service } from '../room.ts'
import { queuePromised } from './delivery/queue.ts'
import { eventBody } from './events/envelope.ts'
import { mentionIds } from './events/mentioned-ids.ts'

const columns = { event: 7, known: 4 }

/** `($1, $2), ($3, $4)`: so many rows of so many placeholders. */
const places = (rows: number, width: number, cast: (column: number) => string = () => '') =>
  Array.from({ length: rows }, (_, row) => {
    const row1 = Array.from({ length: width }, (_, column) => `$${row * width + column + 1}${cast(column)}`)
    return `(${row1.join(', ')})`
  }).join(', ')

/** Makes each statement once; there are as many as a unit of work has ever had events. */
function byCount(make: (count: number) => Statement): (count: number) => Statement {
  const made: Statement[] = []
  return (count) => (made[count] ??= make(count))
}

const insertEvents = byCount((count) =>
  statementOf(
    `insert into events (account_id, id, app_id, type, resource_id, body, create_time)
     values ${places(count, columns.event)} returning seq, account_id, id, type, resource_id, create_time`,
  ),
)

const insertAudience = byCount((count) =>
  statementOf(
    `insert into event_audience (account_id, app_id, event_id, event_account_id, seq, create_time)
     select heard.account_id, heard.app_id, announced.id, announced.account_id, announced.seq, announced.create_time
     from announced
       join (values ${places(count, columns.known, (column) => (column < 2 ? '::text' : '::boolean'))})
         as known (event_id, app_id, called, dispute) on known.event_id = announced.id
       cross join lateral event_apps(
         announced.account_id, known.app_id, known.called, known.dispute, announced.resource_id) as heard
     returning account_id, app_id, event_id`,
  ),
)

/** An app that calls for its own account is the only one to hear of what it did: no need to ask who else is there. */
const insertOwnAudience = sql`
  insert into event_audience (account_id, app_id, event_id, event_account_id, seq, create_time)
  select a.account_id, a.id, e.id, e.account_id, e.seq, e.create_time
  from announced e join apps a on a.id = $1 and a.status = 'ENABLED'
  returning account_id, app_id, event_id`

/** A disabled webhook gets its deliveries too, as failed ones, so that they can be seen and replayed. */
const insertDeliveries = sql`
  insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, seq, resource_id,
    transmit_time, failure)
  select w.account_id, gen_random_uuid(), w.app_id, w.id, e.account_id, e.id, e.type, e.seq, e.resource_id,
    e.create_time, case when not w.enabled then 'The webhook is disabled.' end
  from audience a
    join announced e on e.id = a.event_id
    join webhooks w on w.account_id = a.account_id and w.app_id = a.app_id
      and (e.type = any(w.event_types) or '*' = any(w.event_types))
  returning *`

/**
 * Stores events with the business that caused them, tells which apps they are for, and promises one delivery to every
 * webhook that matches: all of it in the one statement of the commit, so that no event can be there without them.
 */
export const makeAnnounce = (service: Service): Announce => {
  return (events) => {
    const writes: Write[] = [
      {
        name: 'announced',
        statement: insertEvents(events.length),
        values: events.flatMap((event) => [
          event.accountId,
          event.id,
          event.callingAppId ?? event.appId ?? null,
          event.type,
          event.resourceId,
          eventBody(service, event),
          event.time,
        ]),
      },
      audienceOf(events),
      { name: 'promised', statement: insertDeliveries, values: [] },
      { name: 'queued', statement: queuePromised, values: [], wakes: 'deliveries' },
      ...mentionIds(events),
    ]
    return writes
  }
}

function audienceOf(events: readonly AnnouncedEvent[]): Write {
  const name = 'audience'
  const own = events[0]?.callingAppId
  // All events of a unit of work come from one call.
  if (own !== undefined && events.every((event) => event.callingAppId === own && !event.onBehalf && !isDispute(event)))
    return { name, statement: insertOwnAudience, values: [own] }
  const known = events.flatMap((event) => [
    event.id,
    event.callingAppId ?? event.appId ?? null,
    event.callingAppId !== undefined,
    isDispute(event),
  ])
  return { name, statement: insertAudience(events.length), values: known }
}

const isDispute = ({ type }: AnnouncedEvent) => eventTypes[type].resourceType === 'dispute'
