import { type Content, type Html, html } from '../../../http/html.ts'
import { seqForm } from '../../../http/keyset.ts'
import { Type } from '../../../kernel/type.ts'
import { newRequestId, refusalBox } from '../../forms/fields.ts'
import { mendable, type Operations, type Refusal } from '../../operate.ts'
import { bodyOf, headerList, program } from '../../parts/code.ts'
import { broken, facts, folded, heading, mark, nothing, pager, sheet, status, tabs, taken } from '../../parts/parts.ts'
import { partAnswer } from '../../respond.ts'
import type { Pages, Visit } from '../../visit.ts'
import { eyes, eyesOf, onlookerAs } from '../../who.ts'
import { asClientCode, asCurl, paramsIn } from './code.ts'
import type { LoggedRequest, Side, Whole } from './logged-request.ts'
import { effectsOf, requestSums } from './sums.ts'

const Query = Type.Object({
  show: Type.Optional(Type.Enum(['all', 'trouble', 'changes'])),
  q: Type.Optional(Type.String({ maxLength: 200 })),
  after: Type.Optional(Type.String(seqForm)),
})
const DebugId = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9-]+$' }) })

const markOf = (clientId: string | undefined): Content => {
  const who = eyesOf(clientId)
  return who && html`${mark(who)}<span class="seen-not">${eyes[who].label}</span>`
}

function row(one: LoggedRequest, { times }: Visit): Html {
  return html`<tr><td class="nowrap soft">${times.clock(one.time)}</td><td class="second fill"><a class="open mono plainly" href="/console/requests/${one.debug_id}">${one.method} ${one.path}</a>${
    one.problem && html`<small>${one.problem.details[0]?.description ?? one.problem.message}</small>`
  }</td><td class="num right">${status(one.status)}</td><td class="num gone soft">${one.duration_ms} ms</td><td class="gone">${markOf(one.client_id)}</td></tr>`
}

const addressOf = (show: string, q: string | undefined, after?: string) => {
  const query = new URLSearchParams({ ...(show !== 'all' && { show }), ...(q && { q }), ...(after && { after }) })
  return `/console/requests${query.size > 0 ? `?${query}` : ''}`
}

const noneYet = nothing('No request here', 'Call the API, and what was sent and answered stands here.')
const noneFound = nothing('No request has that text', 'Paths and bodies are looked through, in any case of letters.')

const marksOf = (one: LoggedRequest): ReadonlyMap<string, string> =>
  new Map(
    (one.problem?.details ?? []).flatMap(({ field, description }) => (field ? [[field, description] as const] : [])),
  )

/** Why it was refused, in words. */
export const because = ({ problem }: LoggedRequest): Content =>
  problem &&
  html`<div class="because"><p class="mono">${broken(problem.details[0]?.issue ?? problem.name)}</p>${
    problem.details.length === 0
      ? html`<p>${problem.message}</p>`
      : problem.details.map(({ description }) => html`<p>${description}</p>`)
  }<p class="soft">Nothing was changed.${problem.details[0] && html` <a href="/docs/errors#${problem.details[0].issue}">What this issue means</a>`}</p></div>`

const side = (title: string, { headers, bytes, body }: Side, marks?: ReadonlyMap<string, string>): Html =>
  sheet(
    title,
    html`${body ? bodyOf(body, `Body of the ${title.toLowerCase()}`, marks) : html`<p class="soft">No body.</p>`}${folded(
      'Headers',
      headerList(Object.entries(headers), `Headers of the ${title.toLowerCase()}`),
      Object.keys(headers).length,
    )}`,
    { aside: `${bytes} bytes` },
  )

const byOf = ({ client_id }: LoggedRequest) => {
  const who = eyesOf(client_id)
  return who ? eyes[who].label : 'Nobody known'
}

const nameOf = (operations: Operations, one: LoggedRequest) =>
  operations.find(one.operation)?.summary ?? 'An address nobody answers to'

