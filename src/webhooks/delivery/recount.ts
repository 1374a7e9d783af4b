import type { Database } from '../../database/open.ts'
import { sql, unprepared } from '../../database/sql.ts'

/** Many times what a claim takes, however much waits. */
const SLOW_MS = 250
const LOOK_EVERY_MS = 5_000
const WITHIN_MS = 60_000

/** What a claim reads, where more changed since PostgreSQL counted it than there was. Events may have a partition for each day. */
const outgrown = sql`
  select format('%I', s.relname) as name
  from pg_stat_user_tables s join pg_class c on c.oid = s.relid
  where s.schemaname = current_schema() and s.relname ~ '^(delivery_queue|events(_undated|_[0-9]+)?)$'
    and s.n_mod_since_analyze > greatest(c.reltuples, 1000)`

/**
 * Has the queue counted as soon as a claim takes long. A queue that was drained is soon counted as next to nothing, and the
 * claim is planned for that: when a hundred thousand come within a moment, it sorts them once for every webhook, until
 * PostgreSQL counts again of itself, which it does every minute.
 *
 * Where the role does not own the tables, PostgreSQL skips them.
 */
export class Recount {
  readonly #database: Database
  readonly #onError: (error: unknown) => void
  readonly #slowMs: number
  #looking: Promise<void> | undefined
  #notBefore = 0

  constructor(database: Database, onError: (error: unknown) => void, slowMs = SLOW_MS) {
    this.#database = database
    this.#onError = onError
    this.#slowMs = slowMs
  }

  /** Told how long each claim took. Nobody waits for what comes of it. */
  took(ms: number): void {
    if (ms < this.#slowMs || this.#looking || performance.now() < this.#notBefore) return
    this.#notBefore = performance.now() + LOOK_EVERY_MS
    this.#looking = this.#look()
      .catch(this.#onError)
      .finally(() => {
        this.#looking = undefined
      })
  }

  async #look(): Promise<void> {
    const tables = await this.#database.rows<{ name: string }>(outgrown)
    if (tables.length === 0) return
    const analyze = unprepared(`analyze (skip_locked) ${tables.map(({ name }) => name).join(', ')}`)
    await this.#database.transaction(({ rows }) => rows(analyze), WITHIN_MS)
  }

  /** After this call nothing more is counted. */
  async close(): Promise<void> {
    this.#notBefore = Number.POSITIVE_INFINITY
    await this.#looking
  }
}
