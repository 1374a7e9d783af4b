import type { Logger } from 'pino'
import { messageOf } from '../kernel/error-text.ts'
import { isAway } from './errors.ts'
import type { Database } from './open.ts'
import { sql } from './sql.ts'

const LOOK_EVERY_MS = 1_000
const TELL_EVERY_MS = 10_000

const anything = sql`select 1`

/**
 * Has a database that does not answer told in few lines: one when that begins, one now and then with how much met it, and one
 * when it is over. A line that says nothing but the fault is counted instead of written; one that also says what met it, such
 * as a request, has the cause without a stack, which would say nothing of a database. All other errors are logged as they are.
 */
export class Outages {
  readonly #log: Logger
  readonly #database: Pick<Database, 'rows'>
  #outage: { readonly since: number; toldAt: number; faults: number; known: number; cause: Error } | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(log: Logger, database: Pick<Database, 'rows'>) {
    this.#log = log
    this.#database = database
  }

  /** What to log with instead. */
  get log(): Logger {
    return Object.assign(Object.create(this.#log) as Logger, {
      warn: this.#writes('warn'),
      error: this.#writes('error'),
    })
  }

  close(): void {
    this.#closed = true
    clearTimeout(this.#timer)
  }

  #writes(level: 'warn' | 'error') {
    const write = this.#log[level].bind(this.#log) as (...line: readonly unknown[]) => void
    return (line: unknown, ...more: readonly unknown[]): void => {
      const { err, ...rest } = (typeof line === 'object' ? line : {}) as { readonly err?: unknown }
      if (isAway(err)) {
        const cause = inBrief(err)
        this.#met(cause)
        if (Object.keys(rest).length > 0) write({ ...rest, err: cause }, ...more)
      } else write(line, ...more)
    }
  }

  #met(cause: Error): void {
    if (this.#closed) return
    if (this.#outage) {
      this.#outage.faults++
      this.#outage.cause = cause
      return
    }
    const now = performance.now()
    this.#outage = { since: now, toldAt: now, faults: 1, known: 1, cause }
    this.#log.error({ err: cause }, 'the database does not answer')
    this.#lookLater()
  }

  #lookLater(): void {
    if (!this.#closed) this.#timer = setTimeout(() => void this.#look(), LOOK_EVERY_MS).unref()
  }

  /** It is over when the database answers and nobody has met a fault since the last look. */
  async #look(): Promise<void> {
    const answers = await this.#database.rows(anything).then(
      () => true,
      () => false,
    )
    const outage = this.#outage!
    const isOver = answers && outage.faults === outage.known
    outage.known = outage.faults
    const now = performance.now()
    const { faults, cause: err } = outage
    const seconds = Math.round((now - outage.since) / 1000)
    if (isOver) {
      this.#outage = undefined
      this.#log.warn({ seconds, faults }, 'the database answers again')
      return
    }
    if (now - outage.toldAt >= TELL_EVERY_MS) {
      outage.toldAt = now
      this.#log.error({ seconds, faults, err }, 'the database still does not answer')
    }
    this.#lookLater()
  }
}

function inBrief(error: unknown): Error {
  const brief = new Error(messageOf(error))
  brief.stack = ''
  return error instanceof Error && 'code' in error ? Object.assign(brief, { code: error.code }) : brief
}
