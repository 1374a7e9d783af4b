import { sql } from '../database/sql.ts'
import type { Tx } from '../database/transaction.ts'
import { actorOf, causeId } from '../kernel/cause.ts'
import { followed } from '../kernel/lifecycle.ts'
import type { invoiceLifecycle } from './lifecycle.ts'
import type { Status } from './schema/enums.ts'
import type { StoredInvoice } from './store.ts'

const insertRow = sql`
  insert into invoice_transitions (account_id, invoice_id, version, action, from_status, to_status, create_time, actor, cause)
  values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`

/**
 * Logs that an action led along a row to another status, or with `null` that the invoice was deleted. Creations are not
 * logged, because every invoice begins as a draft.
 */
export function logMove(
  tx: Tx,
  { invoice: { id, status }, version, account }: StoredInvoice,
  row: (typeof invoiceLifecycle.rows)[number],
  to: Status | null,
): void {
  if (to === status) return
  const move = [account.id, id, version + 1, row.action, status, to, tx.now]
  tx.write(insertRow, [...move, actorOf(tx.cause), causeId(tx.cause)])
  const details = { of: 'invoice', action: row.action, from: status, to, rule: followed(row) }
  tx.happened(() => ({ kind: 'move', accountId: account.id, ref: id, details }))
}
