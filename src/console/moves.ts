import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'

/** A move of an invoice or a dispute along its table. */
export interface Move {
  readonly at: string
  readonly action: string
  readonly from: string | null
  readonly to: string | null
  readonly actor: string | null
  /** What led to it. */
  readonly cause: string
}

const MOVES_MAX = 500

const ofInvoice = sql`
  select create_time as at, action, from_status as from, to_status as to, actor, cause from invoice_transitions
  where account_id = $1 and invoice_id = $2 order by version limit $3`
const ofDispute = sql`
  select create_time as at, action, from_node as from, to_node as to, actor, cause from dispute_transitions
  where account_id = $1 and dispute_id = $2 order by version limit $3`

/** The moves of one, oldest first. */
export const movesOf = (db: Reader, kind: 'invoice' | 'dispute', accountId: string, id: string): Promise<Move[]> =>
  db.rows<Move>(kind === 'invoice' ? ofInvoice : ofDispute, [accountId, id, MOVES_MAX])
