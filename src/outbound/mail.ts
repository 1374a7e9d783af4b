import { createHash } from 'node:crypto'
import { connect, type Socket } from 'node:net'
import type { SendMailOptions, Transporter } from 'nodemailer'
import { ForGood } from '../kernel/for-good.ts'
import { addressRefusal, type EgressPolicy } from './egress.ts'
import { dialRefusal, EgressRefused, guardedLookup } from './guard.ts'

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

export interface MailServer {
  send(mail: OutgoingMail): Promise<void>
  /** Does all that comes before a mail is handed over: connects, encrypts and signs in. */
  greet(): Promise<void>
}

export interface MailServerOptions {
  readonly url: string
  readonly allowPrivate: boolean
  /** Whether a server without TLS is accepted. */
  readonly allowPlain: boolean
}

const CONNECT_TIMEOUT_MS = 5_000
const SOCKET_TIMEOUT_MS = 20_000
const SECURE_PORT = 465
const SUBMISSION_PORT = 587

/** The way to a mail server. Recipients never see each other: each gets a mail of their own. */
export function openMailServer({ url: smtpUrl, allowPrivate, allowPlain }: MailServerOptions): MailServer {
  // Encryption is negotiated by the mail protocol; whether it is required is said below.
  const policy = { allowHttp: true, allowPrivate }
  let transport: Promise<Transporter> | undefined
  const open = async () => {
    // Loaded with the first mail: most services of a sandbox never send one.
    const { createTransport } = await import('nodemailer')
    return createTransport({
      url: smtpUrl,
      // Somebody between us and the server can strip its offer of STARTTLS. Then nothing is sent, least of all the password.
      requireTLS: !allowPlain,
      getSocket({ host = 'localhost', port, secure }, done) {
        dial(host, Number(port) || (secure ? SECURE_PORT : SUBMISSION_PORT), policy).then(
          (connection) => done(null, { connection }),
          (error) => done(error, undefined),
        )
      },
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SOCKET_TIMEOUT_MS,
      // Nothing in a mail may make this process read a file or call an address.
      disableFileAccess: true,
      disableUrlAccess: true,
    })
  }
  const opened = () => {
    transport ??= open()
    return transport
  }
  return {
    async greet() {
      await (await opened()).verify()
    },
    async send(mail) {
      const transporter = await opened()
      for (const address of mail.to)
        await transporter.sendMail(messageTo(address, mail)).catch((error: Refusal) => {
          if (!isOfRecipient(error)) throw error
          throw new ForGood(`The mail server does not take mail for this recipient: ${error.response}`, {
            cause: error,
          })
        })
    },
  }
}

/** What a mail server answered to which command, where it answered. */
interface Refusal extends Error {
  readonly command?: string
  readonly responseCode?: number
  readonly response?: string
}

/** The detail code of a permanent refusal (RFC 3463), where the server names it. Must not match a part of an IPv4 address. */
const enhancedCode = /(?<![\d.])5\.(\d{1,3}\.\d{1,3})(?![\d.]*\d)/
/** Codes for: no such mailbox, domain or address; moved away; takes no mail; disabled. */
const ofRecipient = new Set(['1.1', '1.2', '1.3', '1.6', '1.10', '2.1'])
const ofRecipientUnnamed = new Set([550, 551, 553])
/** Words that tell a refusal of us as the sender. */
const ofSender = /relay|authent|denied|permit|polic|block|list|spam|sender|client|host/i

/**
 * Whether it is the recipient who is refused for good, and not we. What a server has against us may be due to a setting of
 * ours or of its own, which somebody can mend while the mail waits.
 */
function isOfRecipient({ command, responseCode = 0, response = '' }: Refusal): boolean {
  if (command !== 'RCPT TO' || responseCode < 500) return false
  const kind = enhancedCode.exec(response)?.[1]
  if (kind !== undefined) return ofRecipient.has(kind)
  return ofRecipientUnnamed.has(responseCode) && !ofSender.test(response)
}

/** The copy of a mail that goes to one of its recipients. */
const messageTo = (address: string, { id, from, replyTo, subject, text, html, attachments }: OutgoingMail) => ({
  from,
  to: { name: '', address },
  ...(replyTo !== undefined && { replyTo: { name: from.name, address: replyTo } }),
  envelope: { from: from.address, to: [address] },
  messageId: `<${id}-${shortDigest(address)}@${from.address.split('@')[1]!}>`,
  subject,
  text,
  html,
  attachments: attachments.map((attachment) => ({ ...attachment })),
  headers: { 'Auto-Submitted': 'auto-generated' },
})

/** That copy as it is handed to a mail server. It is the same whenever it is asked for. */
export async function sourceOf(address: string, mail: OutgoingMail, date: Date): Promise<Buffer> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({
    streamTransport: true,
    buffer: true,
    newline: 'windows',
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  const baseBoundary = shortDigest(mail.id)
  const { message } = await transport.sendMail({ ...messageTo(address, mail), date, baseBoundary } as Message)
  return message as Buffer
}

/** What is composed; the package's types do not know that boundaries can be named. */
type Message = SendMailOptions & { readonly baseBoundary: string }

/** Tells the copies of a mail apart without naming who gets them. */
const shortDigest = (address: string) => createHash('sha256').update(address.toLowerCase()).digest('hex').slice(0, 12)

/** A connection to an address that the rules allow. */
function dial(host: string, port: number, policy: EgressPolicy): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const refusal = dialRefusal(host, policy)
    if (refusal !== undefined) return reject(new EgressRefused(refusal))
    const socket = connect({ host, port, lookup: guardedLookup(policy) })
    const late = setTimeout(() => socket.destroy(new Error(`${host} took too long to answer.`)), CONNECT_TIMEOUT_MS)
    socket.once('error', reject)
    socket.once('close', () => clearTimeout(late))
    socket.once('connect', () => {
      clearTimeout(late)
      const reached = addressRefusal(socket.remoteAddress ?? '', policy)
      if (reached !== undefined) return socket.destroy(new EgressRefused(reached))
      socket.off('error', reject)
      return resolve(socket)
    })
  })
}
