import { invoiceAction } from '../action.ts'
import { issueKey } from './send.ts'

/** Removes an invoice that nobody has seen yet. Its number is free at once. */
export const deleteInvoice = invoiceAction('delete', {
  summary: 'Delete a draft or scheduled invoice',
  decide: (invoice) => ({
    outcome: 'gone',
    changes: {},
    ...(invoice.base_status === 'SCHEDULED' && { withdraws: [issueKey(invoice.id)] }),
  }),
})
