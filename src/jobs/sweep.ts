import { randomInt } from 'node:crypto'
import type { Logger } from 'pino'
import type { Database } from '../database/open.ts'
import type { Partitions } from '../database/partitions.ts'
import { type Statement, sql } from '../database/sql.ts'
import type { Clock, Instant } from '../kernel/clock.ts'

const EVERY_MS = 3_600_000
/**
 * The first sweep comes early, since some processes seldom live for an hour, but only once the start is over. It comes at a
 * random time, so that processes that start together do not sweep together.
 */
const FIRST_MS = { least: 60_000, most: 600_000 }
/** How many rows are removed at once: a statement must end in time however much there is to remove. */
export const SWEEP_BATCH = 1_000

const removeAnswers = sql`
  delete from idempotency where ctid = any(array(
    select ctid from idempotency where expire_time <= $1 order by expire_time limit $2 for update skip locked))
  returning 1`
const removeQuotas = sql`
  delete from quotas where ctid = any(array(
    select ctid from quotas where until <= $1 order by until limit $2 for update skip locked))
  returning 1`

export interface SweepParts {
  readonly database: Database
  readonly now: Instant
  /** Where whole periods can be dropped; without it rows are removed one by one. */
  readonly partitions?: Partitions
  /** Whether to stop, and leave the rest for another time. */
  stopped(): boolean
}

/** Removes what has expired. Nobody waits for it: when it is late, it only costs disk space. */
export type Sweep = (parts: SweepParts) => Promise<void>

/** Sweeps by the name of what they remove. */
export type Sweeps = Readonly<Record<string, Sweep>>

/** Runs a statement that removes up to `$2` rows older than `$1` until there are none. */
export async function removeAll(
  { database, stopped }: Pick<SweepParts, 'stopped'> & { readonly database: Pick<Database, 'rows'> },
  statement: Statement,
  before: Instant,
  more: readonly unknown[] = [],
): Promise<void> {
  while (!stopped()) {
    const removed = await database.rows(statement, [before, SWEEP_BATCH, ...more])
    if (removed.length < SWEEP_BATCH) return
  }
}

const sweepsOfTheHouse: Sweeps = {
  partitions: ({ partitions, now }) => partitions?.keepAhead(now) ?? Promise.resolve(),
  answers: (parts) => removeAll(parts, removeAnswers, parts.now),
  quotas: (parts) => removeAll(parts, removeQuotas, parts.now),
}

export interface SweeperParts {
  readonly database: Database
  readonly clock: Clock
  readonly log: Logger
  readonly partitions: Partitions
  readonly sweeps: readonly Sweeps[]
  onFailure(sweep: string): void
}

/** Sweeps some minutes after its start and every hour from then on. Any number of processes may: what one removes, the others do not find. */
export class Sweeper {
  readonly #parts: SweeperParts
  readonly #sweeps: readonly (readonly [name: string, sweep: Sweep])[]
  #timer: NodeJS.Timeout | undefined
  #running: Promise<void> | undefined
  #stopped = false

  constructor(parts: SweeperParts) {
    this.#parts = parts
    this.#sweeps = [sweepsOfTheHouse, ...parts.sweeps].flatMap((sweeps) => Object.entries(sweeps))
  }

  start(): void {
    this.#next(randomInt(FIRST_MS.least, FIRST_MS.most))
  }

  /** Sweeps once, unless a sweep is under way already. If any part failed, that was reported, and this fails at the end. */
  run(): Promise<void> {
    this.#running ??= this.#once().finally(() => {
      this.#running = undefined
    })
    return this.#running
  }

  /** Returns after the batch that is under way. */
  async stop(): Promise<void> {
    this.#stopped = true
    clearTimeout(this.#timer)
    await this.#running?.catch(() => {})
  }

  #next(afterMs: number): void {
    const sweep = () => {
      this.#next(EVERY_MS)
      void this.run().catch(() => {})
    }
    this.#timer = setTimeout(sweep, afterMs).unref()
  }

  async #once(): Promise<void> {
    const { database, clock, partitions, log, onFailure } = this.#parts
    const stopped = () => this.#stopped
    const failures: unknown[] = []
    for (const [name, sweep] of this.#sweeps) {
      if (stopped()) break
      // When one sweep fails, the others still remove their rows: the disk would fill up otherwise.
      await sweep({ database, now: clock.now(), partitions, stopped }).catch((error: unknown) => {
        onFailure(name)
        log.warn({ sweep: name, err: error }, 'sweeping failed, and goes on in an hour')
        failures.push(error)
      })
    }
    if (failures.length > 0) throw failures[0]
  }
}
