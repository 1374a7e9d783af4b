import { refused } from '../../kernel/problem.ts'
import { invoiceAction, resettled } from '../action.ts'
import { asShown, type ServiceRefund } from './refund-payment.ts'

interface Overturned {
  readonly refund_id: string
  /** The other refunds of the same payment, oldest first. */
  readonly standing: readonly ServiceRefund[]
}

/** The decision to take a payment back was overturned: the payment counts again, and the refund is gone. */
export const restorePayment = invoiceAction('restore-payment', {
  summary: 'A reversal of a payment through the service is cancelled',
  decide(invoice, { refund_id, standing }: Overturned, context) {
    let refunds = invoice.refunds.filter((refund) => refund.refund_id !== refund_id)
    if (refunds.length === invoice.refunds.length)
      throw refused('CANNOT_PROCESS_REFUNDS', 'The invoice shows no such refund.')
    // Another refund may have counted only as giving back a tip because of this one. Without it, that refund gives back some
    // of the debt.
    for (const one of standing) {
      const isOne = (refund: { refund_id: string }) => refund.refund_id === one.refund_id
      const shown = asShown({ ...invoice, refunds: refunds.filter((refund) => !isOne(refund)) }, one, context)
      if (shown)
        refunds = refunds.some(isOne) ? refunds.map((refund) => (isOne(refund) ? shown : refund)) : [...refunds, shown]
    }
    return resettled(invoice, { refunds }, context)
  },
})
