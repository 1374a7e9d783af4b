import type { Query, Statement } from './sql.ts'

/** A read that took longer lately is not quick. */
const QUICK_MS = 10
/** Nor is such a write, which waits for the disk as well. */
const QUICK_WRITE_MS = 50
/** What a failure counts for: what goes together with others fails with them. */
const FAILED_MS = 1_000
/** What a slow run counts for after each further one, so that the memory of it fades. */
const FADING = 0.9

interface Record {
  readonly isRead: boolean
  /** The longest it took lately; not quick before it has run once. */
  slowestMs: number
}

/** Of one that is planned for each use. */
const unknown: Record = { isRead: false, slowestMs: Number.POSITIVE_INFINITY }

/** Remembers how long each prepared statement takes, and so tells which ones nobody minds waiting for. */
export class Timings {
  readonly #records = new WeakMap<Statement, Record>()

  isQuick(statement: Statement): boolean {
    const { isRead, slowestMs } = this.#recordOf(statement)
    return isRead && slowestMs < QUICK_MS
  }

  isQuickWrite(statement: Statement): boolean {
    return this.#recordOf(statement).slowestMs < QUICK_WRITE_MS
  }

  /** What they took, one after the other. Which of several failed shows when each of them runs alone. */
  took(queries: readonly Query[], milliseconds: number, isFailure: boolean): void {
    const each = isFailure && queries.length === 1 ? FAILED_MS : milliseconds / queries.length
    for (const { statement } of queries) {
      const record = this.#records.get(statement)
      if (!record) continue
      const faded = record.slowestMs === Number.POSITIVE_INFINITY ? 0 : record.slowestMs * FADING
      record.slowestMs = Math.max(faded, each)
    }
  }

  #recordOf(statement: Statement): Record {
    if (statement.name === '') return unknown
    const known = this.#records.get(statement)
    if (known) return known
    const record = { isRead: /^\s*select\b/i.test(statement.text), slowestMs: Number.POSITIVE_INFINITY }
    this.#records.set(statement, record)
    return record
  }
}
