import type { Database } from '../database/open.ts'
import { sql } from '../database/sql.ts'
import { type Clock, type Instant, nowMovedBy, systemClock } from '../kernel/clock.ts'

const readClock = sql`select offset_ms, frozen_time from clock`
const writeClock = sql`
  insert into clock (offset_ms, frozen_time) values ($1, $2)
  on conflict (only_row) do update set offset_ms = excluded.offset_ms, frozen_time = excluded.frozen_time`

interface ClockRow {
  readonly offset_ms: bigint
  readonly frozen_time: Instant | null
}

/** A clock that can be moved and stopped. It is kept in the database, so that every process agrees on it. */
export class SandboxClock implements Clock {
  readonly #database: Database
  #offsetMs = 0
  #frozen: Instant | null = null
  /** How often the clock was set in this process. */
  #sets = 0
  /** Whether the clock is on its way somewhere and only stops here. The database keeps it as it would be without the stop. */
  #isHalted = false

  constructor(database: Database) {
    this.#database = database
  }

  now(): Instant {
    return this.#frozen ?? nowMovedBy(this.#offsetMs)
  }

  get frozen(): boolean {
    return this.#frozen !== null
  }

  /** Takes over what the database says; called at the start and whenever another process moved the clock. */
  async load(): Promise<void> {
    const known = this.#sets
    const row = await this.#database.row<ClockRow>(readClock)
    // The clock was set here while we read, so what was read may be from before or after that.
    if (known !== this.#sets) return this.load()
    if (this.#isHalted) return
    this.#offsetMs = Number(row?.offset_ms ?? 0n)
    this.#frozen = row?.frozen_time ?? null
  }

  /** From now on it is `instant`, standing still or running on from there. */
  async set(instant: Instant, frozen: boolean): Promise<void> {
    await this.#write(instant, frozen)
    this.#isHalted = false
    this.#frozen = frozen ? instant : null
  }

  /** Stands at `instant` until it is set or let go. A process that ends before that leaves a clock that is as `frozen` says. */
  async halt(instant: Instant, frozen: boolean): Promise<void> {
    await this.#write(instant, frozen)
    this.#isHalted = true
    this.#frozen = instant
  }

  /** Ends a halt: the clock is as it would be without it. */
  letGo(frozen: boolean): void {
    if (!this.#isHalted) return
    this.#isHalted = false
    if (!frozen) this.#frozen = null
  }

  /**
   * Does work that leaves no trace of how the clock was moved, so the clock shows real time during it. If the work fails, the
   * clock is as it was before.
   */
  async anew<T>(work: () => Promise<T>): Promise<T> {
    const before = [this.#offsetMs, this.#frozen] as const
    this.#take(0, null)
    try {
      return await work()
    } catch (error) {
      this.#take(...before)
      throw error
    }
  }

  #take(offsetMs: number, frozen: Instant | null): void {
    this.#sets++
    this.#offsetMs = offsetMs
    this.#frozen = frozen
  }

  async #write(instant: Instant, frozen: boolean): Promise<void> {
    const offsetMs = Date.parse(instant) - Date.parse(systemClock.now())
    await this.#database.rows(writeClock, [offsetMs, frozen ? instant : null])
    this.#sets++
    this.#offsetMs = offsetMs
  }
}
