import type { JobContext } from '../../jobs/job-definition.ts'
import { isMailable } from '../../kernel/mail.ts'
import { type MailServer, openMailServer } from '../../outbound/mail.ts'
import type { Service } from '../../room.ts'
import { oneLine } from './mail.ts'
import { keepMail } from './store.ts'

/** A mail that is ready to go. */
export interface ReadyMail {
  readonly to: readonly string[]
  readonly fromName: string
  readonly replyTo?: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly links: readonly string[]
  /** Printed only if the mail really goes out. Otherwise it can be fetched at `href`. */
  readonly attachment?: { readonly filename: string; readonly href: string; print(): Promise<Buffer> }
}

/** What gives a mail its name, and where it is stored. */
type Sending = Pick<JobContext, 'label' | 'transact'>

/** Hands a mail to the mail server if there is one. In a sandbox, also keeps it so that it can be read. */
export type SendMail = (accountId: string, mail: ReadyMail, sending: Sending, part?: number) => Promise<void>

const pdf = 'application/pdf'

const minutes = 60
const hours = 60 * minutes
/** A mail server that is down or busy is tried again after each of these waits, in seconds. Together they are nearly two days. */
export const mailRetries = [5, minutes, 5 * minutes, 30 * minutes, 2 * hours, 6 * hours, 12 * hours, 24 * hours]

export function makeSendMail({ settings, environment }: Service): SendMail {
  let server: MailServer | undefined
  const mailServer = () => {
    if (settings.smtpUrl === undefined) return undefined
    const { smtpUrl: url, smtpAllowPrivate: allowPrivate, smtpAllowPlain: allowPlain } = settings
    server ??= openMailServer({ url, allowPrivate, allowPlain })
    return server
  }

  return async (accountId, { attachment, fromName, ...mail }, { label, transact }, part = 0) => {
    const to = mail.to.filter(isMailable)
    if (to.length === 0) return
    const { subject, text, html, links } = mail
    const replyTo = mail.replyTo !== undefined && isMailable(mail.replyTo) ? mail.replyTo : undefined
    // The id is made from that of the job, so that a mail that is sent twice is recognised as one.
    const ready = { id: `mail-${label}-${part}`, to, subject: oneLine(subject), text, html }

    const server = mailServer()
    if (server)
      await server.send({
        ...ready,
        ...(replyTo !== undefined && { replyTo }),
        from: { name: oneLine(fromName), address: settings.mailFrom },
        attachments: attachment
          ? [{ filename: attachment.filename, contentType: pdf, content: await attachment.print() }]
          : [],
      })
    if (environment !== 'sandbox') return
    await transact(async (tx) =>
      keepMail(tx, accountId, {
        ...ready,
        from: settings.mailFrom,
        from_name: oneLine(fromName),
        ...(replyTo !== undefined && { reply_to: replyTo }),
        links,
        attachments: attachment ? [{ filename: attachment.filename, content_type: pdf, href: attachment.href }] : [],
      }),
    )
  }
}
