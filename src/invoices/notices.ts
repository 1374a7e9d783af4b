import type { Account } from '../accounts/schema.ts'
import type { JobRequest } from '../kernel/job.ts'
import { type MailKind, mailJob } from '../kernel/mail.ts'
import { type Static, Type } from '../kernel/type.ts'
import type { Invoice } from './schema/invoice.ts'
import { AdditionalRecipients, emailsOf } from './schema/parties.ts'

/** Whom to tell and in which words. */
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

/** Mail to the recipients and those in copy; nothing where there is no recipient to send to. */
export function recipientMail(kind: MailKind, account: Account, invoice: Invoice, given: Words = {}): JobRequest[] {
  const recipients = emailsOf(invoice.primary_recipients)
  if (recipients.length === 0) return []
  return [
    mailJob({
      account_id: account.id,
      kind,
      invoice_id: invoice.id,
      to: 'recipient',
      recipients: [...new Set([...recipients, ...copies(invoice, given)])],
      ...words(given),
    }),
  ]
}

/** Only addresses in copy of the invoice can be chosen from; without a choice all of them get it. */
function copies({ additional_recipients }: Invoice, { additional_recipients: chosen }: Words): readonly string[] {
  if (!chosen) return additional_recipients
  const wanted = new Set(chosen.map((email) => email.toLowerCase()))
  return additional_recipients.filter((email) => wanted.has(email.toLowerCase()))
}

export const invoicerMail = (kind: MailKind, account: Account, invoice: Invoice, given: Words = {}): JobRequest[] => [
  mailJob({
    account_id: account.id,
    kind,
    invoice_id: invoice.id,
    to: 'invoicer',
    recipients: [account.email],
    ...words(given),
  }),
]

/** Both mails as the flags say; a customer is told unless the caller says no, the merchant only on demand. */
export function noticesOf(kind: MailKind, account: Account, invoice: Invoice, given: Notification): JobRequest[] {
  const { send_to_recipient = true, send_to_invoicer = false } = given
  return [
    ...(send_to_recipient ? recipientMail(kind, account, invoice, given) : []),
    ...(send_to_invoicer ? invoicerMail(kind, account, invoice, given) : []),
  ]
}
