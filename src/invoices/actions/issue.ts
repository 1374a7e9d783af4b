import { addDays } from '../../kernel/clock.ts'
import { invoiceAction, withMetadata } from '../action.ts'
import { mailsOf } from '../mails.ts'
import { canBeSent, issueJob, sentBy } from './send.ts'

/** Time sends a scheduled invoice on its issue date, to the merchant as well. */
export const issue = invoiceAction('issue', {
  summary: 'Send a scheduled invoice on its issue date',
  decide(invoice, _input, context) {
    if (invoice.detail.invoice_date > context.today)
      return { outcome: 'due later', changes: {}, jobs: [issueJob(invoice, context)] }
    // Nothing goes out for a suspended merchant. It is tried again every day until the merchant is active.
    if (context.account.status !== 'ACTIVE')
      return { outcome: 'due later', jobs: [issueJob(invoice, context, addDays(context.today, 1))] }
    // It stays scheduled while it lacks what sending needs. The next full update enqueues the job again.
    if (!canBeSent(invoice)) return { outcome: 'due later' }
    return {
      outcome: 'due now',
      changes: withMetadata(invoice, sentBy(invoice, context)),
      jobs: mailsOf('invoice', context.account, invoice, { ...invoice.issue_notice, send_to_invoicer: true }),
    }
  },
})
