import { refused } from '../../kernel/problem.ts'
import { invoiceAction } from '../action.ts'
import { countReminder } from '../limits.ts'
import { mailsOf, Notification, reachable } from '../mails.ts'

/** Mails the recipients once more, at most twice a day. */
export const remind = invoiceAction('remind', {
  summary: 'Send a reminder about an unpaid invoice',
  body: Notification,
  decide(invoice, given: Notification, { now, account }) {
    if (reachable(invoice).length === 0)
      throw refused(
        'CANT_REMIND_INVOICE_WITHOUT_BILLING_INFO',
        'There is no recipient with one e-mail address that a mail can go to.',
        '/primary_recipients',
      )
    return {
      outcome: 'reminded',
      changes: { reminder_times: countReminder(invoice.reminder_times, now, account.time_zone) },
      jobs: mailsOf('reminder', account, invoice, given),
    }
  },
})
