import { isAway, isPassing } from '../database/errors.ts'
import type { Database } from '../database/open.ts'
import type { TransactFor } from '../database/transaction.ts'
import { after, type Clock, type Instant } from '../kernel/clock.ts'
import { errorText } from '../kernel/error-text.ts'
import { ForGood } from '../kernel/for-good.ts'
import type { JobDefinition } from './job-definition.ts'
import type { Patience } from './patience.ts'
import {
  type ClaimedJob,
  claimFirst,
  claimJobs,
  finish,
  freeJobs,
  giveBack,
  leaveToOthers,
  nextOpen,
  park,
  putOff,
  renew,
  subjectNames,
  waitingJobs,
} from './queue.ts'
import { JobSlots } from './slots.ts'
import type { Fired, Upcoming, WorkSource } from './work-source.ts'

const RENEW_EVERY_MS = 20_000
const RENEW_AGAIN_MS = 500
const RECORD_AGAIN_MS = 100
/** How long closing waits for a database that is away. Long enough for a restart of the database, but not for an outage. */
const CLOSE_WITHIN_MS = 10_000
const LOOK_AGAIN_MS = 5
/**
 * A job that kills its worker does so every time. Another may be under way by chance when a worker dies, even several times
 * where many run.
 */
const CRASHES_MAX = 10
const ERROR_LENGTH_MAX = 2_000
/**
 * A job that this version does not know is taken for one of a newer version, which works beside this one during an upgrade.
 * For an hour it is left to whoever knows it.
 */
const LEFT_MAX = 120
const LEFT_SECONDS = 30

export interface RunnerParts {
  readonly database: Database
  readonly transactFor: TransactFor
  readonly clock: Clock
  readonly definitions: readonly JobDefinition[]
  /**
   * Parks unknown jobs at once. Set in a sandbox, where no other version works beside this one and time may be moved by
   * months.
   */
  readonly parksUnknown?: boolean
  /** Told of every failure, for logs and metrics. */
  readonly onFailure?: (job: ClaimedJob & { parked: boolean }, error: unknown) => void
  /** Told of every job that waited for its time, when it has come. */
  readonly onDue?: (job: ClaimedJob) => void
  /** Told when due jobs cannot even be claimed, for example because the database is away. */
  readonly onError?: (error: unknown) => void
}

/** Runs what is due in the jobs table. Any number of processes may have a runner; only one at a time runs a given job. */
export class Runner implements WorkSource {
  readonly kind = 'jobs'
  readonly #parts: RunnerParts
  readonly #definitions: ReadonlyMap<string, JobDefinition>
  readonly #slots = new JobSlots()
  readonly #held = new Set<ClaimedJob>()
  #renewing: NodeJS.Timeout | undefined
  #looking = false
  /** More jobs may be due than were claimed. */
  #again = false
  #closed = false
  readonly #ending = new AbortController()
  /** From this moment on, nothing waits for the database any more. */
  #lateFrom = Number.POSITIVE_INFINITY
  #paused = false
  #idle: (() => void)[] = []

  constructor(parts: RunnerParts) {
    this.#parts = parts
    this.#definitions = new Map(parts.definitions.map((definition) => [definition.name, definition]))
  }

