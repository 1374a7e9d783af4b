import type { Database } from '../database/open.ts'
import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { after, type Clock, type Instant } from '../kernel/clock.ts'

const SLICE_MS = 5 * 60_000
const HOUR_SECONDS = 3_600
const KEPT_SECONDS = 2 * 86_400
const WRITE_AFTER_MS = 10_000

/** The bounds in milliseconds by which answers are sorted. What takes longer than the last bound is counted there too. */
const bounds = [2, 5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 10_000, 600_000]

const add = sql`
  with old as (delete from request_counts where from_time < $5)
  insert into request_counts as c (from_time, under_ms, requests, failed)
  select * from unnest($1::text[], $2::int[], $3::bigint[], $4::bigint[]) order by 1, 2
  on conflict (from_time, under_ms) do update
    set requests = c.requests + excluded.requests, failed = c.failed + excluded.failed`
const since = sql`
  select under_ms, sum(requests)::int as requests, sum(failed)::int as failed
  from request_counts where from_time > $1 group by under_ms order by under_ms`

const sliceOf = (at: Instant) => new Date(Math.floor(Date.parse(at) / SLICE_MS) * SLICE_MS).toISOString() as Instant

/**
 * Counts what this process answered, and adds it to the counts of all processes some seconds later. A process that is killed
 * loses its last seconds, which does not matter in a figure for a whole hour.
 */
export class RequestCounts {
  readonly #database: Database
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  readonly #requests = new Int32Array(bounds.length)
  readonly #failed = new Int32Array(bounds.length)
  #timer: NodeJS.Timeout | undefined

  constructor(database: Database, clock: Clock, onError: (error: unknown) => void) {
    this.#database = database
    this.#clock = clock
    this.#onError = onError
  }

  /** This runs for every request, so it only does two additions. */
  answered(status: number, milliseconds: number): void {
    let n = 0
    while (n < bounds.length - 1 && milliseconds >= bounds[n]!) n++
    this.#requests[n]!++
    if (status >= 500) this.#failed[n]!++
    this.#timer ??= setTimeout(() => void this.write(), WRITE_AFTER_MS).unref()
  }

  /** Counts that could not be written are written the next time. */
  async write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const [requests, failed] = [[...this.#requests], [...this.#failed]]
    const used = bounds.map((_, n) => n).filter((n) => requests[n]! > 0)
    if (used.length === 0) return
    this.#requests.fill(0)
    this.#failed.fill(0)
    const now = this.#clock.now()
    try {
      await this.#database.rows(add, [
        used.map(() => sliceOf(now)),
        used.map((n) => bounds[n]),
        used.map((n) => requests[n]),
        used.map((n) => failed[n]),
        after(now, -KEPT_SECONDS),
      ])
    } catch (error) {
      this.#onError(error)
      for (const n of used) {
        this.#requests[n]! += requests[n]!
        this.#failed[n]! += failed[n]!
      }
    }
  }
}

/** What was answered within about an hour. */
export interface HourOfRequests {
  readonly requests: number
  readonly failed: number
  /** Half of the requests took less than `half` milliseconds, and all but a hundredth took less than `most`. */
  readonly half: number
  readonly most: number
}

export async function requestsOfHour(db: Reader, now: Instant): Promise<HourOfRequests> {
  const rows = await db.rows<{ under_ms: number; requests: number; failed: number }>(since, [after(now, -HOUR_SECONDS)])
  const sum = (of: 'requests' | 'failed') => rows.reduce((all, row) => all + row[of], 0)
  const requests = sum('requests')
  const within = (share: number) => {
    let counted = 0
    for (const row of rows) {
      counted += row.requests
      if (counted >= requests * share) return row.under_ms
    }
    return 0
  }
  return { requests, failed: sum('failed'), half: within(0.5), most: within(0.99) }
}
