import type { Connection } from '../database/open.ts'
import { type Statement, sql, statementOf } from '../database/sql.ts'
import type { Instant } from '../kernel/clock.ts'

/** A job in the hands of this process. */
export interface ClaimedJob {
  readonly id: bigint
  readonly name: string
  readonly payload: object
  readonly key: string | null
  readonly run_at: Instant
  readonly attempts: number
  readonly fence: number
  readonly crashes: number
  readonly class: number
  readonly account_id: string
  readonly create_time: Instant
  readonly cause: string | null
}

/** How many accounts one claim looks at. The next claim goes on after the last of them. */
const ACCOUNTS_PER_CLAIM = 24

/**
 * Takes due jobs, class by class, accounts in turn and a few of each. Stepping from account to account through the index
 * costs the same however much any of them has waiting. Jobs that have become due since the last look are only marked here,
 * and found by the next claim.
 *
 * The lease runs on the database's own clock: the service's clock can be moved by a sandbox, and must not give away
 * jobs that are being worked on. A lease that ran out means the worker died, unless the database was away: then it may come
 * back, and nothing is taken over until it has had time to.
 */
const claimInTurn = sql`
  with recursive promoted as (
    update jobs set due = true where id = any(array(
      select id from jobs where not due and parked_time is null and run_at <= $1 order by run_at, id limit 500
      for update skip locked))
    returning 1),
  wanted as materialized (
    select * from unnest($2::int[], $3::int[], $4::int[], $5::text[]) as w (class, count, each, after_account)),
  turn as (
    select w.class, w.each, 1 as place, (
      select j.account_id from jobs j
      where j.due and j.parked_time is null and j.class = w.class and j.account_id > w.after_account
      order by j.account_id limit 1) as account_id
    from wanted w
    union all
    select t.class, t.each, t.place + 1, (
      select j.account_id from jobs j
      where j.due and j.parked_time is null and j.class = t.class and j.account_id > t.account_id
      order by j.account_id limit 1)
    from turn t where t.account_id is not null and t.place < $6),
  able as materialized (
    select t.class, t.account_id, t.place, t.each - coalesce(busy.running, 0) as room
    from turn t left join unnest($7::int[], $8::text[], $9::int[]) as busy (class, account_id, running)
      on busy.class = t.class and busy.account_id = t.account_id
    where t.account_id is not null and t.each > coalesce(busy.running, 0)),
  first as materialized (
    select able.class, able.place, waiting.id from able cross join lateral (
      select j.id from jobs j
      where j.due and j.parked_time is null and j.class = able.class and j.account_id = able.account_id
        and j.run_at <= $1 and (j.lease_until is null or ($10 and j.lease_until < clock_timestamp()))
      order by j.run_at, j.id limit able.room
      for update skip locked) waiting),
  ranked as (
    select first.id, w.count, row_number() over (partition by first.class order by first.place) as rank
    from first join wanted w on w.class = first.class),
  claimed as (
    update jobs set attempts = attempts + 1, fence = fence + 1, lease_until = clock_timestamp() + interval '60 seconds',
      crashes = crashes + (lease_until is not null)::int
    from ranked where ranked.rank <= ranked.count and jobs.id = ranked.id
    returning jobs.id, name, payload, key, run_at, attempts, fence, crashes, class, account_id, cause, create_time)
  select head.*, claimed.* from (
    select (select count(*) from promoted)::int as promoted,
      (select json_object_agg(t.class, t.account_id) from turn t where t.place = $6 and t.account_id is not null) as reached
    ) head left join claimed on true`

/**
 * Takes the job that fell due first, whichever account it is for: when a clock is moved, everything happens in order. The
 * job is looked up with `=`: with `in`, PostgreSQL might run the subquery as the inner side of a loop, and lock another job
 * each time round.
 */
const claimEarliest = sql`
  update jobs set attempts = attempts + 1, fence = fence + 1, lease_until = clock_timestamp() + interval '60 seconds',
    crashes = crashes + (lease_until is not null)::int
  where id = (
    select id from jobs
    where run_at <= $1 and parked_time is null and (lease_until is null or lease_until < clock_timestamp())
    order by run_at, id limit 1
    for update skip locked)
  returning id, name, payload, key, run_at, attempts, fence, crashes, class, account_id, cause, create_time`
const finishJob = sql`delete from jobs where id = $1 and fence = $2 returning 1`
const renewLeases = sql`
  update jobs set lease_until = clock_timestamp() + interval '60 seconds' from unnest($1::bigint[], $2::int[]) as held(id, fence)
  where jobs.id = held.id and jobs.fence = held.fence`
const tryAgainAt = sql`
  update jobs set run_at = $3, last_error = $4, lease_until = null, due = false where id = $1 and fence = $2 returning 1`
const parkJob = sql`
  update jobs set parked_time = $3, last_error = $4, lease_until = null where id = $1 and fence = $2 returning 1`
/** Takes effect only once: a process that did not hear whether it was committed sends it again. */
const giveBackJob = sql`
  update jobs set attempts = attempts - 1, lease_until = null where id = $1 and fence = $2 and lease_until is not null returning 1`
const leaveJob = sql`
  update jobs set attempts = attempts - 1, run_at = $3, last_error = $4, lease_until = null, due = false
  where id = $1 and fence = $2 and lease_until is not null returning 1`
/** Whoever took the job over counted a crash, because the lease had run out. This takes that count back. */
const takeBackCrash = sql`update jobs set crashes = crashes - 1 where id = $1 and crashes > 0`
/** A worker that was killed may have been killed by its job, so it counts as it does when a lease runs out. */
const freeAll = sql`
  update jobs set lease_until = null, crashes = crashes + 1
  where run_at <= $1 and parked_time is null and lease_until is not null`
