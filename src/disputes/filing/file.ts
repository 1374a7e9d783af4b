import type { Tx } from '../../database/transaction.ts'
import { toMinor } from '../../kernel/money.ts'
import type { StoredTransaction } from '../../ledger/store.ts'
import { announce, keepTimer } from '../act.ts'
import { keepDocuments, type Uploads } from '../documents.ts'
import type { House } from '../house.ts'
import type { ActionContext } from '../machine/action.ts'
import { type Opening, openDispute } from '../machine/opening.ts'
import { step } from '../machine/step.ts'
import { toBoth } from '../news.ts'
import type { Dispute } from '../schema/dispute.ts'
import { FIRST_VERSION, insertDispute } from '../store.ts'
import { logMove, logOpening } from '../transitions.ts'
import { UNREGISTERED } from './made-up-payment.ts'

/**
 * Writes a new dispute and its hold. Both events are told: that it was opened, and, unless triage is set to wait, that
 * it was looked at. Nobody ever reads it in between, so it is stored once.
 */
export function fileDispute(
  tx: Tx,
  house: House,
  opening: Opening,
  payments: readonly StoredTransaction[],
  uploads: Uploads,
): Dispute {
  const { service, rules } = house
  const context: ActionContext = {
    now: tx.now,
    newId: (kind) => tx.newId(kind),
    side: 'buyer',
    isPartner: false,
    rules,
    uploads: uploads.stored,
  }
  const { dispute: opened, money } = openDispute(opening, context)
  const triage = rules.triageDelaySeconds === 0 ? step(opened, ['clock'], 'triage', {}, context) : undefined
  const filed = triage?.after ?? opened

  const held = new Map(
    money.flatMap((order) => (order.move === 'hold' ? [[order.transaction, order.amount] as const] : [])),
  )
  for (const payment of payments) {
    const { transaction, version } = payment
    const amount = held.get(transaction.id)
    const reference = filed.dispute_id
    if (version === UNREGISTERED) {
      const {
        fee: _fee,
        refunded: _refunded,
        held: _held,
        create_time: _created,
        update_time: _updated,
        ...known
      } = transaction
      house.ledger.capture(tx, {
        ...known,
        status: 'COMPLETED',
        silent: true,
        ...(amount && { hold: { amount, reference } }),
      })
    } else if (amount && toMinor(amount) > 0n) house.ledger.placeHold(tx, payment, amount, reference)
  }
  insertDispute(tx, filed)
  logOpening(tx, opened)
  if (triage) logMove(tx, triage, FIRST_VERSION)
  keepDocuments(tx, filed, uploads)
  keepTimer(tx, undefined, filed)
  announce(tx, service, opened, 'CUSTOMER.DISPUTE.CREATED', toBoth('opened'))
  if (triage) announce(tx, service, filed, 'CUSTOMER.DISPUTE.UPDATED', {})
  return filed
}
