import { notFound } from '../../kernel/problem.ts'
import { invoiceAction, resettled } from '../action.ts'

/** Takes back the record of a refund. */
export const deleteRefund = invoiceAction('delete-refund', {
  summary: 'Delete a recorded refund',
  decide(invoice, { transaction_id }: { transaction_id: string }, context) {
    const refund = invoice.refunds.find(({ refund_id, type }) => refund_id === transaction_id && type === 'EXTERNAL')
    if (!refund) throw notFound('The refund')
    return resettled(invoice, { refunds: invoice.refunds.filter((other) => other !== refund) }, context)
  },
})
