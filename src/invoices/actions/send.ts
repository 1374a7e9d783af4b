import { type Day, type Instant, instantOf, toSeconds } from '../../kernel/clock.ts'
import type { JobRequest } from '../../kernel/job.ts'
import { toMinor } from '../../kernel/money.ts'
import { refused } from '../../kernel/problem.ts'
import { type ActionContext, invoiceAction, withMetadata } from '../action.ts'
import { mailed, mailsOf, Notification, reachable } from '../mails.ts'
import type { Metadata } from '../schema/given.ts'
import type { Invoice } from '../schema/invoice.ts'

/** The hour of the merchant's day at which scheduled invoices go out. */
export const ISSUE_HOUR = 7

export const issueKey = (id: string): string => `issue:${id}`

/** When an invoice with this issue date goes out by itself. */
const issueTime = (invoiceDate: string, zone: string): Instant =>
  instantOf(invoiceDate as Day, zone, { hour: ISSUE_HOUR })

/** The job that sends a scheduled invoice, on its issue date or later. A new job takes the place of the old one. */
export const issueJob = (
  { id, detail }: Pick<Invoice, 'id' | 'detail'>,
  { account }: ActionContext,
  day = detail.invoice_date,
): JobRequest => ({
  name: 'issue-invoice',
  payload: { account_id: account.id, invoice_id: id },
  runAt: issueTime(day, account.time_zone),
  key: issueKey(id),
  replace: true,
})

export const sentBy = ({ detail }: Invoice, { now, account }: ActionContext): Metadata => ({
  first_sent_time: detail.metadata.first_sent_time ?? toSeconds(now),
  last_sent_time: toSeconds(now),
  last_sent_by: account.email,
})

export const canBeSent = ({ items, amount }: Invoice): boolean => items.length > 0 && toMinor(amount) > 0n

/** Makes a draft payable: now, or on its issue date if that is still to come. Sending it again has no effect. */
export const send = invoiceAction('send', {
  summary: 'Send an invoice, or schedule it for its issue date',
  body: Notification,
  decide(invoice, given: Notification, context) {
    const { base_status, detail } = invoice
    if (base_status === 'SENT') return { outcome: 'already sent' }
    const isFuture = detail.invoice_date > context.today
    if (isFuture && base_status === 'SCHEDULED') return { outcome: 'already scheduled' }
    if (!canBeSent(invoice))
      throw refused(
        'INVALID_TOTAL_AMOUNT',
        'An invoice can be sent when it has items and a total above zero.',
        '/amount',
      )
    if (isFuture) {
      const { subject, note, additional_recipients } = given
      const issue_notice = {
        ...(subject !== undefined && { subject }),
        ...(note !== undefined && { note }),
        ...(additional_recipients && { additional_recipients }),
      }
      return {
        outcome: 'due later',
        changes: { issue_notice },
        jobs: [issueJob(invoice, context)],
        mailedLater: mailed(invoice, issue_notice).length,
      }
    }
    if (given.send_to_recipient === true && reachable(invoice).length === 0)
      throw refused(
        'CANT_SEND_INVOICE_WITHOUT_EMAIL',
        'There is no recipient with one e-mail address that a mail can go to; add it, or leave send_to_recipient out.',
        '/primary_recipients',
      )
    return {
      outcome: 'due now',
      changes: withMetadata(invoice, sentBy(invoice, context)),
      jobs: mailsOf('invoice', context.account, invoice, given),
      ...(base_status === 'SCHEDULED' && { withdraws: [issueKey(invoice.id)] }),
    }
  },
})
