import { type Content, type Html, html } from '../../../http/html.ts'
import type { ShownMail as Mail } from '../../../payer/mail/store.ts'
import { headerList, plain } from '../../parts/code.ts'
import { linkButton, status } from '../../parts/parts.ts'
import type { Visit } from '../../visit.ts'

/** The forms in which one mail is shown. */
export const mailViews = {
  looks: 'As it looks',
  text: 'Text',
  source: 'Source',
  headers: 'Headers',
  links: 'Links',
} as const
export type MailView = keyof typeof mailViews

export async function formOf(mail: Mail, as: MailView, visit: Visit): Promise<Html> {
  switch (as) {
    case 'text':
      return pad(plain(mail.text, 'The text of the mail'))
    case 'source':
      return pad(source(mail, await sourceOf(mail, visit)))
    case 'headers':
      return pad(headerList(headersIn(await sourceOf(mail, visit)), 'Headers of the mail'))
    case 'links':
      return pad(await links(mail, visit))
    default:
      return looks(mail)
  }
}

const pad = (content: Content): Html => html`<div class="padded">${content}</div>`

/** The width is chosen without scripts: the style asks which of the two buttons is checked. */
const looks = ({ id }: Mail): Html =>
  html`<div class="view"><fieldset class="widths"><legend class="seen-not">Width</legend><label class="chip"><input type="radio" name="width" checked>Desktop</label><label class="chip"><input type="radio" name="width" id="width-phone">Phone</label></fieldset>
<iframe sandbox="allow-popups allow-popups-to-escape-sandbox" src="/console/mail/${encodeURIComponent(id)}/body" title="The mail as it looks"></iframe></div>`

const sourceOf = async ({ id }: Mail, visit: Visit): Promise<string> =>
  (await visit.look<Buffer>('showSandboxMailSource', { params: { id } })).toString('utf8').replaceAll('\r\n', '\n')

/** How many lines are shown of encoded content, which no reader reads. */
const ENCODED_LINES_SHOWN = 3
const encoded = new RegExp(
  `((?:^[A-Za-z0-9+/]{60,}={0,2}\\n){${ENCODED_LINES_SHOWN}})((?:^[A-Za-z0-9+/]+={0,2}\\n)+)`,
  'gm',
)

const shortened = (text: string): string =>
  text.replace(encoded, (_, begin: string, rest: string) => `${begin}[${rest.split('\n').length - 1} more lines]\n`)

const source = ({ id, to }: Mail, text: string): Content =>
  html`<p class="below-head"><span class="soft">${
    to.length > 1
      ? `The copy of ${to[0]}; each of the ${to.length} recipients gets one of their own.`
      : 'As a mail server is handed it.'
  } Attachments are shortened here.</span>${linkButton('Download', `/sandbox/mail/${encodeURIComponent(id)}/source`, { glyph: 'file' })}</p>${plain(shortened(text), 'The source of the mail')}`

/** The headers, each on one line however it was folded. */
const headersIn = (text: string): [name: string, value: string][] =>
  text
    .split('\n\n', 1)[0]!
    .replace(/\n[ \t]+/g, ' ')
    .split('\n')
    .map((line) => {
      const at = line.indexOf(':')
      return [line.slice(0, at), line.slice(at + 1).trim()]
    })

interface Checked {
  readonly href: string
  readonly leads_to?: 'INVOICE' | 'PROBLEM' | 'DISPUTE'
  readonly subject?: string
  readonly status?: number
}

const leads: Readonly<Record<NonNullable<Checked['leads_to']>, readonly [words: string, at: string]>> = {
  INVOICE: ['The page of invoice', '/console/invoices'],
  PROBLEM: ['The payer’s page of dispute', '/console/disputes'],
  DISPUTE: ['Dispute', '/console/disputes'],
}

function told({ leads_to, subject, status: code }: Checked): Content {
  if (code === undefined) return 'At an address that is not PUBLIC_URL; it was not called.'
  if (!leads_to) return 'Nothing is there.'
  const [words, at] = leads[leads_to]
  const behind = subject && html`<a href="${at}/${subject}">${subject}</a>`
  return code === 200 ? html`${words} ${behind}` : html`${words} ${behind} that is not there any more`
}

async function links({ id }: Mail, visit: Visit): Promise<Html> {
  const { links: checked } = await visit.look<{ links: Checked[] }>('checkSandboxMailLinks', { params: { id } })
  if (checked.length === 0) return html`<p class="soft">It has no links.</p>`
  return html`<ul class="checked">${checked.map(
    (one) =>
      html`<li><p><a class="mono" href="${one.href}">${one.href}</a></p><p class="soft">${one.status === undefined ? html`<span class="status refused">?</span>` : status(one.status)} ${told(one)}</p></li>`,
  )}</ul><p class="hint">Checked by what is stored, without opening them: opening an invoice’s page tells its merchant so.</p>`
}
