import { type Html, html } from '../../../http/html.ts'
import { Problem } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import { requireDone } from '../../operate.ts'
import { bodyOf, headerList } from '../../parts/code.ts'
import { broken, facts, folded, heading, mono, nothing, notice, status } from '../../parts/parts.ts'
import { throughOwner } from '../../through-app.ts'
import type { Pages, Sent, Visit } from '../../visit.ts'
import { failureWords } from '../../words.ts'

export interface Transmission {
  readonly transmission_id: string
  readonly webhook_id: string
  readonly webhook_url: string
  readonly status: 'PENDING' | 'SUCCESS' | 'FAILURE'
  readonly timestamp: string
  readonly attempts: number
  readonly http_status?: number
  readonly error_message?: string
  readonly next_attempt_time?: string
  readonly event_id: string
  readonly event_type: string
}
interface Attempt {
  readonly number: number
  readonly time: string
  readonly webhook_url: string
  readonly duration: number
  readonly http_status?: number
  readonly response_headers: Readonly<Record<string, string>>
  readonly response_body: string
  readonly error_message?: string
}

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9-]+$' }) })

/** A link to the request that led to something. What a command or time led to has no page. */
export const causeLink = (cause: string): Html =>
  /^[\da-f]+$/.test(cause) ? html`<a href="/console/requests/${cause}">${mono(cause)}</a>` : mono(cause)

export const PAGE_SIZE = 50

