import { type Html, html } from '../../../http/html.ts'
import { seqForm } from '../../../http/keyset.ts'
import { Type } from '../../../kernel/type.ts'
import { requireDone } from '../../operate.ts'
import { bodyOf, headerList } from '../../parts/code.ts'
import { broken, facts, folded, heading, nothing, pager, sheet, status, taken } from '../../parts/parts.ts'
import type { Pages, Visit } from '../../visit.ts'
import { subscribe } from './list.ts'

interface Arrival {
  readonly seq: number
  readonly time: string
  readonly verified: boolean
  readonly status: number
  readonly event_type?: string
  readonly event_id?: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}
interface Inbox {
  readonly name: string
  readonly url: string
  readonly status: number
  readonly arrivals: readonly Arrival[]
  readonly has_more: boolean
}

const Name = Type.Object({ name: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9_-]+$' }) })
const answers = [200, 204, 400, 404, 410, 429, 500, 503] as const

const arrived = (one: Arrival, { times }: Visit): Html =>
  html`<li class="sheet"><header class="sheet-head"><h2>${
    one.event_id === undefined
      ? 'Something else'
      : html`<a href="/console/events/${one.event_id}">${broken(one.event_type ?? one.event_id)}</a>`
  }</h2><div class="aside">${one.verified ? html`<span class="good">signed by a webhook of yours</span>` : html`<b class="warn">not signed by us</b>`} ${status(one.status)} ${times.at(one.time)}</div></header>${folded('Body', bodyOf(one.body, 'What arrived'))}${folded('Headers', headerList(Object.entries(one.headers), 'Headers'), Object.keys(one.headers).length)}</li>`

export const inboxPages = ({ page, form }: Pages) => [
  page({
    url: '/console/inbox/:name',
    operation: 'consoleInbox',
    summary: 'Show what arrived at an inbox',
    params: Name,
    query: Type.Object({ before: Type.Optional(Type.String(seqForm)) }),
    async draw(visit) {
      const { before } = visit.query
      const inbox = await visit.look<Inbox>('showInbox', { params: visit.params, query: before ? { before } : {} })
      const at = `/console/inbox/${inbox.name}`
      const last = inbox.arrivals.at(-1)
      return {
        title: 'Inbox',
        content: html`${heading('Inbox', { back: ['Webhooks', '/console/webhooks'], sub: 'What arrived here, the newest first.' })}
${facts([
  ['Address', taken(inbox.url, 'address')],
  ['Answers', status(inbox.status)],
])}
<div class="two"><div>${
          inbox.arrivals.length === 0
            ? html`<section class="sheet flush">${nothing('Nothing arrived yet', 'Events that this address is subscribed to stand here.')}</section>`
            : html`<ol class="column arrivals">${inbox.arrivals.map((one) => arrived(one, visit))}</ol>${pager('Newest first', { newer: before ? at : undefined, older: inbox.has_more && last ? `${at}?before=${last.seq}` : undefined })}`
        }</div><aside>${sheet(
          'What it answers',
          html`<form class="stack" method="post" action="${at}/answer"><div><label for="answer">From now on</label><select class="boxed" id="answer" name="status">${answers.map(
            (code) => html`<option value="${code}"${code === inbox.status && html` selected`}>${code}</option>`,
          )}</select></div><p class="hint">Anything but 2xx makes us try again, on the schedule of retries.</p><div class="buttons"><button class="button">Answer so</button></div></form>`,
        )}</aside></div>`,
      }
    },
  }),
  form({
    url: '/console/inbox/:name',
    operation: 'consoleListenHere',
    summary: 'Subscribe an inbox to everything',
    params: Name,
    async take(sent) {
      const { url } = await sent.look<Inbox>('showInbox', { params: sent.params })
      await subscribe(sent, url)
      return sent.lead(`/console/inbox/${sent.params.name}`, 'Whatever happens from now on arrives here.')
    },
  }),
  form({
    url: '/console/inbox/:name/answer',
    operation: 'consoleInboxAnswer',
    summary: 'Tell an inbox what to answer',
    params: Name,
    async take(sent) {
      const code = Number(sent.typed['status'])
      requireDone(await sent.operateOpenly('setInboxAnswer', { params: sent.params, body: { status: code } }))
      return sent.lead(`/console/inbox/${sent.params.name}`, `It answers ${code} from now on.`)
    },
  }),
]
