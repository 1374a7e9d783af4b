import { sql } from '../database/sql.ts'
import type { Tx } from '../database/transaction.ts'
import { actorOf, causeId } from '../kernel/cause.ts'
import { followed } from '../kernel/lifecycle.ts'
import type { DisputeAction } from './machine/lifecycle.ts'
import { nodeName, type Step } from './machine/step.ts'
import type { Dispute } from './schema/dispute.ts'

const insertRow = sql`
  insert into dispute_transitions (account_id, dispute_id, version, action, from_node, to_node, create_time, actor, cause)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

/** The version under which the opening is logged: it comes before the first version that is stored. */
const BEFORE_ALL = 0

/** Logs that a dispute was opened, and in which node. */
export const logOpening = (tx: Tx, opened: Dispute): void =>
  log(tx, opened, { version: BEFORE_ALL, action: 'create', from: null })

/** Logs a step if it led to another node. `version` is the version that the dispute gets by it. */
export function logMove(tx: Tx, { before, after, row }: Pick<Step, 'before' | 'after' | 'row'>, version: number): void {
  const from = nodeName(before)
  if (from !== nodeName(after)) log(tx, after, { version, action: row.action, from, row })
}

interface Move {
  readonly version: number
  readonly action: DisputeAction | 'create'
  readonly from: string | null
  /** Absent for the opening, which follows none. */
  readonly row?: Step['row']
}

function log(tx: Tx, to: Dispute, { version, action, from, row }: Move): void {
  const move = [to.seller.account_id, to.dispute_id, version, action, from, nodeName(to), to.update_time]
  tx.write(insertRow, [...move, actorOf(tx.cause), causeId(tx.cause)])
  const details = { of: 'dispute', action, from, to: nodeName(to), ...(row && { rule: followed(row) }) }
  tx.happened(() => ({ kind: 'move', accountId: to.seller.account_id, ref: to.dispute_id, details }))
}
