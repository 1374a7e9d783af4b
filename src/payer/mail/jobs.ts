import { findStored } from '../../invoices/store.ts'
import { type JobDefinition, job } from '../../jobs/job-definition.ts'
import type { JobRequest } from '../../kernel/job.ts'
import { type MailPayload, mailJob } from '../../kernel/mail.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Service } from '../../room.ts'
import type { KeepLogo } from '../logo/jobs.ts'
import { findLogo } from '../logo/store.ts'
import { pageAddress, recipientLocale } from '../page/open-page.ts'
import type { Printer } from '../print/printer.ts'
import { pdfName } from '../sheet/sheet.ts'
import { renderMail } from './mail.ts'
import { mailRetries, type SendMail } from './send.ts'

/** Mails that carry the invoice itself. */
const withInvoice: readonly MailPayload['kind'][] = ['invoice', 'invoice-updated', 'reminder', 'payment-received']

/** Tells what happened to an invoice, in the state it is in when the mail goes out. */
export const mailJobs = (
  service: Service,
  { sendMail, keepLogo, printer }: { sendMail: SendMail; keepLogo: KeepLogo; printer: Printer },
): JobDefinition[] => [
  job<MailPayload>({
    name: 'send-mail',
    foretell: ({ kind, invoice_id, to }) => `A mail (${kind}) about invoice ${invoice_id} goes to the ${to}.`,
    retryAfter: mailRetries,
    async run(payload, context) {
      const { db, now, transact } = context
      const {
        account_id,
        invoice_id,
        kind,
        to,
        recipients,
        part_of: { label, part } = { label: context.label, part: 0 },
      } = payload
      if (service.settings.smtpUrl !== undefined && recipients.length > 1)
        return transact(async (tx) => {
          for (const job of apart(payload, label)) tx.enqueue(job)
        })
      const stored = await findStored(db, account_id, invoice_id).catch(noneWhenGone)
      if (!stored) return
      const address = pageAddress(service, invoice_id)
      const { sheet, ...rendered } = renderMail(stored, payload, { address, now })
      const print = async () => {
        const { logo_url } = stored.invoice.invoicer
        if (logo_url) await keepLogo({ account_id, url: logo_url }, context)
        const logo = await findLogo(db, stored)
        // Whoever reads the mail, the document is in the recipient's language.
        const locale = recipientLocale(stored.invoice)
        return printer.print({ source: { ...stored, now }, accountId: account_id, locale, address, logo })
      }
      const mail = {
        ...rendered,
        to: recipients,
        fromName: to === 'recipient' ? sheet.seller : 'Quittance',
        ...(to === 'recipient' && { replyTo: stored.account.email }),
        ...(withInvoice.includes(kind) && { attachment: { filename: pdfName(sheet), href: `${address}/pdf`, print } }),
      }
      await sendMail(account_id, mail, { label, transact }, part)
    },
  }),
]

/** A job for each recipient: if the mail server refuses one, the others are neither mailed again nor left out. */
const apart = (payload: MailPayload, label: string): JobRequest[] =>
  payload.recipients.map((address, part) => ({
    ...mailJob({ ...payload, recipients: [address], part_of: { label, part } }),
    key: `send-mail:${label}:${part}`,
  }))

/** An invoice that was deleted meanwhile needs no mail. */
function noneWhenGone(error: unknown): undefined {
  if (error instanceof Problem && error.status === 404) return undefined
  throw error
}
