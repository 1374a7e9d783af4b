import type pg from 'pg'

/** A read that took longer lately is not quick. */
const QUICK_MS = 10
/** What a slow run counts for after each further one, so that the memory of it fades. */
const FADING = 0.9

interface Record {
  readonly isRead: boolean
  /** The longest it took lately; not quick before it has run once. */
  slowestMs: number
}

/** Remembers how long each named statement takes, and so tells which ones nobody minds waiting for. */
export class Pace {
  readonly #records = new Map<string, Record>()

  isQuick({ name, text }: pg.QueryConfig): boolean {
    if (name === undefined) return false
    const record = this.#records.get(name)
    if (record) return record.isRead && record.slowestMs < QUICK_MS
    this.#records.set(name, { isRead: /^\s*select\b/i.test(text), slowestMs: Number.POSITIVE_INFINITY })
    return false
  }

  took({ name }: pg.QueryConfig, milliseconds: number): void {
    const record = name === undefined ? undefined : this.#records.get(name)
    if (!record) return
    const faded = record.slowestMs === Number.POSITIVE_INFINITY ? 0 : record.slowestMs * FADING
    record.slowestMs = Math.max(faded, milliseconds)
  }
}
