import { sql } from '../../../database/sql.ts'
import type { Reader } from '../../../database/transaction.ts'

/** A move of an invoice along its lifecycle table. */
export interface Move {
  readonly at: string
  readonly action: string
  readonly from: string | null
  readonly to: string | null
  readonly actor: string | null
  /** The id of the request, job or command that led to it. */
  readonly cause: string
}

const MOVES_MAX = 500

const ofInvoice = sql`
  select create_time as at, action, from_status as from, to_status as to, actor, cause from invoice_transitions
  where account_id = $1 and invoice_id = $2 order by version limit $3`

/** The moves of an invoice, oldest first. */
export const movesOf = (db: Reader, accountId: string, invoiceId: string): Promise<Move[]> =>
  db.rows<Move>(ofInvoice, [accountId, invoiceId, MOVES_MAX])