const earliestOpen = sql`select min(run_at) as run_at from jobs where parked_time is null`

/**
 * The names under which payloads say what a job is about; the first one present counts. The index `jobs_of_subject` has the
 * same.
 */
export const subjectNames = ['dispute_id', 'invoice_id', 'capture_id', 'refund_id'] as const
const subject = `coalesce(${subjectNames.map((name) => `payload->>'${name}'`).join(', ')})`
const waiting = 'select name, payload, key, run_at, attempts, account_id from jobs where parked_time is null'
const soonest = 'order by run_at, id limit $1'
const earliestJobs = statementOf(`${waiting} ${soonest}`)
/** Each part has an index of its own, except for jobs that are due already, which are few. */
const earliestAbout = statementOf(`
  ${waiting} and id = any(array(
    select id from jobs where not due and parked_time is null and ${subject} = any($2)
    union select id from jobs where due and parked_time is null and ${subject} = any($2)
    union select id from jobs where key = any($2)))
  ${soonest}`)

/** How many jobs of one class may be claimed. */
export interface Room {
  readonly class: number
  readonly count: number
  /** How many may run for one account, including those that run already. */
  readonly each: number
  /** Accounts take turns: the claim begins with those after this one. */
  readonly afterAccount: string
  /** How many run already, by account. */
  readonly running: ReadonlyMap<string, number>
}

export interface Claimed {
  readonly jobs: readonly ClaimedJob[]
  /** How many jobs have become due since the last look, and wait to be claimed. */
  readonly promoted: number
  /** By class: the last account that was looked at. Only given if there may be more accounts after it. */
  readonly reached: Readonly<Record<number, string>>
}

interface ClaimRow extends Omit<ClaimedJob, 'id'> {
  readonly promoted: number
  readonly reached: Record<number, string> | null
  readonly id: bigint | null
}

/** Takes over jobs that others hold too long only when `takesOver` is true. */
export async function claimJobs(
  database: Connection,
  now: Instant,
  room: readonly Room[],
  takesOver = true,
): Promise<Claimed> {
  const busy = room.flatMap((one) =>
    [...one.running].map(([account, running]) => ({ class: one.class, account, running })),
  )
  const rows = await database.rows<ClaimRow>(claimInTurn, [
    now,
    room.map((one) => one.class),
    room.map(({ count }) => count),
    room.map(({ each }) => each),
    room.map(({ afterAccount }) => afterAccount),
    ACCOUNTS_PER_CLAIM,
    busy.map((one) => one.class),
    busy.map(({ account }) => account),
    busy.map(({ running }) => running),
    takesOver,
  ])
  const jobs = rows
    .filter((row): row is ClaimRow & ClaimedJob => row.id !== null)
    .sort((a, b) => (a.run_at < b.run_at || (a.run_at === b.run_at && a.id < b.id) ? -1 : 1))
  return { jobs, promoted: rows[0]!.promoted, reached: rows[0]!.reached ?? {} }
}

export async function claimFirst(database: Connection, now: Instant): Promise<ClaimedJob | undefined> {
  return (await database.rows<ClaimedJob>(claimEarliest, [now]))[0]
}

/** Removes a job that is done. */
export const finish = (database: Connection, job: ClaimedJob) => end(database, job, finishJob)

export async function renew(database: Connection, held: readonly ClaimedJob[]): Promise<void> {
  await database.rows(renewLeases, [held.map(({ id }) => id), held.map(({ fence }) => fence)])
}

/** Lets a failed job wait for its next try. */
export const putOff = (database: Connection, job: ClaimedJob, until: Instant, error: string) =>
  end(database, job, tryAgainAt, [until, error])

/** Leaves a failed job to the operator. */
export const park = (database: Connection, job: ClaimedJob, now: Instant, error: string) =>
  end(database, job, parkJob, [now, error])

/** Undoes a claim: the job was not to blame for what went wrong, so this does not count as an attempt. */
export const giveBack = (database: Connection, job: ClaimedJob) => end(database, job, giveBackJob)

/** Undoes the claim of a job that this process does not know, and leaves it alone for a while. */
export const leaveToOthers = (database: Connection, job: ClaimedJob, until: Instant, error: string) =>
  end(database, job, leaveJob, [until, error])

/** Frees due jobs that ended processes hold. Only where no other process works. */
export async function freeJobs(database: Connection, now: Instant): Promise<void> {
  await database.rows(freeAll, [now])
}

/** Ends this process's hold on a job. Another process may have taken it over when the lease ran out. */
async function end(
  database: Connection,
  { id, fence }: ClaimedJob,
  statement: Statement,
  values: readonly unknown[] = [],
): Promise<void> {
  const ended = await database.rows(statement, [id, fence, ...values])
  if (ended.length === 0) await database.rows(takeBackCrash, [id])
}

/** When the earliest open job falls due or fell due; one that is being worked on counts as well. */
export async function nextOpen(database: Connection): Promise<Instant | undefined> {
  const [row] = await database.rows<{ run_at: Instant | null }>(earliestOpen)
  return row?.run_at ?? undefined
}

/** A job that waits for its time. */
export type WaitingJob = Pick<ClaimedJob, 'name' | 'payload' | 'key' | 'run_at' | 'attempts' | 'account_id'>

/** The open jobs that fall due first; only those about one of these ids, where any are given. */
export const waitingJobs = (database: Connection, limit: number, about?: readonly string[]): Promise<WaitingJob[]> =>
  about ? database.rows(earliestAbout, [limit, about]) : database.rows(earliestJobs, [limit])
