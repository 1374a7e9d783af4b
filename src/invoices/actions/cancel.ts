import { toSeconds } from '../../kernel/clock.ts'
import { invoiceAction, withMetadata } from '../action.ts'
import { mailsOf, Notification } from '../mails.ts'

/** Withdraws a sent invoice. It can still be read, and keeps its number and what was due. */
export const cancel = invoiceAction('cancel', {
  summary: 'Cancel a sent invoice',
  body: Notification,
  decide: (invoice, given: Notification, { now, account }) => ({
    outcome: 'cancelled',
    changes: withMetadata(invoice, { cancel_time: toSeconds(now), cancelled_by: account.email }),
    jobs: mailsOf('invoice-cancelled', account, invoice, given),
  }),
})
