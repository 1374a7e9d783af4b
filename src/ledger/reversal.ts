import type { Tx } from '../database/transaction.ts'
import { toMinor } from '../kernel/money.ts'
import type { Service } from '../room.ts'
import { appOf, printed, statusOf } from './movements.ts'
import { post } from './post.ts'
import { presentCapture, presentRefund } from './present.ts'
import { plus, tellInvoice } from './refund.ts'
import type { PaymentChange, PaymentTransaction, Refund } from './schema.ts'
import { type StoredTransaction, savePayment, saveRefund } from './store.ts'

/**
 * The decision behind a reversal was overturned, or stands after all: who bears it changes between the seller and the
 * service. The payer has the money either way.
 */
export function turnReversal(
  service: Service,
  tx: Tx,
  { transaction, version }: StoredTransaction,
  reversal: Refund,
  status: Refund['status'],
): PaymentChange {
  if (reversal.kind !== 'reversal' || reversal.status === status)
    throw new Error(`The refund ${reversal.id} is no reversal that could become ${status}.`)
  const { seller, gross, covered, reversed } = transaction
  const currency = gross.currency_code
  const toSeller = toMinor(reversal.amount) * (status === 'CANCELLED' ? 1n : -1n)
  const borne = plus(covered, toSeller, currency)
  const changed: PaymentTransaction = {
    ...transaction,
    status: statusOf({ ...transaction, covered: borne }),
    covered: borne,
    reversed: plus(reversed, -toSeller, currency),
    update_time: tx.now,
  }
  const turned: Refund = { ...reversal, status }
  savePayment(tx, version, changed)
  saveRefund(tx, seller.account_id, turned)
  post(tx, {
    accountId: seller.account_id,
    currency,
    kind: status === 'CANCELLED' ? 'REVERSAL_CANCELLED' : 'REVERSAL_REINSTATED',
    reference: reversal.id,
    entries: [
      { book: 'service', amount: -toSeller },
      { book: 'balance', amount: toSeller },
    ],
  })
  tx.emit({
    accountId: seller.account_id,
    resourceId: transaction.id,
    ...(status === 'CANCELLED'
      ? { type: 'PAYMENT.CAPTURE.COMPLETED', resource: presentCapture(service, changed) }
      : { type: 'PAYMENT.CAPTURE.REVERSED', resource: presentRefund(service, turned, changed) }),
    summary: `${printed(reversal.amount)} was ${status === 'CANCELLED' ? 'given back to the seller' : 'taken back'}.`,
    ...appOf(transaction),
  })
  tellInvoice(tx, turned, changed)
  return { transaction: changed, refund: turned }
}
