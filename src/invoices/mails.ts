import type { Account } from '../accounts/schema.ts'
import type { JobRequest } from '../kernel/job.ts'
import { isMailable, type MailKind, mailJob } from '../kernel/mail.ts'
import { type Static, Type } from '../kernel/type.ts'
import type { Invoice } from './schema/invoice.ts'
import { AdditionalRecipients, emailsOf } from './schema/parties.ts'

/** Whom to tell, and with which words. */
export const Notification = Type.Object({
  subject: Type.Optional(Type.String({ maxLength: 4000 })),
  note: Type.Optional(Type.String({ maxLength: 4000 })),
  send_to_invoicer: Type.Optional(Type.Boolean({ default: false })),
  send_to_recipient: Type.Optional(Type.Boolean({ default: true })),
  additional_recipients: Type.Optional(AdditionalRecipients),
})
export type Notification = Static<typeof Notification>

type Words = Pick<Notification, 'subject' | 'note' | 'additional_recipients'>

const words = ({ subject, note }: Words) => ({
  ...(subject !== undefined && { subject }),
  ...(note !== undefined && { note }),
})

/** The caller can only choose among addresses in copy of the invoice. Without a choice, all of them get the mail. */
function copies({ additional_recipients }: Invoice, { additional_recipients: chosen }: Words): readonly string[] {
  if (!chosen) return additional_recipients
  const wanted = new Set(chosen.map((email) => email.toLowerCase()))
  return additional_recipients.filter((email) => wanted.has(email.toLowerCase()))
}

/** Whom a mail about an invoice reaches, the merchant aside. */
export const mailed = (
  invoice: Invoice,
  given: Pick<Notification, 'send_to_recipient' | 'additional_recipients'>,
): string[] => [
  ...new Set([
    ...((given.send_to_recipient ?? true) ? reachable(invoice) : []),
    ...copies(invoice, given).filter(isMailable),
  ]),
]

/** The customers' addresses to which a mail can be sent. */
export const reachable = ({ primary_recipients }: Invoice): string[] => emailsOf(primary_recipients).filter(isMailable)

/**
 * Three separate choices: the customer is told unless the caller says no; those in copy are told unless the caller chooses
 * others; the merchant is told only on demand.
 */
export function mailsOf(kind: MailKind, account: Account, invoice: Invoice, given: Notification): JobRequest[] {
  const told = {
    recipient: mailed(invoice, given),
    invoicer: given.send_to_invoicer ? [account.email] : [],
  }
  return (['recipient', 'invoicer'] as const).flatMap((to) =>
    told[to].length === 0
      ? []
      : mailJob({
          account_id: account.id,
          kind,
          invoice_id: invoice.id,
          to,
          recipients: told[to],
          ...words(given),
        }),
  )
}
