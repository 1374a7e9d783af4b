import { Answer, type AnyRoute, route, sandboxOnly } from '../../http/route.ts'
import { findByRecipientCode } from '../../invoices/store.ts'
import { invalid, notFound } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { sourceOf } from '../../outbound/mail.ts'
import type { Service } from '../../room.ts'
import { findLogo } from '../logo/store.ts'
import { pageAddress, recipientLocale } from '../page/open-page.ts'
import type { Printer } from '../print/printer.ts'
import { linkChecker } from './links.ts'
import { countUnread, findMail, findMails, LOOKED_THROUGH_MAX, MARKED_MAX, readMails, type ShownMail } from './store.ts'

const shared = { ...sandboxOnly, watches: true } as const
const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255 }) })

const Mail = Type.Object({
  id: Type.String(),
  to: Type.Array(Type.String()),
  from: Type.String(),
  from_name: Type.Optional(Type.String()),
  reply_to: Type.Optional(Type.String()),
  subject: Type.String(),
  text: Type.String(),
  html: Type.String(),
  links: Type.Array(Type.String()),
  attachments: Type.Array(Type.Object({ filename: Type.String(), content_type: Type.String(), href: Type.String() })),
  create_time: Type.String(),
  cause: Type.Optional(Type.String({ description: 'The debug id of the request it goes back to.' })),
  read_time: Type.Optional(Type.String({ description: 'When it was marked as read; absent until then.' })),
})

const Checked = Type.Object({
  href: Type.String(),
  leads_to: Type.Optional(
    Type.Enum(['INVOICE', 'PROBLEM', 'DISPUTE'], { description: 'What it opens; absent where that is not ours.' }),
  ),
  subject: Type.Optional(Type.String({ description: 'The id of the invoice or dispute behind it.' })),
  status: Type.Optional(
    Type.Integer({ description: 'What would be answered now. Absent for an address that this service does not have.' }),
  ),
})

/** The mails of a sandbox, which nobody received. */
export const sandboxMailRoutes = (service: Service, printer: Printer): AnyRoute[] => [
  route({
    ...shared,
    method: 'GET',
    url: '/sandbox/mail',
    operation: 'listSandboxMail',
    summary: 'List what would have been mailed, newest first',
    query: Type.Object({
      to: Type.Optional(Type.String({ maxLength: 254, description: 'Only mails to this address.' })),
      text: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 254,
          description: `A piece of an address or a subject, among the newest ${LOOKED_THROUGH_MAX} mails; not with \`to\`.`,
        }),
      ),
      unread: Type.Optional(
        Type.Boolean({ description: 'Only what was not marked as read; not with `to` or `text`.' }),
      ),
      limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 50 })),
      page: Type.Optional(Type.Integer({ minimum: 1, maximum: 100_000, default: 1 })),
    }),
    reads: true,
    success: {
      200: Type.Object({
        mails: Type.Array(Mail),
        has_more: Type.Boolean(),
        unread: Type.Integer({ description: 'How many of all were not marked as read, counted up to 100.' }),
      }),
    },
    async handle({ db, query: { to, text, unread, page = 1, limit = 50 } }) {
      const filters = Object.entries({ to, text, unread }).filter(([, value]) => value !== undefined && value !== false)
      if (filters.length > 1) throw invalid(filters[1]![0], 'Send one of to, text and unread at a time.')
      return { ...(await findMails(db, { to, text, unread }, { page, limit })), unread: await countUnread(db) }
    },
  }),
  route({
    ...shared,
    method: 'POST',
    url: '/sandbox/mail/read',
    operation: 'readSandboxMail',
    summary: 'Mark mails as read',
    body: Type.Object({
      ids: Type.Optional(
        Type.Array(Type.String({ minLength: 1, maxLength: 255 }), {
          maxItems: 200,
          description: `Which; all of them when absent, of which ${MARKED_MAX} are marked at once.`,
        }),
      ),
    }),
    bodyOptional: true,
    success: { 200: Type.Object({ has_more: Type.Boolean() }) },
    handle: ({ tx, body }) => readMails(tx, body.ids),
  }),
  route({
    ...shared,
    method: 'GET',
    url: '/sandbox/mail/:id',
    operation: 'showSandboxMail',
    summary: 'Show a mail: as it looks, its text, its links and attachments, and what it follows from',
    params: Id,
    reads: true,
    success: { 200: Mail },
    async handle({ db, params }) {
      const mail = await findMail(db, params.id)
      if (!mail) throw notFound(`Mail ${params.id}`)
      return mail
    },
  }),
  route({
    ...shared,
    method: 'GET',
    url: '/sandbox/mail/:id/links',
    operation: 'checkSandboxMailLinks',
    summary: 'Check where the links of a mail lead now, without opening them',
    params: Id,
    reads: true,
    success: { 200: Type.Object({ links: Type.Array(Checked) }) },
    async handle({ db, params }) {
      const mail = await findMail(db, params.id)
      if (!mail) throw notFound(`Mail ${params.id}`)
      const check = linkChecker(service, db)
      return { links: await Promise.all(mail.links.map(check)) }
    },
  }),
  route({
    ...shared,
    produces: ['message/rfc822', '*/*'],
    method: 'GET',
    url: '/sandbox/mail/:id/source',
    operation: 'showSandboxMailSource',
    summary: 'Show a mail as a mail server is handed it: headers, text, HTML and attachments',
    params: Id,
    query: Type.Object({
      to: Type.Optional(
        Type.String({ maxLength: 254, description: 'Whose copy: each recipient gets one. The first unless said.' }),
      ),
    }),
    reads: true,
    success: { 200: Type.String() },
    async handle({ db, now, params, query }) {
      const mail = await findMail(db, params.id)
      const to = query.to ?? mail?.to[0]
      if (!mail || to === undefined || !mail.to.includes(to)) throw notFound(`Mail ${params.id}`)
      const [attachment] = mail.attachments
      const stored = attachment && (await findByRecipientCode(db, codeIn(attachment.href)))
      // Printed from the present state of the invoice, because no other state of it is kept.
      const pdf =
        stored &&
        (await printer.print({
          source: { ...stored, now },
          accountId: stored.account.id,
          locale: recipientLocale(stored.invoice),
          address: pageAddress(service, stored.invoice.id),
          logo: await findLogo(db, stored),
        }))
      const source = await sourceOf(to, outgoing(mail, pdf), new Date(mail.create_time))
      return new Answer(200, source, {
        'content-type': 'message/rfc822',
        'content-disposition': `attachment; filename="${mail.id}.eml"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
    },
  }),
]

/** The code in the address of an invoice's PDF. */
const codeIn = (href: string): string => new URL(href).pathname.split('/')[3] ?? ''

const outgoing = (mail: ShownMail, pdf: Buffer | undefined) => ({
  ...mail,
  from: { name: mail.from_name ?? '', address: mail.from },
  ...(mail.reply_to !== undefined && { replyTo: mail.reply_to }),
  // An invoice that was deleted since can no longer be printed.
  attachments: pdf
    ? mail.attachments.map(({ filename, content_type }) => ({ filename, contentType: content_type, content: pdf }))
    : [],
})
