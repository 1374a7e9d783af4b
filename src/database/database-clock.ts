import { type Clock, type Instant, instantAt, systemClock } from '../kernel/clock.ts'
import type { Database } from './open.ts'
import { sql } from './sql.ts'

const readTime = sql`select extract(epoch from clock_timestamp())::float8 * 1000 as ms`
const READ_EVERY_MS = 10_000

/**
 * The database's clock. Between two looks at it, it is carried on by the time that passes here. All processes share it, so a
 * machine whose own clock is wrong, or is set while we run, lets nothing fall due early, late or never.
 */
export class DatabaseClock implements Clock {
  readonly #database: Pick<Database, 'row'>
  /** How far it is ahead of the time since this process began. Before the first look, this goes by the clock of this machine. */
  #aheadMs = Date.parse(systemClock.now()) - performance.now()
  #timer: NodeJS.Timeout | undefined

  constructor(database: Pick<Database, 'row'>) {
    this.#database = database
  }

  now(): Instant {
    return instantAt(Math.floor(performance.now() + this.#aheadMs))
  }

  /** Looks at the clock now, and from then on every few seconds. While the database is away, time goes on by itself. */
  async start(): Promise<void> {
    await this.#read()
    this.#timer = setInterval(() => void this.#read().catch(() => {}), READ_EVERY_MS).unref()
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  async #read(): Promise<void> {
    const asked = performance.now()
    const row = await this.#database.row<{ ms: number }>(readTime)
    const uncertainMs = (performance.now() - asked) / 2
    const aheadMs = row!.ms - asked - uncertainMs
    // The clock was read at some moment between asking and hearing. A difference within that span is no reason to correct it.
    if (Math.abs(aheadMs - this.#aheadMs) > uncertainMs) this.#aheadMs = aheadMs
  }
}
