import type { Database } from '../database/open.ts'
import { sql } from '../database/sql.ts'
import type { Transact } from '../database/transaction.ts'
import { after, type Clock, type Instant } from '../kernel/clock.ts'
import type { JobDefinition } from './job-definition.ts'
import type { Fired, WorkSource } from './work-source.ts'

const RENEW_EVERY_MS = 20_000
const CRASHES_MAX = 3
const ERROR_LENGTH_MAX = 2_000

interface ClaimedJob {
  id: bigint
  name: string
  payload: object
  key: string | null
  run_at: Instant
  attempts: number
  fence: number
  crashes: number
}

/**
 * The lease runs on the database's own clock: the service's clock can be moved by a sandbox, and must not give away
 * jobs that are being worked on. A lease that ran out means the worker died.
 */
const claimDue = sql`
  update jobs set attempts = attempts + 1, fence = fence + 1, lease_until = clock_timestamp() + interval '60 seconds',
    crashes = crashes + (lease_until is not null)::int
  where id in (
    select id from jobs
    where run_at <= $1 and parked_time is null and (lease_until is null or lease_until < clock_timestamp())
    order by run_at, id limit $2
    for update skip locked)
  returning id, name, payload, key, run_at, attempts, fence, crashes`
const finishJobs = sql`
  delete from jobs using unnest($1::bigint[], $2::int[]) as done(id, fence)
  where jobs.id = done.id and jobs.fence = done.fence`
const renewLeases = sql`
  update jobs set lease_until = clock_timestamp() + interval '60 seconds' from unnest($1::bigint[], $2::int[]) as held(id, fence)
  where jobs.id = held.id and jobs.fence = held.fence`
const tryAgainAt = sql`
  update jobs set run_at = $3, last_error = $4, lease_until = null where id = $1 and fence = $2`
const parkJob = sql`
  update jobs set parked_time = $3, last_error = $4, lease_until = null where id = $1 and fence = $2`
const earliestDue = sql`select min(run_at) as run_at from jobs where parked_time is null`
const countOpen = sql`select count(*)::int as open from jobs where run_at <= $1 and parked_time is null`

export interface RunnerParts {
  readonly database: Database
  readonly transact: Transact
  readonly clock: Clock
  readonly definitions: readonly JobDefinition[]
  /** Told of every failure, for logs and metrics. */
  readonly onFailure?: (job: { name: string; attempts: number; parked: boolean }, error: unknown) => void
}

/** Keeps the promises in the jobs table. Any number of processes may run one; each job is run by one at a time. */
export class Runner implements WorkSource {
  readonly #parts: RunnerParts
  readonly #definitions: ReadonlyMap<string, JobDefinition>
  readonly #held = new Map<bigint, number>()

  constructor(parts: RunnerParts) {
    this.#parts = parts
    this.#definitions = new Map(parts.definitions.map((definition) => [definition.name, definition]))
  }

  async nextDue(): Promise<Instant | undefined> {
    const row = await this.#parts.database.row<{ run_at: Instant | null }>(earliestDue)
    return row?.run_at ?? undefined
  }

  /** Claims up to `count` due jobs and runs them side by side. Says how many there were. */
  async runBatch(count: number): Promise<number> {
    const jobs = await this.#claim(count)
    await Promise.all(jobs.map((job) => this.#run(job)))
    return jobs.length
  }

  /** Runs everything that is due, in order, one after the other, and waits for what other processes hold. */
  async drain(): Promise<Fired[]> {
    const fired: Fired[] = []
    for (;;) {
      const [job] = await this.#claim(1)
      if (job) {
        fired.push({ work: job.name, at: job.run_at, ...(job.key !== null && { key: job.key }) })
        await this.#run(job)
        continue
      }
      const left = await this.#parts.database.row<{ open: number }>(countOpen, [this.#parts.clock.now()])
      if (!left?.open) return fired
      await new Promise((resolve) => setTimeout(resolve, 5))
    }
  }

  async #claim(count: number): Promise<ClaimedJob[]> {
    const jobs = await this.#parts.database.rows<ClaimedJob>(claimDue, [this.#parts.clock.now(), count])
    return jobs.sort((a, b) => (a.run_at < b.run_at || (a.run_at === b.run_at && a.id < b.id) ? -1 : 1))
  }

  async #run(job: ClaimedJob): Promise<void> {
    const { database, transact, clock } = this.#parts
    const definition = this.#definitions.get(job.name)
    this.#held.set(job.id, job.fence)
    const renewal = setInterval(() => void this.#renew().catch(() => {}), RENEW_EVERY_MS)
    try {
      if (!definition) throw new Error(`No job is called ${job.name}.`)
      if (job.crashes >= CRASHES_MAX) throw new Error(`The worker died ${job.crashes} times while it ran this job.`)
      await definition.run(job.payload as never, { id: String(job.id), now: clock.now(), db: database, transact })
      await database.rows(finishJobs, [[job.id], [job.fence]])
    } catch (error) {
      await this.#fail(job, job.crashes >= CRASHES_MAX ? undefined : definition, error)
    } finally {
      clearInterval(renewal)
      this.#held.delete(job.id)
    }
  }

  async #fail(job: ClaimedJob, definition: JobDefinition | undefined, error: unknown): Promise<void> {
    const { database, clock, onFailure } = this.#parts
    const wait = definition?.retryAfter[job.attempts - 1]
    const text = String(error instanceof Error ? (error.stack ?? error) : error).slice(0, ERROR_LENGTH_MAX)
    const now = clock.now()
    onFailure?.({ name: job.name, attempts: job.attempts, parked: wait === undefined }, error)
    if (wait === undefined) await database.rows(parkJob, [job.id, job.fence, now, text])
    else await database.rows(tryAgainAt, [job.id, job.fence, after(now, wait), text])
  }

  async #renew(): Promise<void> {
    await this.#parts.database.rows(renewLeases, [[...this.#held.keys()], [...this.#held.values()]])
  }
}
