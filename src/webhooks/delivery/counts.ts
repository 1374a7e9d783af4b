import type { Database } from '../../database/open.ts'
import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { after, type Clock, type Instant } from '../../kernel/clock.ts'

const QUARTER_MS = 15 * 60_000
const KEPT_SECONDS = 8 * 86_400
const WRITE_AFTER_MS = 1_000

/** Attempts within a quarter of an hour. */
export interface Quarter {
  readonly from_time: Instant
  readonly arrived: number
  readonly failed: number
}

const add = sql`
  with old as (delete from delivery_counts where from_time < $4)
  insert into delivery_counts as c (from_time, arrived, failed)
  select * from unnest($1::text[], $2::bigint[], $3::bigint[]) order by 1
  on conflict (from_time) do update set arrived = c.arrived + excluded.arrived, failed = c.failed + excluded.failed`
const since = sql`
  select from_time, arrived::int, failed::int from delivery_counts where from_time >= $1 order by from_time`

const quarterOf = (at: Instant) =>
  new Date(Math.floor(Date.parse(at) / QUARTER_MS) * QUARTER_MS).toISOString() as Instant

/**
 * Counts what this process attempted, and adds it to the counts of all processes a moment later, many attempts at once. A
 * process that is killed loses the last second of its counts, which does not matter in a picture of a whole day.
 */
export class DeliveryCounts {
  readonly #database: Database
  readonly #clock: Clock
  readonly #onError: (error: unknown) => void
  #counted = new Map<Instant, { arrived: number; failed: number }>()
  #timer: NodeJS.Timeout | undefined

  constructor(database: Database, clock: Clock, onError: (error: unknown) => void) {
    this.#database = database
    this.#clock = clock
    this.#onError = onError
  }

  attempted(results: readonly { readonly delivered: boolean }[]): void {
    const from = quarterOf(this.#clock.now())
    const counted = this.#counted.get(from) ?? { arrived: 0, failed: 0 }
    for (const { delivered } of results) counted[delivered ? 'arrived' : 'failed']++
    this.#counted.set(from, counted)
    this.#timer ??= setTimeout(() => void this.write(), WRITE_AFTER_MS).unref()
  }

  /** Counts that could not be written are written the next time. */
  async write(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const counted = [...this.#counted]
    if (counted.length === 0) return
    this.#counted = new Map()
    try {
      await this.#database.rows(add, [
        counted.map(([from]) => from),
        counted.map(([, { arrived }]) => arrived),
        counted.map(([, { failed }]) => failed),
        after(this.#clock.now(), -KEPT_SECONDS),
      ])
    } catch (error) {
      this.#onError(error)
      for (const [from, { arrived, failed }] of counted) {
        const newer = this.#counted.get(from)
        this.#counted.set(from, { arrived: arrived + (newer?.arrived ?? 0), failed: failed + (newer?.failed ?? 0) })
      }
    }
  }
}

/** The quarters of the last so many hours, oldest first, including those in which nothing was attempted. */
export async function attemptsOfHours(db: Reader, hours: number, now: Instant): Promise<Quarter[]> {
  const count = (hours * 3_600_000) / QUARTER_MS
  const first = Date.parse(quarterOf(now)) - (count - 1) * QUARTER_MS
  const rows = await db.rows<Quarter>(since, [new Date(first).toISOString()])
  const found = new Map(rows.map((row) => [row.from_time, row]))
  return Array.from({ length: count }, (_, i) => {
    const from_time = new Date(first + i * QUARTER_MS).toISOString() as Instant
    return found.get(from_time) ?? { from_time, arrived: 0, failed: 0 }
  })
}
