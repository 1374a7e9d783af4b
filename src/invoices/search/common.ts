import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'

/**
 * PostgreSQL takes statistics from a sample of all invoices whenever a tenth of them has changed. The last frequencies
 * belong to no piece.
 */
const counted = sql`
  select e.piece, e.share from pg_stats s
    cross join lateral unnest(s.most_common_elems::text::text[], s.most_common_elem_freqs) as e (piece, share)
  where s.schemaname = current_schema and e.piece is not null
    and (s.tablename = 'invoices' and s.attname = 'grams' or s.tablename = 'invoices_words')`

/** Asking takes a millisecond or two, and little changes meanwhile. */
const KEPT_MS = 10 * 60_000

/** Which share of all invoices has a piece of a word, for the most common pieces, or is of a merchant. All others are rarer. */
export class CommonPieces {
  #shares: ReadonlyMap<string, number> = new Map()
  #until = 0

  async shares(db: Reader): Promise<ReadonlyMap<string, number>> {
    const now = performance.now()
    if (now >= this.#until) {
      const rows = await db.rows<{ piece: string; share: number }>(counted)
      this.#shares = new Map(rows.map(({ piece, share }) => [piece, share]))
      this.#until = now + KEPT_MS
    }
    return this.#shares
  }
}
