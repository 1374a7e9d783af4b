import { type Content, type Html, html } from '../../../http/html.ts'
import { Type } from '../../../kernel/type.ts'
import type { ShownMail as Mail } from '../../../payer/mail/store.ts'
import { backIn } from '../../back.ts'
import { requireDone } from '../../operate.ts'
import { icon } from '../../parts/icons.ts'
import { heading, nothing, pager, tabs } from '../../parts/parts.ts'
import { strangeAnswer } from '../../respond.ts'
import type { Pages, Visit } from '../../visit.ts'
import { causeOf } from './cause.ts'
import { formOf, type MailView, mailViews } from './views.ts'

const PAGE_SIZE = 30
const viewNames = Object.keys(mailViews) as MailView[]
const Query = Type.Object({
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000 })),
  open: Type.Optional(Type.String({ maxLength: 255 })),
  as: Type.Optional(Type.Enum(viewNames)),
  q: Type.Optional(Type.String({ maxLength: 254 })),
  unread: Type.Optional(Type.Enum(['true'])),
})

type Listed = { mails: Mail[]; has_more: boolean; unread: number }

interface Place {
  readonly page?: number | undefined
  readonly q?: string | undefined
  readonly unread?: string | undefined
}

const isAddress = (text: string) => /^[^\s@]+@[^\s@]+$/.test(text)

/** A whole e-mail address finds all mails to it; any other text is looked for in addresses and subjects. */
const list = (visit: Pick<Visit, 'look'>, { page = 1, q, unread }: Place) =>
  visit.look<Listed>('listSandboxMail', {
    query: {
      limit: PAGE_SIZE,
      page,
      ...(q ? (isAddress(q) ? { to: q } : { text: q }) : unread && { unread: true }),
    },
  })

const addressOf = ({ page, q, unread }: Place, open?: string, as?: MailView) => {
  const query = new URLSearchParams({
    ...(page && page > 1 && { page: String(page) }),
    ...(q && { q }),
    ...(unread && { unread }),
    ...(open && { open }),
    ...(as && as !== 'looks' && { as }),
  })
  return `/console/mail${query.size > 0 ? `?${query}` : ''}`
}

const person = (name: string | undefined, address: string) => (name ? `${name}, ${address}` : address)

async function letter(
  mail: Mail,
  as: MailView,
  { place, isChosen }: { place: Place; isChosen: boolean },
  visit: Visit,
) {
  const back = addressOf(place, mail.id, as)
  const isNew = mail.read_time === undefined
  return html`<article class="letter"><header><p class="back phone-only"><a href="${addressOf(place)}">${icon('back')}All mail</a></p><h2>${mail.subject}</h2>
<p class="envelope"><span>to <b>${mail.to.join(', ')}</b></span><span>from <b>${person(mail.from_name, mail.from)}</b></span>${
    mail.reply_to && html`<span>replies to <b>${mail.reply_to}</b></span>`
  }<span>${visit.times.fully(mail.create_time)}</span>${await causeOf(mail, visit)}</p>
${
  isNew &&
  html`<form class="mark-read" method="post" action="/console/mail/read"${isChosen && html` data-read`}><input type="hidden" name="id" value="${mail.id}"><input type="hidden" name="back" value="${back}"><button class="button quiet small">Mark as read</button></form>`
}
${tabs(
  'Forms of the mail',
  viewNames.map((name) => ({
    label: mailViews[name],
    href: addressOf(place, mail.id, name),
    here: name === as,
    count: name === 'links' ? mail.links.length : undefined,
  })),
)}</header>
${await formOf(mail, as, visit)}
${
  mail.attachments.length > 0 &&
  html`<footer class="enclosed"><div class="files">${mail.attachments.map(({ filename, href }) => html`<a href="${href}">${icon('file')}<span>${filename}</span></a>`)}</div></footer>`
}</article>`
}

const row = (mail: Mail, href: string, isHere: boolean, { times }: Visit): Html =>
  html`<li><a href="${href}" class="${mail.read_time === undefined && 'new'}"${isHere && html` aria-current="true"`}><b>${mail.read_time === undefined && html`<span class="seen-not">Unread: </span>`}${mail.subject}</b>${times.at(mail.create_time)}<span>${mail.to.join(', ')}</span></a></li>`

