import type { Instant } from '../kernel/clock.ts'
import type { JobRequest } from '../kernel/job.ts'
import type { GatheredWrite } from './combine.ts'
import { type Statement, statementOf } from './sql.ts'

/** A job with its time and whether it goes before the others. */
type TimedJob = JobRequest & { readonly runAt: Instant; readonly isUrgent: boolean }

/** What shall become of a key, whatever the table holds at the commit. */
type Change = { readonly kind: 'insert' | 'replace'; readonly job: TimedJob } | { readonly kind: 'withdraw' }

/**
 * What a unit of work does to the jobs table. The commit is one statement, in which no change sees another. So all changes
 * of one key are merged into one that has the same effect as all of them in turn.
 */
export class JobChanges {
  /** By key; a job without a key has a symbol of its own. In the order in which the jobs shall be numbered. */
  readonly #changes = new Map<string | symbol, Change>()

  enqueue(job: TimedJob): void {
    const { key, replace = false } = job
    if (key === undefined && replace) throw new Error(`The job ${job.name} has no key, so there is none to replace.`)
    const before = key === undefined ? undefined : this.#changes.get(key)
    // A job that was gathered before counts as open by then, so it stays unless it shall be replaced.
    if (before && before.kind !== 'withdraw' && !replace) return
    // A withdrawal before this one must still take effect, so what the table holds may not stay either.
    this.#set(key ?? Symbol(job.name), { kind: before || replace ? 'replace' : 'insert', job })
  }

  withdraw(key: string): void {
    this.#set(key, { kind: 'withdraw' })
  }

  /** `cause` is the id of the cause that the jobs follow from. */
  writes(now: Instant, cause: string): GatheredWrite[] {
    const entries = [...this.#changes]
    const jobsOf = (kind: 'insert' | 'replace') =>
      entries.flatMap(([, change]) => (change.kind === kind ? [change.job] : []))
    const withdrawn = entries.flatMap(([key, { kind }]) => (kind === 'withdraw' ? [key] : []))
    return [
      ...write(insertJobs, jobsOf('insert'), now, cause),
      ...write(replaceJobs, jobsOf('replace'), now, cause),
      ...(withdrawn.length === 0 ? [] : [{ statement: deleteJobs, values: [withdrawn], guarded: false }]),
    ]
  }

  #set(key: string | symbol, change: Change): void {
    this.#changes.delete(key)
    this.#changes.set(key, change)
  }
}

function write(statement: Statement, jobs: readonly TimedJob[], now: Instant, cause: string): GatheredWrite[] {
  if (jobs.length === 0) return []
  const values = [
    jobs.map(({ name }) => name),
    jobs.map(({ payload }) => JSON.stringify(payload)),
    jobs.map(({ runAt }) => runAt),
    jobs.map(({ key }) => key ?? null),
    now,
    jobs.map(({ isUrgent }) => (isUrgent ? 0 : 1)),
    jobs.map(({ runAt }) => runAt <= now),
    cause,
  ]
  return [{ statement, values, guarded: false }]
}

/**
 * A job that takes the place of another is a new one, with an id of its own. What the old one did stays named after the old
 * id.
 */
const inItsPlace = `
  insert into jobs (name, payload, run_at, key, create_time, class, due, cause)
  select job.name, job.payload::jsonb, job.run_at, job.key, $5::text, job.class, job.due, $8::text
  from unnest($1::text[], $2::text[], $3::text[], $4::text[], $6::int[], $7::boolean[])
    with ordinality as job (name, payload, run_at, key, class, due, place)
  order by job.place
  on conflict (key) do update set id = default, name = excluded.name, payload = excluded.payload,
    run_at = excluded.run_at, create_time = excluded.create_time, class = excluded.class, due = excluded.due,
    cause = excluded.cause, attempts = 0, crashes = 0, fence = 0,
    lease_until = null, last_error = null, parked_time = null`

/** Leaves an open job with the same key as it is. A parked one has been given up, so it does not keep the key. */
const insertJobs = statementOf(`${inItsPlace} where jobs.parked_time is not null`)
const replaceJobs = statementOf(inItsPlace)
const deleteJobs = statementOf('delete from jobs where key = any($1)')