async function drawOne(
  visit: Visit,
  operations: Operations,
  one: Whole,
  publicUrl: string,
  left?: { body: string; refusal: Refusal },
) {
  const title = nameOf(operations, one)
  const requestId = Object.entries(one.request.headers).find(([name]) => name.endsWith('-request-id'))?.[1]
  const effects = await effectsOf(one, visit)
  const code = asClientCode(one, operations, publicUrl)
  const canRepeat =
    eyesOf(one.client_id) !== undefined &&
    one.operation !== 'none' &&
    !/multipart/.test(one.request.headers['content-type'] ?? '')
  return {
    title,
    ...(left && { status: 422 }),
    content: html`${heading(title, { back: ['Requests', '/console/requests'], sub: html`<code class="mono">${one.method} ${one.path}</code>`, actions: status(one.status) })}
${facts([
  ['By', byOf(one), one.client_id],
  ['When', visit.times.at(one.time), html`${one.real_time.slice(0, 19)} in real time`],
  ['Took', `${one.duration_ms} ms`],
  ['Debug id', taken(one.debug_id, 'debug id')],
  ...(requestId ? [['Request id', taken(requestId, 'request id')] as const] : []),
])}
${because(one) && html`<section class="sheet">${because(one)}</section>`}
${one.unknown_fields && sheet('Not understood', html`<ul>${one.unknown_fields.map((text) => html`<li>${text}</li>`)}</ul>`)}
<div class="two even below">${side('Request', one.request, marksOf(one))}${side('Answer', one.answer)}</div>
${effects}
${sheet('As a command', html`<div>${program(asCurl(one, publicUrl), 'The same as a command')}<p class="hint">A token for it: <code class="mono">curl -s -u ${one.client_id ?? 'sandbox-merchant'}:${one.client_id ?? 'sandbox-merchant'}-secret -d grant_type=client_credentials ${publicUrl}/v1/oauth2/token</code></p></div>`)}
${code && sheet('As a program', program(code, 'The same with the client'))}
${
  canRepeat &&
  sheet(
    'Send it again',
    html`<form class="stack" method="post" action="/console/requests/${one.debug_id}/again"><input type="hidden" name="request-id" value="${newRequestId()}">${left && refusalBox(left.refusal)}${
      (one.request.body !== undefined || left) &&
      html`<div><label for="again-body">Body</label><textarea class="boxed mono" id="again-body" name="body" rows="8" spellcheck="false">
${left?.body ?? one.request.body}</textarea></div>`
    }<div class="buttons"><button class="button">Send</button></div></form>`,
  )
}`,
  }
}

