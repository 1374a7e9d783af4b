import { toSeconds } from '../../kernel/clock.ts'
import { toMinor, toMoney } from '../../kernel/money.ts'
import { refused } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { type ActionContext, invoiceAction, updatedAt } from '../action.ts'
import { countRecipientChange, requireOwnEmail } from '../limits.ts'
import { mailed, mailsOf } from '../mails.ts'
import { updateName } from '../schema/codes.ts'
import { InvoiceInput } from '../schema/given.ts'
import type { Invoice } from '../schema/invoice.ts'
import { sameRecipients } from '../schema/parties.ts'
import { checkInvoice } from '../sums/check.ts'
import { attachedSince, type Composed, compose } from '../sums/compose.ts'
import { meant, readSentBack } from '../sums/sent-back.ts'
import { settle } from '../sums/settlement.ts'
import { issueJob, sentBy } from './send.ts'

const Update = Type.Object({
  ...InvoiceInput.properties,
  send_to_recipient: Type.Boolean(),
  send_to_invoicer: Type.Boolean(),
})
type Update = Static<typeof Update>

/** Replaces the whole document: what is left out is cleared, except number, date and what is read-only. */
export const update = invoiceAction('update', {
  summary: 'Replace an invoice',
  check: checkInvoice,
  decide(invoice, { send_to_recipient, send_to_invoicer, ...input }: Update, context) {
    const isSent = invoice.base_status === 'SENT'
    const isScheduled = invoice.base_status === 'SCHEDULED'
    // Payments that were made fix the currency.
    const keepsCurrency = isSent || invoice.payments.length > 0
    if (keepsCurrency && input.detail.currency_code !== invoice.detail.currency_code)
      throw refused(
        'CURRENCY_CODE_MISMATCH',
        `An invoice that was sent or paid keeps its currency, ${invoice.detail.currency_code}.`,
        '/detail/currency_code',
      )
    if (context.ownEmailOnly) requireOwnEmail(context.account, input)
    const isAgain = invoice.last_update === updateName(input, asItIs(invoice))
    const composed = isAgain ? asItIs(invoice) : composeAgain(invoice, input, context)
    const { payments, refunds } = invoice
    const { outcome, paid, due } = settle({ amount: composed.amount, payments, refunds })
    if (paid > toMinor(composed.amount))
      throw refused(
        'PAYMENT_AMOUNT_GREATER_THAN_AMOUNT_DUE',
        `${toMoney(paid, composed.amount.currency_code).value} is paid already; the total cannot be less.`,
        '/amount/value',
      )
    const changed: Invoice = {
      ...invoice,
      ...composed,
      detail: { ...composed.detail, metadata: invoice.detail.metadata },
    }
    const mails = isSent
      ? mailsOf('invoice-updated', context.account, changed, {
          send_to_recipient,
          send_to_invoicer,
          // An update cannot choose who is told in copy: they are told if the customer is.
          ...(!send_to_recipient && { additional_recipients: [] }),
        })
      : []
    const detail = { ...composed.detail, ...attachedSince(composed.detail, invoice.detail, toSeconds(context.now)) }
    return {
      // If the new total is now paid in full, that decides the status, as a payment would.
      outcome: outcome as 'unpaid' | 'partly paid' | 'paid' | 'paid offline',
      changes: {
        ...composed,
        last_update: updateName(input, { ...composed, detail }),
        detail: {
          ...detail,
          viewed_by_recipient: invoice.detail.viewed_by_recipient ?? false,
          metadata: {
            ...invoice.detail.metadata,
            ...updatedAt(context),
            ...(mails.length > 0 && sentBy(invoice, context)),
          },
        },
        due_amount: toMoney(due, composed.amount.currency_code),
        recipient_change_times: sameRecipients(invoice.primary_recipients, composed.primary_recipients)
          ? invoice.recipient_change_times
          : countRecipientChange(invoice.recipient_change_times, context.now),
      },
      jobs: [...mails, ...(isScheduled ? [issueJob(changed, context)] : [])],
      ...(isScheduled && { mailedLater: newlyMailed(invoice, changed) }),
    }
  },
})

/** How many people will be mailed on the issue date only because of this change. */
function newlyMailed(before: Invoice, after: Invoice): number {
  const known = new Set(mailed(before, before.issue_notice ?? {}))
  return mailed(after, after.issue_notice ?? {}).filter((email) => !known.has(email)).length
}

/** What an update would write, as the invoice is now. */
const asItIs = ({ detail, invoicer, primary_recipients, ...invoice }: Invoice): Composed => {
  const { additional_recipients, items, configuration, amount } = invoice
  return { detail, invoicer, primary_recipients, additional_recipients, items, configuration, amount }
}

function composeAgain(invoice: Invoice, given: InvoiceInput, { account, newId }: ActionContext) {
  const { invoice_number: number, invoice_date } = invoice.detail
  const { template_id } = invoice.configuration
  const input = readSentBack(given, invoice)
  const invoice_number = meant(number, input.detail.invoice_number, input.invoice_number) ?? number
  return compose(
    {
      ...input,
      detail: { invoice_date, ...input.detail, invoice_number },
      configuration: { ...input.configuration, ...(template_id !== undefined && { template_id }) },
    },
    {
      accountId: account.id,
      newId,
      itemIds: new Set(invoice.items.flatMap(({ id }) => id ?? [])),
    },
  )
}