  nextDue(): Promise<Instant | undefined> {
    return nextOpen(this.#parts.database)
  }

  async upcoming(limit: number, about?: readonly string[]): Promise<Upcoming[]> {
    const { database } = this.#parts
    const jobs = await waitingJobs(database, limit, about)
    return Promise.all(
      jobs.map(async ({ name: work, payload, run_at: at, key, account_id: accountId, attempts }) => {
        const what =
          (await this.#definitions.get(work)?.foretell?.(payload as never, database)) ?? `The job ${work} runs.`
        return { work, at, what, accountId, subject: subjectOf(payload), ...(key !== null && { key }), attempts }
      }),
    )
  }

  takeOver(): Promise<void> {
    return freeJobs(this.#parts.database, this.#parts.clock.now())
  }

  wake(): void {
    this.#paused = false
    this.#again = true
    void this.#look()
  }

  /** Claimed jobs are begun at once, so there are none to give back. */
  async pause(): Promise<void> {
    this.#paused = true
    await this.whenIdle()
  }

  /** Returns when none of the jobs it took is under way. */
  whenIdle(): Promise<void> {
    return new Promise((resolve) => {
      this.#idle.push(resolve)
      this.#tellIdle()
    })
  }

  /** Claims nothing more. Returns when the jobs under way have ended and their results are written down, if that is possible. */
  async close(): Promise<void> {
    this.#closed = true
    this.#lateFrom = performance.now() + CLOSE_WITHIN_MS
    this.#ending.abort()
    await this.whenIdle()
  }

  /** Runs everything that is due, in order, one after the other, and waits for what other processes hold. */
  async drain(patience?: Patience): Promise<Fired[]> {
    const { database, clock } = this.#parts
    const fired: Fired[] = []
    for (;;) {
      if (patience?.isOver) return fired
      const job = await claimFirst(database, clock.now())
      if (job) {
        fired.push({ work: job.name, at: job.run_at, ...(job.key !== null && { key: job.key }) })
        await this.#run(job)
        continue
      }
      const due = await nextOpen(database)
      if (due === undefined || due > clock.now()) return fired
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS))
    }
  }

  /** Looks for due jobs, one look at a time. Whoever wakes the runner meanwhile makes it look once more. */
  async #look(): Promise<void> {
    if (this.#looking) return
    this.#looking = true
    try {
      while (this.#again && !this.#closed && !this.#paused) {
        const room = this.#slots.free()
        if (room.length === 0) break
        this.#again = false
        const { database, clock } = this.#parts
        const claimed = await claimJobs(database, clock.now(), room, database.isSettled)
        if (this.#slots.take(room, claimed)) this.#again = true
        for (const job of claimed.jobs) void this.#runInSlot(job)
      }
    } catch (error) {
      this.#parts.onError?.(error)
    } finally {
      this.#looking = false
      this.#tellIdle()
    }
  }

  async #runInSlot(job: ClaimedJob): Promise<void> {
    await this.#run(job).catch((error) => this.#parts.onError?.(error))
    if (this.#slots.release(job)) this.#again = true
    if (this.#again) void this.#look()
    this.#tellIdle()
  }

  #tellIdle(): void {
    if (this.#looking || this.#slots.running > 0) return
    for (const tell of this.#idle.splice(0)) tell()
  }

  async #run(job: ClaimedJob): Promise<void> {
    this.#hold(job)
    try {
      const record = await this.#outcomeOf(job)
      await this.#record(record)
    } finally {
      this.#letGo(job)
    }
  }

  /** Runs a job. Gives a function that writes down what came of it. */
  async #outcomeOf(job: ClaimedJob): Promise<() => Promise<void>> {
    const { database, transactFor, clock, parksUnknown, onFailure, onDue, onError } = this.#parts
    const definition = this.#definitions.get(job.name)
    try {
      if (!definition) throw new UnknownJob(`No job is called ${job.name}.`)
      if (job.crashes >= CRASHES_MAX) throw new Error(`The worker died ${job.crashes} times while it ran this job.`)
      const id = String(job.id)
      const cause = jobCause(job)
      if (cause.waited) onDue?.(job)
      const transact = transactFor(cause)
      await definition.run(job.payload as never, {
        id,
        label: labelOf(job),
        now: clock.now(),
        db: database,
        transact,
        ending: this.#ending.signal,
        transactFor: (personId) => transactFor({ ...cause, personId }),
      })
      return () => finish(database, job)
    } catch (error) {
      if (isAway(error)) {
        onError?.(error)
        return () => giveBack(database, job)
      }
      const text = errorText(error, ERROR_LENGTH_MAX)
      const now = clock.now()
      const isLeft = error instanceof UnknownJob && !parksUnknown && job.fence <= LEFT_MAX
      const isOver = job.crashes >= CRASHES_MAX || error instanceof ForGood
      const wait = isOver ? undefined : definition?.retryAfter[job.attempts - 1]
      onFailure?.({ ...job, parked: !isLeft && wait === undefined }, error)
      if (isLeft) return () => leaveToOthers(database, job, after(now, LEFT_SECONDS), text)
      return () => (wait === undefined ? park(database, job, now, text) : putOff(database, job, after(now, wait), text))
    }
  }

  /** The job has run, so its result is kept until the database can take it. Otherwise another process would run the job again. */
  async #record(write: () => Promise<void>): Promise<void> {
    for (;;) {
      try {
        return await write()
      } catch (error) {
        if (!isPassing(error)) throw error
        // The process is closing. What cannot be written down goes to another process when the lease has run out.
        if (performance.now() >= this.#lateFrom) throw error
        await new Promise((resolve) => setTimeout(resolve, RECORD_AGAIN_MS))
      }
    }
  }

  #hold(job: ClaimedJob): void {
    this.#held.add(job)
    this.#renewing ??= setTimeout(() => this.#renew(), RENEW_EVERY_MS)
  }

  #renew(): void {
    const again = (ms: number) => {
      // Clears the timer first: another one may have been set while nothing was held, and one renewal serves all jobs.
      clearTimeout(this.#renewing)
      this.#renewing = this.#held.size > 0 ? setTimeout(() => this.#renew(), ms) : undefined
    }
    // After an outage, renews again soon, before other processes take over what is held here.
    renew(this.#parts.database, [...this.#held]).then(
      () => again(RENEW_EVERY_MS),
      () => again(RENEW_AGAIN_MS),
    )
  }

  #letGo(job: ClaimedJob): void {
    this.#held.delete(job)
    if (this.#held.size > 0) return
    clearTimeout(this.#renewing)
    this.#renewing = undefined
  }
}

class UnknownJob extends Error {}

/** A job as the cause of what it does. A retry only waited for its next try, so it does not count as having waited. */
export const jobCause = ({ id, name, cause, attempts, run_at, create_time }: ClaimedJob) => ({
  kind: 'job' as const,
  name,
  id: String(id),
  ...(cause !== null && { cause }),
  ...(attempts === 1 && run_at > create_time && { waited: true }),
})

/** What a job is about: the first of `subjectNames` that its payload has. */
export function subjectOf(payload: object): string | null {
  const values = payload as Readonly<Record<string, string | undefined>>
  const name = subjectNames.find((one) => values[one] !== undefined)
  return name === undefined ? null : values[name]!
}

/** Includes the time the job was made, so that it differs from a job of the same number in another database. */
const labelOf = ({ id, create_time }: ClaimedJob): string => `${id}-${Date.parse(create_time).toString(36)}`