export const requestPages = ({ page, form }: Pages, operations: Operations, publicUrl: () => string) => [
  page({
    url: '/console/requests',
    operation: 'consoleRequests',
    summary: 'List requests',
    query: Query,
    async draw(visit) {
      const { show = 'all', q, after } = visit.query
      const { requests, links } = await visit.look<{
        requests: LoggedRequest[]
        links: { rel: string; href: string }[]
      }>('listSandboxRequests', {
        query: {
          page_size: 50,
          ...(show === 'trouble' && { failed: true }),
          ...(q?.trim() && { text: q.trim() }),
          ...(after && { page_token: after }),
        },
      })
      const next = links.find(({ rel }) => rel === 'next')?.href
      const older = next && new URL(next).searchParams.get('page_token')
      const listed = show === 'changes' ? requests.filter(({ method }) => method !== 'GET') : requests
      const isFirst = after === undefined && !q && requests.length > 0
      const names = { all: 'All', trouble: 'Only trouble', changes: 'Only changes' }
      return {
        title: 'Requests',
        content: html`${heading('Requests', { sub: 'Every call of the API with what was sent and answered, the newest first. The last 10,000 are kept.' })}
<div class="${isFirst && 'two'}"><section class="sheet flush">${tabs(
          'Which',
          Object.entries(names).map(([name, label]) => ({ label, href: addressOf(name, q), here: name === show })),
        )}
<form class="sieve inside" role="search" aria-label="Search requests" action="/console/requests">${show !== 'all' && html`<input type="hidden" name="show" value="${show}">`}<input class="boxed" type="search" name="q" maxlength="200" value="${q}" aria-label="Text in a path or a body" placeholder="Text in a path or a body"><button class="button quiet small">Search</button></form>
${
  listed.length === 0
    ? older
      ? nothing(
          'None among the newest',
          q ? 'A text is looked for in 3,000 requests at a time.' : 'The newest 50 changed nothing.',
          html`<a class="button quiet" href="${addressOf(show, q, older)}">Look further back</a>`,
        )
      : (q ? noneFound : noneYet)
    : html`<table class="rows"><thead><tr><th>Time</th><th>Request</th><th class="num">Status</th><th class="num gone">Took</th><th class="gone">By</th></tr></thead><tbody>${listed.map((one) => row(one, visit))}</tbody></table>${pager('Newest first', { newer: after ? addressOf(show, q) : undefined, older: older ? addressOf(show, q, older) : undefined })}`
}</section>${isFirst && html`<aside>${await requestSums(visit as Visit, operations)}</aside>`}</div>`,
      }
    },
  }),
  page({
    url: '/console/requests/:id',
    operation: 'consoleRequest',
    summary: 'Show a request',
    params: DebugId,
    async draw(visit) {
      const one = await visit.look<Whole>('showSandboxRequest', { params: { debug_id: visit.params.id } })
      return drawOne(visit, operations, one, publicUrl())
    },
  }),
  page({
    url: '/console/requests/:id/part',
    operation: 'consoleRequestPart',
    summary: 'Show a request beside the timeline',
    params: DebugId,
    async draw(visit) {
      const one = await visit.look<Whole>('showSandboxRequest', { params: { debug_id: visit.params.id } })
      return partAnswer(
        html`<h2>${nameOf(operations, one)} ${status(one.status)}</h2><p class="soft mono">${one.method} ${one.path}</p>
${facts([
  ['By', byOf(one), one.client_id],
  ['Took', `${one.duration_ms} ms`],
  ['Debug id', taken(one.debug_id, 'debug id')],
])}${because(one)}
${one.request.body && html`<h3>Request</h3>${bodyOf(one.request.body, 'Body of the request', marksOf(one))}`}
${one.answer.body && html`<h3>Answer</h3>${bodyOf(one.answer.body, 'Body of the answer')}`}
<p class="actions"><a class="button quiet" href="/console/requests/${one.debug_id}">Open</a><button class="button quiet" type="button" data-copy data-curl>Copy as curl</button><span hidden data-value>${asCurl(one, publicUrl())}</span></p>`
          .text,
      )
    },
  }),
  form({
    url: '/console/requests/:id/again',
    operation: 'consoleSendAgain',
    summary: 'Send a request again',
    params: DebugId,
    async take(sent) {
      const one = await sent.look<Whole>('showSandboxRequest', { params: { debug_id: sent.params.id } })
      const who = eyesOf(one.client_id)
      const route = operations.find(one.operation)
      const params = route && paramsIn(route.url, one.path)
      if (who === undefined || params === undefined)
        return sent.turnBack(`/console/requests/${one.debug_id}`, 'Nothing was sent: this request cannot be from here.')
      const { typed } = sent
      let body: unknown
      try {
        body = typed['body'] === undefined || typed['body'] === '' ? undefined : JSON.parse(typed['body'])
      } catch {
        const refusal = { name: 'INVALID_REQUEST', message: 'The body is not JSON.', debug_id: '–' }
        return sent.again(await drawOne(sent, operations, one, publicUrl(), { body: typed['body']!, refusal }))
      }
      const { caller } = await onlookerAs(sent.db, who)
      const query = Object.fromEntries(new URLSearchParams(one.path.split('?')[1] ?? ''))
      const asked = { params, query, body, address: sent.address, requestId: typed['request-id'] }
      const outcome = await operations.operate(caller, one.operation, asked)
      // A refusal is an answer too, and has a page.
      if (outcome.status >= 500) mendable(outcome)
      const tell = outcome.refusal ? sent.turnBack : sent.lead
      return tell(`/console/requests/${outcome.debugId}`, `Sent again; it answered ${outcome.status}.`)
    },
  }),
]
