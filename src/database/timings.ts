import type { Query, Statement } from './sql.ts'

/** A read that took longer lately is not quick. */
const QUICK_MS = 10
/** A write that took longer lately is not quick either. A write waits for the disk as well. */
const QUICK_WRITE_MS = 50
/** What a failure counts as. Statements that go together with a failing one fail with it, so it must not count as quick. */
const FAILED_MS = 1_000
/** The factor by which a slow run fades with each further run. */
const FADING = 0.9

interface Record {
  readonly isRead: boolean
  /** The longest time it took lately. A statement that has never run is not quick. */
  slowestMs: number
}

/** For a statement that is planned at each use. */
const unknown: Record = { isRead: false, slowestMs: Number.POSITIVE_INFINITY }

/** Remembers how long each prepared statement takes, and so tells which ones are worth waiting for. */
export class Timings {
  readonly #records = new WeakMap<Statement, Record>()

  isQuick(statement: Statement): boolean {
    const { isRead, slowestMs } = this.#recordOf(statement)
    return isRead && slowestMs < QUICK_MS
  }

  isQuickWrite(statement: Statement): boolean {
    return this.#recordOf(statement).slowestMs < QUICK_WRITE_MS
  }

  /**
   * How long these statements took together, one after the other. If a group failed, it shows later, when each runs alone,
   * which did.
   */
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
