import { findStored } from '../invoices/store.ts'
import { type JobDefinition, job } from '../jobs/job-definition.ts'
import type { MailPayload } from '../kernel/mail.ts'
import { Problem } from '../kernel/problem.ts'
import { type MailDoor, openMailDoor } from '../outbound/mail.ts'
import type { Service } from '../room.ts'
import { oneLine, renderMail } from './mail.ts'
import { keepMail } from './mail-store.ts'
import { pageAddress } from './open-page.ts'
import { printInvoice } from './press.ts'
import { pdfName } from './sheet.ts'

const minutes = 60
const hours = 60 * minutes

/** Mails that carry the invoice itself. */
const withInvoice: readonly MailPayload['kind'][] = ['invoice', 'invoice-updated', 'reminder', 'payment-received']

const isAddress = (text: string) => /^[^\s@<>"(),:;\\[\]]+@[^\s@<>"(),:;\\[\]]+$/.test(text)

/** Renders a mail, hands it to the mail server where there is one, and keeps it to be read in a sandbox. */
export function mailJobs(service: Service): JobDefinition[] {
  const { settings, environment } = service
  let door: MailDoor | undefined
  const outside = () => {
    if (settings.smtpUrl === undefined) return undefined
    door ??= openMailDoor(settings.smtpUrl)
    return door
  }

  return [
    job<MailPayload>({
      name: 'send-mail',
      retryAfter: [5, 1 * minutes, 5 * minutes, 30 * minutes, 2 * hours, 6 * hours, 12 * hours, 24 * hours],
      async run(payload, { id, now, db, transact }) {
        const stored = await findStored(db, payload.account_id, payload.invoice_id).catch(noneWhenGone)
        const to = payload.recipients.filter(isAddress)
        if (!stored || to.length === 0) return
        const address = pageAddress(service, payload.invoice_id)
        const { subject, text, html, links, sheet } = renderMail(stored, payload, { address, now })
        const carriesPdf = withInvoice.includes(payload.kind)
        const replyTo = payload.to === 'recipient' && isAddress(stored.account.email) ? stored.account.email : undefined
        const mail = { id: `mail-${id}`, to, subject, text, html, ...(replyTo !== undefined && { replyTo }) }

        await outside()?.send({
          ...mail,
          from: { name: oneLine(payload.to === 'recipient' ? sheet.seller : 'Quittance'), address: settings.mailFrom },
          attachments: carriesPdf
            ? [
                {
                  filename: pdfName(sheet),
                  contentType: 'application/pdf',
                  content: await printInvoice({ source: { ...stored, now }, tongue: sheet.tongue, address }),
                },
              ]
            : [],
        })
        if (environment !== 'sandbox') return
        const { replyTo: reply_to, ...kept } = mail
        // What nobody receives is not printed; its address says where it can be had.
        const attachment = { filename: pdfName(sheet), content_type: 'application/pdf', href: `${address}/pdf` }
        await transact(async (tx) =>
          keepMail(tx, payload.account_id, {
            ...kept,
            from: settings.mailFrom,
            ...(reply_to !== undefined && { reply_to }),
            links,
            attachments: carriesPdf ? [attachment] : [],
          }),
        )
      },
    }),
  ]
}

/** An invoice that was deleted meanwhile needs no mail. */
function noneWhenGone(error: unknown): undefined {
  if (error instanceof Problem && error.status === 404) return undefined
  throw error
}