const chips = ({ q, unread }: Place): Content =>
  !q &&
  html`<nav class="kinds" aria-label="Which mail"><a class="chip" href="/console/mail"${!unread && html` aria-current="true"`}>All</a><a class="chip" href="/console/mail?unread=true"${unread && html` aria-current="true"`}>Unread</a></nav>`

const sieve = (place: Place): Html =>
  html`<form class="sieve inside" role="search" aria-label="Search mail" action="/console/mail"><input class="boxed" type="search" name="q" maxlength="254" value="${place.q}" aria-label="Address or subject" placeholder="Address or subject"><button class="button quiet small">Search</button></form>${chips(place)}`

const none = ({ q, unread }: Place): Html => {
  if (q && isAddress(q)) return nothing('No mail to that address', 'Write the whole address, as it was mailed to.')
  if (q) return nothing('No mail like that', 'Addresses and subjects of the newest 2,000 mails were looked through.')
  if (unread) return nothing('Nothing unread', 'All that came was marked as read.')
  return nothing('No mail yet', 'What the service would have mailed stands here: nothing leaves a sandbox.')
}

const markAll = html`<form method="post" action="/console/mail/read"><input type="hidden" name="back" value="/console/mail"><button class="button quiet">Mark all as read</button></form>`

const Id = Type.Object({ id: Type.String({ maxLength: 255 }) })

export const mailPages = ({ page, form }: Pages) => [
  page({
    url: '/console/mail',
    operation: 'consoleMail',
    summary: 'List mail',
    query: Query,
    async draw(visit) {
      const { open, as = 'looks', ...place } = visit.query
      const { page: at = 1, q } = place
      const { mails, has_more, unread } = await list(visit, place)
      const top = heading('Mail', {
        sub: 'What was mailed, or would have been: nothing leaves a sandbox without a mail server of its own.',
        actions: unread > 0 && markAll,
      })
      // A mail that is linked to may not be on this page of the list.
      const chosen =
        open === undefined
          ? undefined
          : (mails.find(({ id }) => id === open) ??
            (await visit.look<Mail>('showSandboxMail', { params: { id: open } })))
      // Where there is room beside the list, the newest is open until another is chosen.
      const shown = chosen ?? mails[0]
      if (!shown)
        return {
          title: 'Mail',
          content: html`${top}<section class="sheet flush">${(q || place.unread) && sieve(place)}${none(place)}</section>`,
        }
      const newer = at > 1 ? addressOf({ ...place, page: at - 1 }) : undefined
      const older = has_more ? addressOf({ ...place, page: at + 1 }) : undefined
      return {
        title: 'Mail',
        className: 'wide',
        content: html`${top}
<section class="sheet flush box${chosen && ' is-open'}"><div class="letters">${sieve(place)}<ul>${mails.map((mail) =>
          row(mail, addressOf(place, mail.id), mail.id === shown.id, visit),
        )}</ul>${pager('Newest first', { newer, older })}</div>
${await letter(shown, as, { place, isChosen: chosen !== undefined }, visit)}</section>`,
      }
    },
  }),
  page({
    url: '/console/mail/:id/body',
    operation: 'consoleMailBody',
    summary: 'Show a mail as its reader sees it',
    params: Id,
    async draw(visit) {
      const { html: body } = await visit.look<Mail>('showSandboxMail', { params: visit.params })
      return strangeAnswer(body)
    },
  }),
  form({
    url: '/console/mail/read',
    operation: 'consoleReadMail',
    summary: 'Mark mail as read',
    async take(sent) {
      const { id } = sent.typed
      const done = await sent.operateOpenly('readSandboxMail', { body: id ? { ids: [id] } : {} })
      requireDone(done)
      const { has_more } = done.body as { has_more: boolean }
      return sent.lead(
        backIn(sent.typed),
        has_more ? 'The newest 10,000 are marked as read; there are more.' : undefined,
      )
    },
  }),
]
