import { html } from '../../http/html.ts'
import { Type } from '../../kernel/type.ts'
import { plain } from '../parts/code.ts'
import { icon } from '../parts/icons.ts'
import { folded, heading, lines, nothing, pager } from '../parts/parts.ts'
import { strangeAnswer } from '../respond.ts'
import type { Pages, Visit } from '../visit.ts'

interface Mail {
  readonly id: string
  readonly to: readonly string[]
  readonly from: string
  readonly reply_to?: string
  readonly subject: string
  readonly text: string
  readonly html: string
  readonly links: readonly string[]
  readonly attachments: readonly { readonly filename: string; readonly content_type: string; readonly href: string }[]
  readonly create_time: string
}

const PAGE_SIZE = 30
const Query = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  open: Type.Optional(Type.String({ maxLength: 64 })),
  to: Type.Optional(Type.String({ maxLength: 254 })),
})

type Listed = { mails: Mail[]; has_more: boolean }

const list = (visit: Pick<Visit, 'look'>, page: number, to?: string) =>
  visit.look<Listed>('listSandboxMail', { query: { limit: PAGE_SIZE, page, ...(to && { to }) } })

const addressOf = ({ page, to }: { page?: number; to?: string | undefined }, open?: string) => {
  const query = new URLSearchParams({
    ...(page && page > 1 && { page: String(page) }),
    ...(to && { to }),
    ...(open && { open }),
  })
  return `/console/mail${query.size > 0 ? `?${query}` : ''}`
}

function letter(mail: Mail, { times }: Visit) {
  return html`<article class="letter"><p class="back phone-only"><a href="/console/mail">${icon('back')}All mail</a></p><h2>${mail.subject}</h2>
${lines([
  ['To', mail.to.join(', ')],
  ['From', mail.from],
  ...(mail.reply_to ? [['Answers to', mail.reply_to] as const] : []),
  ['When', times.fully(mail.create_time)],
])}
${mail.attachments.length > 0 && html`<div class="files">${mail.attachments.map(({ filename, href }) => html`<a href="${href}">${icon('file')}<span>${filename}</span></a>`)}</div>`}
<p class="below"><iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="/console/mail/${mail.id}/body" title="The mail as it looks"></iframe></p>
${folded('Links', html`<ul>${mail.links.map((href) => html`<li><a href="${href}">${href}</a></li>`)}</ul>`, mail.links.length)}
${folded('As text', plain(mail.text, 'The text of the mail'))}</article>`
}

export const mailPages = ({ page }: Pages) => [
  page({
    url: '/console/mail',
    operation: 'consoleMail',
    summary: 'List mail',
    query: Query,
    async draw(visit) {
      const { page: at = 1, open, to } = visit.query
      const { mails, has_more } = await list(visit, at, to)
      const sieve = html`<form class="sieve inside" role="search" aria-label="Search mail" action="/console/mail"><input class="boxed" type="search" name="to" maxlength="254" value="${to}" aria-label="Address of a recipient" placeholder="Address of a recipient"><button class="button quiet small">Search</button></form>`
      if (mails.length === 0)
        return {
          title: 'Mail',
          content: html`${heading('Mail')}<section class="sheet flush">${to && sieve}${
            to
              ? nothing('No mail to that address', 'Write the whole address, as it was mailed to.')
              : nothing('No mail yet', 'What the service would have mailed stands here: nothing leaves a sandbox.')
          }</section>`,
        }
      const chosen = mails.find(({ id }) => id === open)
      // Where there is room beside the list, the newest is open until another is chosen.
      const shown = chosen ?? mails[0]!
      return {
        title: 'Mail',
        content: html`${heading('Mail', { sub: 'What would have been mailed. Nothing leaves a sandbox.' })}
<section class="sheet flush box${chosen && ' is-open'}"><div class="letters">${sieve}<ul>${mails.map(
          (mail) =>
            html`<li><a href="${addressOf({ page: at, to }, mail.id)}"${mail.id === shown.id && html` aria-current="true"`}><b>${mail.to.join(', ')}</b>${visit.times.at(mail.create_time)}<span>${mail.subject}</span></a></li>`,
        )}</ul>${pager('Newest first', { newer: at > 1 ? addressOf({ page: at - 1, to }) : undefined, older: has_more ? addressOf({ page: at + 1, to }) : undefined })}</div>
${letter(shown, visit)}</section>`,
      }
    },
  }),
  page({
    url: '/console/mail/:id/body',
    operation: 'consoleMailBody',
    summary: 'Show a mail as its reader sees it',
    params: Type.Object({ id: Type.String({ maxLength: 64 }) }),
    async draw(visit) {
      const { html: body } = await visit.look<Mail>('showSandboxMail', { params: visit.params })
      return strangeAnswer(body)
    },
  }),
]
