import type { Statement } from './sql.ts'

/** A read that took longer lately is not quick. */
const QUICK_MS = 10
/** What a slow run counts for after each further one, so that the memory of it fades. */
const FADING = 0.9

interface Record {
  readonly isRead: boolean
  /** The longest it took lately; not quick before it has run once. */
  slowestMs: number
}

/** Remembers how long each prepared statement takes, and so tells which ones nobody minds waiting for. */
export class Timings {
  readonly #records = new WeakMap<Statement, Record>()

  isQuick(statement: Statement): boolean {
    if (statement.name === '') return false
    const record = this.#records.get(statement)
    if (record) return record.isRead && record.slowestMs < QUICK_MS
    const isRead = /^\s*select\b/i.test(statement.text)
    this.#records.set(statement, { isRead, slowestMs: Number.POSITIVE_INFINITY })
    return false
  }

  took(statement: Statement, milliseconds: number): void {
    const record = this.#records.get(statement)
    if (!record) return
    const faded = record.slowestMs === Number.POSITIVE_INFINITY ? 0 : record.slowestMs * FADING
    record.slowestMs = Math.max(faded, milliseconds)
  }
}
