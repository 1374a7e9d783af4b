import type { Tx } from '../../database/transaction.ts'
import { toMinor } from '../../kernel/money.ts'
import type { NewPayment, PaymentTransaction } from '../../ledger/schema.ts'
import type { StoredTransaction } from '../../ledger/store.ts'
import { announce, keepTimer } from '../act.ts'
import { keepDocuments, type Uploads } from '../documents.ts'
import type { House } from '../house.ts'
import type { ActionContext, MoneyOrder } from '../machine/action.ts'
import { type Opening, openDispute } from '../machine/opening.ts'
import { step } from '../machine/step.ts'
import { toBoth } from '../news.ts'
import type { Dispute } from '../schema/dispute.ts'
import { FIRST_VERSION, insertDispute } from '../store.ts'
import { logMove, logOpening } from '../transitions.ts'
import { UNREGISTERED } from './made-up-payment.ts'

/** A dispute that is to be written, with the payments of which it holds money. */
interface Filing {
  readonly opening: Opening
  readonly payments: readonly StoredTransaction[]
  readonly uploads: Uploads
}

/**
 * Writes a new dispute and its hold. Emits two events: that it was opened and, unless triage is set to wait, that it was
 * looked at. Nobody can read it in between, so it is stored only once.
 */
export function fileDispute(tx: Tx, house: House, { opening, payments, uploads }: Filing): Dispute {
  const { service, rules } = house
  const context: ActionContext = {
    now: tx.now,
    newId: (kind) => tx.newId(kind),
    side: 'buyer',
    isPartner: false,
    tellsPartnerActions: false,
    rules,
    uploads: uploads.stored,
  }
  const { dispute: opened, money } = openDispute(opening, context)
  const triage = rules.triageDelaySeconds === 0 ? step(opened, ['clock'], 'triage', {}, context) : undefined
  const filed = triage?.after ?? opened

  holdMoney(tx, house, filed.dispute_id, payments, money)
  insertDispute(tx, filed)
  logOpening(tx, opened)
  if (triage) logMove(tx, triage, FIRST_VERSION)
  keepDocuments(tx, filed, uploads)
  keepTimer(tx, undefined, filed)
  announce(tx, service, opened, 'CUSTOMER.DISPUTE.CREATED', toBoth('opened'))
  if (triage) announce(tx, service, filed, 'CUSTOMER.DISPUTE.UPDATED', {})
  return filed
}

/**
 * Holds the disputed part of each payment. A payment that was made up is captured together with its hold, and no event is
 * emitted.
 */
function holdMoney(
  tx: Tx,
  { ledger }: House,
  reference: string,
  payments: readonly StoredTransaction[],
  money: readonly MoneyOrder[],
): void {
  const held = new Map(money.flatMap((order) => (order.move === 'hold' ? [[order.transaction, order.amount]] : [])))
  for (const payment of payments) {
    const { transaction, version } = payment
    const amount = held.get(transaction.id)
    if (version === UNREGISTERED)
      ledger.capture(tx, { ...unmoved(transaction), silent: true, ...(amount && { hold: { amount, reference } }) })
    else if (amount && toMinor(amount) > 0n) ledger.placeHold(tx, payment, amount, reference)
  }
}

/** A payment without the fields that its capture works out. */
function unmoved(transaction: PaymentTransaction): NewPayment {
  const {
    fee: _fee,
    refunded: _refunded,
    held: _held,
    create_time: _created,
    update_time: _updated,
    ...known
  } = transaction
  return { ...known, status: 'COMPLETED' }
}
