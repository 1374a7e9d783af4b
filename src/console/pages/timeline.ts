import { type Content, html } from '../../http/html.ts'
import { seqForm } from '../../http/keyset.ts'
import { Type } from '../../kernel/type.ts'
import { moving } from '../frame.ts'
import type { LiveStreams } from '../live.ts'
import { program } from '../parts/code.ts'
import { icon } from '../parts/icons.ts'
import { folded, heading, lines, linkButton, mark, pager, sheet, taken } from '../parts/parts.ts'
import type { Pages, Visit } from '../visit.ts'
import { type Eyes, eyes, eyesNames } from '../who.ts'
import { runsOf, whatOf } from './due.ts'
import { happened, kinds, type Thread, thread } from './threads.ts'

const PAGE_SIZE = 40
/** So much of what falls due stands above. */
const AHEAD = 4
/** More than this many at once are told as a number, not as rows. */
const TOLD_AT_ONCE_MAX = 50
const filters = {
  kind: Type.Optional(Type.Enum(Object.keys(kinds))),
  trouble: Type.Optional(Type.Enum(['true'])),
  subject: Type.Optional(Type.String({ maxLength: 255 })),
  person: Type.Optional(Type.Enum(eyesNames.filter((name) => eyes[name].client !== undefined))),
}
const Query = Type.Object({ ...filters, before: Type.Optional(Type.String(seqForm)) })
const LiveQuery = Type.Object({ ...filters, after: Type.String(seqForm) })

interface Filter {
  readonly kind?: string | undefined
  readonly trouble?: string | undefined
  readonly subject?: string | undefined
  readonly person?: Eyes | undefined
}

const asked = ({ kind, trouble, subject, person }: Filter) => ({
  ...(kind && { kind }),
  ...(trouble && { trouble: true }),
  ...(subject && { subject }),
  ...(person && { person: eyes[person].client }),
})

const addressOf = (filter: Filter & { before?: string | undefined }) => {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined) as [string, string][]
  return `/console${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`
}

type Told = { threads: Thread[]; seq: number; links: { rel: string; href: string }[] }

/** The next things that fall due; the clock can go to each. */
async function ahead(visit: Visit): Promise<Content> {
  const { runs, hasMore } = await runsOf(visit)
  if (runs.length === 0) return undefined
  return html`<section class="ahead" aria-labelledby="ahead"><header><h2 id="ahead">Ahead</h2><a href="/console/clock">${hasMore || runs.length > AHEAD ? 'All that is due' : 'The clock'}</a></header>
<form method="post" action="/console/clock">${moving('/console')}<ol><li class="now"><b>Now</b><p>${visit.now.slice(11, 19)}</p></li>${runs
    .slice(0, AHEAD)
    .map(
      (run) =>
        html`<li><b>${visit.times.ahead(run.at)}</b><p>${whatOf(run)}</p><button name="to" value="${run.last}">Go there<span class="seen-not">, ${run.last}</span></button></li>`,
    )}</ol></form></section>`
}

const sieve = (filter: Filter) => html`<nav class="sieve" aria-label="Filter"><div class="kinds">
<a class="chip" href="${addressOf({ subject: filter.subject, person: filter.person })}"${!filter.kind && !filter.trouble && html` aria-current="true"`}>All</a>${Object.entries(
  kinds,
).map(
  ([name, [glyph, label]]) =>
    html`<a class="chip" href="${addressOf({ ...filter, kind: name })}"${filter.kind === name && html` aria-current="true"`}>${icon(glyph)}${label}</a>`,
)}<a class="chip" href="${addressOf({ ...filter, trouble: filter.trouble ? undefined : 'true' })}"${filter.trouble && html` aria-current="true"`}>${icon('warn')}Only trouble</a></div><div class="kinds">${eyesNames
  .filter((name) => eyes[name].client !== undefined)
  .map(
    (name) =>
      html`<a class="chip" href="${addressOf({ ...filter, person: filter.person === name ? undefined : name })}"${filter.person === name && html` aria-current="true"`}>${mark(name)}${eyes[name].label}</a>`,
  )}</div>
<p class="following" role="status">Reload to see more</p></nav>`

function threads(list: readonly Thread[], { times }: Visit): Content {
  let day = ''
  return list.map((one) => {
    const here = times.day(one.time)
    const isNew = here !== day
    day = here
    return html`${isNew && html`<li class="day">${here}</li>`}${thread(one, times)}`
  })
}

