import { notFound, refused } from '../../kernel/problem.ts'
import { invoiceAction, resettled } from '../action.ts'
import { recordedLeft } from '../sums/settlement.ts'

/** Takes back the record of a payment; the invoice is again what it would be without it. */
export const deletePayment = invoiceAction('delete-payment', {
  summary: 'Delete a recorded payment',
  decide(invoice, { transaction_id }: { transaction_id: string }, context) {
    const payment = invoice.payments.find(({ payment_id }) => payment_id === transaction_id)
    if (!payment) throw notFound('The payment')
    if (payment.type !== 'EXTERNAL')
      throw refused(
        'CANNOT_DELETE_EXTERNAL_PAYMENT',
        `This payment went through the service: refund it with POST /v2/payments/captures/${payment.payment_id}/refund.`,
      )
    const payments = invoice.payments.filter((other) => other !== payment)
    if (recordedLeft({ ...invoice, payments }) < 0n)
      throw refused(
        'CANNOT_DELETE_EXTERNAL_PAYMENT',
        'More would be recorded as refunded than as paid; delete the refunds first.',
      )
    return resettled(invoice, { payments }, context)
  },
})
