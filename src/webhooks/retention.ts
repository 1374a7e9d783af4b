import type { Database } from '../database/open.ts'
import type { Partitions } from '../database/partitions.ts'
import { sql } from '../database/sql.ts'
import { removeAll, SWEEP_BATCH, type SweepParts } from '../jobs/sweep.ts'
import { after, type Instant } from '../kernel/clock.ts'

const DAY_SECONDS = 86_400
/** How many events that must stay are stepped over in one sweep. Events newer than the last of them wait for the next sweep. */
const KEPT_MAX = 10_000

/** The apps that were told of events before `$1`. Takes one step through the index for each app there is. */
const appsWithOld = sql`
  with recursive app as (
    (select account_id, app_id from event_audience order by account_id, app_id limit 1)
    union all
    select next.account_id, next.app_id from app cross join lateral (
      select a.account_id, a.app_id from event_audience a
      where (a.account_id, a.app_id) > (app.account_id, app.app_id) order by a.account_id, a.app_id limit 1) next)
  select app.account_id, app.app_id from app
  where exists (select from event_audience a
    where a.account_id = app.account_id and a.app_id = app.app_id and a.create_time < $1)`

/** Locking these rows keeps resends out: a resend locks the same rows until its deliveries can be seen. */
const holdHeard = sql`
  select ctid::text as place, event_id, create_time, seq from event_audience
  where account_id = $1 and app_id = $2 and create_time < $3 and (create_time, seq) > ($4, $5)
  order by create_time, seq limit $6 for update skip locked`
/** Locking these rows keeps anybody from asking for one more attempt of what failed. */
const holdSent = sql`
  select sent.* from unnest($3::text[]) as heard (event_id) cross join lateral (
    select d.event_id, d.id from deliveries d
    where d.account_id = $1 and d.event_id = heard.event_id and d.app_id = $2 for update of d) sent`
const stillQueued = sql`
  select waiting.id from unnest($2::uuid[]) as sent (id) cross join lateral (
    select q.id from delivery_queue q where q.account_id = $1 and q.id = sent.id offset 0) waiting`
/** Nobody ever updates the rows that say who heard of an event, so a locked row can be found by its `ctid`. */
const removeHeld = sql`
  with attempted as (delete from delivery_attempts where account_id = $1 and delivery_id = any($2::uuid[])),
  sent as (delete from deliveries where account_id = $1 and id = any($2::uuid[]))
  delete from event_audience where ctid = any($3::tid[])`
const stillHeard = sql`
  select heard.event_id, heard.create_time
  from unnest($1::text[], $2::text[]) as app (account_id, app_id) cross join lateral (
    select a.event_id, a.create_time from event_audience a
    where a.account_id = app.account_id and a.app_id = app.app_id and a.create_time < $3
    order by a.create_time limit $4) heard
  order by heard.create_time limit $4`
const removeEvents = sql`
  delete from events where ctid = any(array(
    select ctid from events where create_time < $1 and id <> all($3::text[])
    order by create_time limit $2 for update skip locked))
  returning 1`

/** The ids that an event mentioned are removed once the event is gone. */
const removeIds = sql`
  delete from event_ids where ctid = any(array(
    select i.ctid from event_ids i where i.create_time < $1
      and not exists (select from events e where e.account_id = i.account_id and e.id = i.event_id)
    order by i.create_time limit $2 for update skip locked))
  returning 1`

type Sweepable = Pick<Database, 'rows' | 'transaction'>

interface HearingApp {
  readonly account_id: string
  readonly app_id: string
}
interface Heard {
  readonly place: string
  readonly event_id: string
  readonly create_time: Instant
  readonly seq: bigint
}
interface Sent {
  readonly event_id: string
  readonly id: string
}

/**
 * Removes events that are older than so many days, with who heard of them, how they were sent and what came of it. One
 * that is still on its way to somebody stays, and so does everything that somebody can still read.
 */
export async function sweepEvents(parts: SweepParts, days: number): Promise<void> {
  if (days === 0) return
  const { now, partitions, stopped } = parts
  const database = partitions ? undatedIn(parts.database, partitions) : parts.database
  const before = after(now, -days * DAY_SECONDS)
  const apps = await database.rows<HearingApp>(appsWithOld, [before])
  for (const app of apps) {
    if (stopped()) return
    let last: Heard | undefined
    do last = await removeBatch(database, app, before, last)
    while (last && !stopped())
  }
  // The event itself goes last, when nobody is left who heard of it. No app is ever told of an old event anew.
  const columns = [apps.map(({ account_id }) => account_id), apps.map(({ app_id }) => app_id)]
  const kept = await database.rows<Pick<Heard, 'event_id' | 'create_time'>>(stillHeard, [...columns, before, KEPT_MAX])
  const until = kept.length < KEPT_MAX ? before : kept.at(-1)!.create_time
  await removeAll({ ...parts, database }, removeEvents, until, [kept.map(({ event_id }) => event_id)])
  await removeAll({ ...parts, database }, removeIds, before)
  await partitions?.dropEvents(before)
}

/** Rows in the partition of a day are dropped with it. So the statements below look only at the rows without a day. */
const undatedIn = (database: Database, partitions: Partitions): Sweepable => ({
  rows: (statement, values) => database.rows(partitions.undated(statement), values),
  transaction: (work) =>
    database.transaction(({ rows }) =>
      work({ rows: (statement, values) => rows(partitions.undated(statement), values) }),
    ),
})

/** Removes one batch. Gives the last row it looked at, or undefined when there are no more. */
function removeBatch(
  database: Sweepable,
  { account_id, app_id }: HearingApp,
  before: Instant,
  from: Heard | undefined,
): Promise<Heard | undefined> {
  return database.transaction(async (connection) => {
    const start = [from?.create_time ?? '', from?.seq ?? 0]
    const heard = await connection.rows<Heard>(holdHeard, [account_id, app_id, before, ...start, SWEEP_BATCH])
    const events = [account_id, app_id, heard.map(({ event_id }) => event_id)]
    const sent = await connection.rows<Sent>(holdSent, events)
    // Read after the rows are locked, so that none of these deliveries can begin to wait again.
    const queued = await connection.rows<Pick<Sent, 'id'>>(stillQueued, [account_id, sent.map(({ id }) => id)])
    const isQueued = new Set(queued.map(({ id }) => id))
    const isOpen = new Set(sent.filter(({ id }) => isQueued.has(id)).map(({ event_id }) => event_id))
    await connection.rows(removeHeld, [
      account_id,
      sent.filter(({ event_id }) => !isOpen.has(event_id)).map(({ id }) => id),
      heard.filter(({ event_id }) => !isOpen.has(event_id)).map(({ place }) => place),
    ])
    return heard.length < SWEEP_BATCH ? undefined : heard.at(-1)
  })
}