/** The people with their credentials, to copy. */
const people = lines(
  eyesNames.flatMap((name) => {
    const { label, client } = eyes[name]
    return client === undefined
      ? []
      : [
          [
            html`<span class="who">${mark(name)}${label}</span>`,
            html`${taken(client, 'client id')}<br>${taken(`${client}-secret`, 'secret')}`,
          ] as const,
        ]
  }),
)

const firstCall = (publicUrl: string) => `TOKEN=$(curl -s -u sandbox-merchant:sandbox-merchant-secret \\
  -d grant_type=client_credentials ${publicUrl}/v1/oauth2/token \\
  | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')

curl -s ${publicUrl}/v2/invoicing/invoices \\
  -H "Authorization: Bearer $TOKEN" -H 'Content-Type: application/json' \\
  -d '{"detail":{"currency_code":"USD"},
       "items":[{"name":"A chair","quantity":"2",
                 "unit_amount":{"currency_code":"USD","value":"49.50"}}]}'`

const nothingYet = (publicUrl: string): Content =>
  html`${heading('Nothing has happened yet', {
    sub: 'Send a request, and it appears here with everything it causes: moves, money, events, deliveries and mail.',
  })}<div class="two">${sheet('Make an invoice', program(firstCall(publicUrl), 'Commands that make an invoice'))}<aside>${sheet('The people', people)}${sheet(
    'Or let a story happen',
    html`<p class="soft">A scenario plays a whole story, and you watch.</p><p class="below">${linkButton('Scenarios', '/console/scenarios')}</p>`,
  )}</aside></div>`

export function timelinePages({ page }: Pages, publicUrl: () => string, streams: LiveStreams) {
  return [
    page({
      url: '/console',
      operation: 'consoleTimeline',
      summary: 'Show what happened, under what led to it',
      query: Query,
      async draw(visit) {
        const { before, ...filter } = visit.query
        const {
          threads: told,
          seq,
          links,
        } = await visit.look<Told>('listSandboxTimeline', {
          query: { page_size: PAGE_SIZE, ...asked(filter), ...(before && { page_token: before }) },
        })
        const list = happened(told)
        const isFiltered = before !== undefined || Object.values(filter).some((value) => value !== undefined)
        if (list.length === 0 && !isFiltered) return { title: 'Timeline', content: nothingYet(publicUrl()) }
        const next = links.find(({ rel }) => rel === 'next')?.href
        const older = next && new URL(next).searchParams.get('page_token')
        return {
          title: 'Timeline',
          className: 'wide',
          content: html`<h1 class="seen-not">Timeline</h1>${await ahead(visit)}${sieve(filter)}
<div class="split"><div><div role="log" aria-label="What happened"><ol class="threads"${before === undefined && html` data-follow="${seq}"`}>${threads(list, visit)}${
            list.length === 0 &&
            html`<li class="thread"><div class="empty">Nothing of this kind happened yet.</div></li>`
          }</ol></div><div class="instead-of-aside">${folded('The people and their credentials', people)}</div>${pager('Newest first', { newer: before ? addressOf(filter) : undefined, older: older ? addressOf({ ...filter, before: older }) : undefined })}</div>
<aside class="inspector" aria-label="What is chosen" aria-live="polite"><h2>The people</h2>${people}<p class="hint">Choose a request to see what was sent and answered.</p></aside></div>`,
        }
      },
    }),
    page({
      url: '/console/live',
      operation: 'consoleLive',
      summary: 'Tell what happened since, as server-sent events',
      query: LiveQuery,
      async draw(visit) {
        const { after, ...filter } = visit.query
        const last = String(visit.headers['last-event-id'] ?? '')
        return streams.follow({
          address: visit.address,
          eyes: visit.who.mark,
          since: /^\d{1,18}$/.test(last) ? last : after,
          async ask(place, seconds) {
            const { threads: list, seq } = await visit.look<Told>('listSandboxTimeline', {
              query: { after: place, wait: seconds, page_size: TOLD_AT_ONCE_MAX + 1, ...asked(filter) },
            })
            const isOver = list.length > TOLD_AT_ONCE_MAX
            const messages = isOver
              ? [{ event: 'many', data: String(TOLD_AT_ONCE_MAX) }]
              : happened(list).map((one) => ({ data: html`${thread(one, visit.times)}`.text }))
            return { messages, seq, isOver }
          },
        })
      },
    }),
  ]
}
