import { refused } from '../../kernel/problem.ts'
import { invoiceAction, resettled } from '../action.ts'

/** The decision to take a payment back was overturned: the payment counts again, and the refund is gone. */
export const restorePayment = invoiceAction('restore-payment', {
  summary: 'A reversal of a payment through the service is cancelled',
  decide(invoice, { refund_id }: { refund_id: string }, context) {
    const refunds = invoice.refunds.filter((refund) => refund.refund_id !== refund_id)
    if (refunds.length === invoice.refunds.length)
      throw refused('CANNOT_PROCESS_REFUNDS', 'The invoice shows no such refund.')
    return resettled(invoice, { refunds }, context)
  },
})
