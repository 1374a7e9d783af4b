import { invoiceAction } from '../action.ts'

/** The hosted page was opened. */
export const view = invoiceAction('view', {
  summary: 'The hosted page is opened',
  decide: (invoice) => ({
    outcome: 'viewed',
    ...(!invoice.detail.viewed_by_recipient && {
      changes: { detail: { ...invoice.detail, viewed_by_recipient: true } },
    }),
  }),
})