/** The delivery behind which a page begins, by its time and its id. */
export const After = Type.String({
  maxLength: 61,
  pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z~[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$',
})

interface Listing {
  readonly size?: number
  readonly status?: Transmission['status'] | undefined
  readonly after?: string | undefined
}

/** A page of deliveries, the newest first, and the delivery behind which the next page begins. */
export async function transmissionsOf(
  visit: Pick<Visit, 'look'>,
  webhookId?: string,
  { size = PAGE_SIZE, status: standing, after }: Listing = {},
) {
  const [index_time, index_id] = after?.split('~') ?? []
  type Page = { readonly transmissions: Transmission[]; readonly links: readonly { rel: string; href: string }[] }
  const { transmissions, links } = await visit.look<Page>('listTransmissions', {
    query: {
      page_size: size,
      ...(webhookId && { webhook_id: webhookId }),
      ...(standing && { status: standing }),
      ...(after && { index_time, index_id }),
    },
  })
  // A delivery shows its time only in seconds; the link has all of it.
  const link = links.find(({ rel }) => rel === 'next')
  const asked = link && new URL(link.href).searchParams
  return { transmissions, next: asked && `${asked.get('index_time')}~${asked.get('index_id')}` }
}

/** How a delivery went, in a few words. */
export function outcome(one: Transmission, { times }: Visit): Html {
  if (one.status === 'SUCCESS')
    return html`<span class="soft">arrived${one.http_status && `, ${one.http_status}`}</span>`
  const { http_status, error_message = '' } = one
  const why = http_status ?? html`<span title="${error_message}">${failureWords(error_message)}</span>`
  if (one.status === 'FAILURE') return html`<b class="warn">given up</b> <span class="soft">${why}</span>`
  if (one.attempts === 0) return html`<span class="soft">on its way</span>`
  return html`<span class="warn">${why}</span>${one.next_attempt_time && html` <span class="soft">again ${times.ahead(one.next_attempt_time)}</span>`}`
}

/** The number of attempts. Where rows are cards, without column names above them, it is said in words. */
export const attemptsCell = ({ attempts }: Transmission): Html =>
  html`<td class="num right"><span class="wide-only">${attempts}</span><span class="phone-only soft">${attempts === 1 ? 'one attempt' : attempts === 0 ? 'no attempt yet' : `${attempts} attempts`}</span></td>`

/** A list of deliveries. When all went to one address, it need not be said where each went. */
export function deliveries(
  list: readonly Transmission[],
  visit: Visit,
  { toOne = false, isFiltered = false }: { toOne?: boolean; isFiltered?: boolean } = {},
): Html {
  if (list.length === 0)
    return isFiltered
      ? nothing('No delivery like that', 'Those that wait, or were given up, stand here.')
      : nothing('Nothing was sent yet', 'Deliveries stand here with every attempt.')
  return html`<table class="rows"><thead><tr><th>When</th><th>Event</th><th>How it went</th><th class="num">Attempts</th></tr></thead><tbody>${list.map(
    (one) =>
      html`<tr><td class="nowrap soft">${visit.times.at(one.timestamp)}</td><td class="second"><a class="open plainly" href="/console/deliveries/${one.transmission_id}">${broken(one.event_type)}</a>${!toOne && html`<small class="cut">${one.webhook_url}</small>`}</td><td class="whole">${outcome(one, visit)}</td>${attemptsCell(one)}</tr>`,
  )}</tbody></table>`
}

const act = (action: string, label: string, kind = 'quiet') =>
  html`<form method="post" action="${action}"><button class="button ${kind}">${label}</button></form>`

const whyNot = {
  DISABLED: 'Its webhook is disabled; nothing can be sent until it is enabled.',
  DELETED: 'Its webhook was deleted; nothing can be sent there any more.',
} as const

/** Why nothing can be sent to where a delivery goes; undefined when it can. */
async function unreachable(visit: Visit, { webhook_id }: Transmission): Promise<keyof typeof whyNot | undefined> {
  try {
    const { status: standing } = await visit.look<{ status: string }>('showWebhook', { params: { webhook_id } })
    return standing === 'ENABLED' ? undefined : 'DISABLED'
  } catch (error) {
    if (!(error instanceof Problem) || error.status !== 404) throw error
    return 'DELETED'
  }
}

async function drawDelivery(visit: Visit<typeof Id>, number: number | undefined) {
  const one = await visit.look<Transmission & { attempt_log: Attempt[]; cause?: string }>('showTransmission', {
    params: { transmission_id: visit.params.id },
  })
  const event = await visit.look<object>('showEvent', { params: { event_id: one.event_id } })
  const attempt = one.attempt_log.find((each) => each.number === number) ?? one.attempt_log.at(-1)
  const at = `/console/deliveries/${one.transmission_id}`
  const cannot = await unreachable(visit, one)
  return {
    title: one.event_type,
    content: html`${heading(broken(one.event_type), {
      back:
        cannot === 'DELETED'
          ? ['Webhooks', '/console/webhooks']
          : ['The webhook', `/console/webhooks/${one.webhook_id}`],
      sub: html`to <span class="mono">${one.webhook_url}</span>, ${outcome(one, visit)}`,
      ...(!cannot && {
        actions: html`${one.status !== 'SUCCESS' && act(`${at}/attempt`, 'Attempt it now', '')}${one.status !== 'PENDING' && act(`${at}/resend`, 'Send it anew')}`,
      }),
    })}${cannot && notice('plain', html`<p>${whyNot[cannot]}</p>`)}
${facts([
  ['Event', html`<a href="/console/events/${one.event_id}">${mono(one.event_id)}</a>`],
  ['Delivery', mono(one.transmission_id)],
  ...(one.cause ? [['Cause', visit.who.face === 'sandbox' ? causeLink(one.cause) : mono(one.cause)] as const] : []),
])}
<nav class="attempts" aria-label="Attempts, the newest first">${one.attempt_log
      .toReversed()
      .map(
        (each) =>
          html`<a href="${at}?attempt=${each.number}"${each.number === attempt?.number && html` aria-current="page"`}><b>Attempt ${each.number}</b><small>${each.http_status ? status(each.http_status) : html`<span class="warn">no answer</span>`} ${visit.times.at(each.time)}</small></a>`,
      )}</nav>
<div class="sides"><section class="sheet"><h3>Sent</h3>${bodyOf(JSON.stringify(withoutStanding(event)), 'What was sent')}</section>
<section class="sheet"><h3>${attempt && !attempt.http_status ? 'Not answered' : 'Answered'}</h3>${
      attempt
        ? html`<p>${attempt.http_status ? status(attempt.http_status) : html`<span class="warn">${attempt.error_message ?? 'No answer'}</span>`} <span class="soft">${attempt.http_status ? 'in' : 'after'} ${attempt.duration} ms</span></p>${isRedirect(attempt) && html`<p>${attempt.error_message}</p>`}${attempt.response_body !== '' && bodyOf(attempt.response_body, 'What was answered')}${attempt.http_status && folded('Headers', headerList(Object.entries(attempt.response_headers), 'Headers of the answer'), Object.keys(attempt.response_headers).length)}`
        : html`<p class="soft">Not attempted yet.</p>`
    }${attempt && !isArrived(attempt) && advice}</section></div>`,
  }
}

const isRedirect = ({ http_status = 0 }: Attempt) => http_status >= 300 && http_status < 400
const isArrived = ({ http_status = 0 }: Attempt) => http_status >= 200 && http_status < 300

const advice = html`<p class="hint">Any answer from 200 to 299 counts as arrived. The same event comes again with the same id: tell by <code class="mono">webhook-id</code> whether you have seen it.</p>`

/** An event as it was sent, without what became of it. */
const withoutStanding = (event: object) => {
  const { status: _1, transmissions: _2, ...sent } = event as { status?: unknown; transmissions?: unknown }
  return sent
}

/** The delivery that a form is about, its page, and why it cannot be sent, if so. The page says why. */
async function sendable(sent: Sent<typeof Id>) {
  const one = await sent.look<Transmission>('showTransmission', { params: { transmission_id: sent.params.id } })
  return { one, page: `/console/deliveries/${one.transmission_id}`, cannot: await unreachable(sent, one) }
}

/** The deliveries of the same event to the same webhook, as far as they are among the newest. */
const roundsOf = async (visit: Visit, { event_id, webhook_id }: Transmission): Promise<string[]> =>
  (await transmissionsOf(visit, webhook_id)).transmissions
    .filter((each) => each.event_id === event_id)
    .map(({ transmission_id }) => transmission_id)

/** The same visit, made as the app that the delivery belongs to; the account may have several apps. */
const at = <V extends Visit<typeof Id>>(visit: V) => throughOwner(visit, 'delivery', visit.params.id)

export const deliveryPages = ({ page, form }: Pages) => [
  page({
    url: '/console/deliveries/:id',
    operation: 'consoleDelivery',
    summary: 'Show a delivery with every attempt',
    may: 'see',
    params: Id,
    query: Type.Object({ attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })) }),
    draw: async (visit) => drawDelivery(await at(visit), visit.query.attempt),
  }),
  form({
    url: '/console/deliveries/:id/attempt',
    operation: 'consoleAttempt',
    summary: 'Attempt a delivery now',
    may: 'settle',
    params: Id,
    async take(here) {
      const sent = await at(here)
      const { page, cannot } = await sendable(sent)
      if (cannot) return sent.lead(page)
      requireDone(await sent.operate('attemptTransmission', { params: { transmission_id: sent.params.id }, body: {} }))
      return sent.lead(page, 'It is attempted now.')
    },
  }),
  form({
    url: '/console/deliveries/:id/resend',
    operation: 'consoleResend',
    summary: 'Send the event of a delivery anew',
    may: 'settle',
    params: Id,
    async take(here) {
      const sent = await at(here)
      const { one, page, cannot } = await sendable(sent)
      if (cannot) return sent.lead(page)
      const before = await roundsOf(sent, one)
      requireDone(
        await sent.operate('resendEvent', {
          params: { event_id: one.event_id },
          body: { webhook_ids: [one.webhook_id] },
        }),
      )
      const made = (await roundsOf(sent, one)).find((id) => !before.includes(id))
      return made === undefined
        ? sent.lead(page, 'It is under way already.')
        : sent.lead(`/console/deliveries/${made}`, 'It was sent anew.')
    },
  }),
]
