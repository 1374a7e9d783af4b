import type { Transporter } from 'nodemailer'

/** A mail as the mail server receives it. */
export interface OutgoingMail {
  /** Stays the same when a mail is sent again, so that readers see it once. */
  readonly id: string
  readonly from: { readonly name: string; readonly address: string }
  readonly replyTo?: string
  readonly to: readonly string[]
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly attachments: readonly { readonly filename: string; readonly contentType: string; readonly content: Buffer }[]
}

export interface MailDoor {
  send(mail: OutgoingMail): Promise<void>
}

const CONNECT_TIMEOUT_MS = 5_000
const SOCKET_TIMEOUT_MS = 20_000

/** The door to a mail server. Recipients never see each other: each gets a mail of their own. */
export function openMailDoor(smtpUrl: string): MailDoor {
  let transport: Promise<Transporter> | undefined
  const open = async () => {
    // Loaded with the first mail: most services of a sandbox never send one.
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url: smtpUrl,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      // Nothing in a mail may make this process read a file or call an address.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  return {
    async send({ id, from, replyTo, to, subject, text, html, attachments }) {
      const domain = from.address.split('@')[1]!
      transport ??= open()
      const door = await transport
      for (const address of to)
        await door.sendMail({
          from,
          to: { name: '', address },
          ...(replyTo !== undefined && { replyTo: { name: from.name, address: replyTo } }),
          envelope: { from: from.address, to: [address] },
          messageId: `<${id}@${domain}>`,
          subject,
          text,
          html,
          attachments: attachments.map((attachment) => ({ ...attachment })),
          headers: { 'Auto-Submitted': 'auto-generated' },
        })
    },
  }
}
