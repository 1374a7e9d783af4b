import { type Html, html } from '../../http/html.ts'
import { Type } from '../../kernel/type.ts'
import { bodyFrom, form as drawForm, type Field, type Typed } from '../forms/fields.ts'
import { mendable, type Operations, type Refusal, requireDone } from '../operate.ts'
import { bodyOf, headerList } from '../parts/code.ts'
import { broken, facts, folded, heading, mono, nothing, sheet, status, taken } from '../parts/parts.ts'
import type { Pages, Sent, Visit } from '../visit.ts'

interface Webhook {
  readonly id: string
  readonly url: string
  readonly status: 'ENABLED' | 'DISABLED'
  readonly event_types: readonly { readonly name: string }[]
  readonly signing_secret?: string
}
interface Transmission {
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
const listens = ({ who }: Pick<Visit, 'who'>) => who.caller.scopes.has('applications/webhooks')

const transmissions = (visit: Pick<Visit, 'look'>, webhookId?: string) =>
  visit.look<{ transmissions: Transmission[] }>('listTransmissions', {
    query: { page_size: 50, ...(webhookId && { webhook_id: webhookId }) },
  })

/** How a delivery went, in a few words. */
function outcome(one: Transmission, { times }: Visit): Html {
  if (one.status === 'SUCCESS')
    return html`<span class="soft">arrived${one.http_status && `, ${one.http_status}`}</span>`
  const why = one.http_status ?? one.error_message ?? ''
  if (one.status === 'FAILURE') return html`<b class="warn">given up</b> <span class="soft">${why}</span>`
  if (one.attempts === 0) return html`<span class="soft">on its way</span>`
  return html`<span class="warn">${why}</span>${one.next_attempt_time && html` <span class="soft">again ${times.away(one.next_attempt_time)}</span>`}`
}

function deliveries(list: readonly Transmission[], visit: Visit): Html {
  if (list.length === 0) return nothing('Nothing was sent yet', 'Deliveries stand here with every attempt.')
  return html`<table class="rows"><thead><tr><th>When</th><th>Event</th><th>How it went</th><th class="num">Attempts</th></tr></thead><tbody>${list.map(
    (one) =>
      html`<tr><td class="nowrap soft">${visit.times.at(one.timestamp)}</td><td class="second"><a class="open plainly" href="/console/deliveries/${one.transmission_id}">${broken(one.event_type)}</a><small>${one.webhook_url}</small></td><td class="whole">${outcome(one, visit)}</td><td class="num right">${one.attempts}</td></tr>`,
  )}</tbody></table>`
}

const newFields: readonly Field[] = [
  {
    kind: 'text',
    at: '/url',
    label: 'Address',
    value: 'http://127.0.0.1:4000/hooks',
    hint: 'Where your handler listens. In a sandbox it may be on this machine.',
  },
  {
    kind: 'text',
    at: '/event_types/0/name',
    label: 'Events',
    value: '*',
    hint: 'A name such as INVOICING.INVOICE.PAID, or * for all.',
  },
]

async function drawList(visit: Visit, operations: Operations, left?: { typed: Typed; refusal: Refusal }) {
  const title = 'Webhooks'
  if (!listens(visit))
    return {
      title,
      content: html`${heading(title)}<section class="sheet flush">${nothing(`A ${visit.who.name.toLowerCase()} has no webhooks`, 'Look as a merchant or the partner to see some.')}</section>`,
    }
  const { webhooks } = await visit.look<{ webhooks: Webhook[] }>('listWebhooks')
  const { transmissions: list } = await transmissions(visit)
  return {
    title,
    ...(left && { status: 422 }),
    content: html`${heading(title, { sub: 'Who hears of what happens, and how it went.' })}
<div class="two"><div class="column"><section class="sheet flush"><header class="sheet-head"><h2>Addresses</h2></header>${
      webhooks.length === 0
        ? nothing('Nobody listens yet', 'Add the address of your handler.')
        : html`<table class="rows"><tbody>${webhooks.map(
            (one) =>
              html`<tr><td class="second fill"><a class="open mono plainly" href="/console/webhooks/${one.id}">${one.url}</a><small>${one.event_types.length === 1 ? one.event_types[0]!.name : `${one.event_types.length} kinds of events`}</small></td><td class="num right">${one.status === 'ENABLED' ? html`<span class="soft">enabled</span>` : html`<b class="warn">disabled</b>`}</td></tr>`,
          )}</tbody></table>`
    }</section>
<section class="sheet flush"><header class="sheet-head"><h2>Newest deliveries</h2></header>${deliveries(list, visit)}</section></div>
<aside>${sheet('Add an address', drawForm({ name: 'listen', action: '/console/webhooks', route: operations.route('createWebhook'), fields: newFields, button: 'Listen there', ...left }))}</aside></div>`,
  }
}

const act = (action: string, label: string, kind = 'quiet') =>
  html`<form method="post" action="${action}"><button class="button ${kind}">${label}</button></form>`

async function drawOne(visit: Visit<typeof Id>) {
  const one = await visit.look<Webhook>('showWebhook', { params: { webhook_id: visit.params.id } })
  const { transmissions: list } = await transmissions(visit, one.id)
  const at = `/console/webhooks/${one.id}`
  const isOn = one.status === 'ENABLED'
  return {
    title: 'A webhook',
    content: html`${heading(html`<span class="mono">${one.url}</span>`, {
      back: ['Webhooks', '/console/webhooks'],
      sub: isOn ? 'Enabled' : 'Disabled: nothing is sent',
      actions: html`${act(`${at}/replay`, 'Send what failed today again')}${act(`${at}/sample`, 'Send a sample')}${act(`${at}/delete`, 'Delete', 'danger')}`,
    })}
${facts([
  ['Id', taken(one.id, 'id')],
  [
    'Events',
    one.event_types
      .map(({ name }) => name)
      .slice(0, 5)
      .join(', '),
    one.event_types.length > 5 ? `and ${one.event_types.length - 5} more` : undefined,
  ],
])}
<section class="sheet flush"><header class="sheet-head"><h2>Deliveries</h2></header>${deliveries(list, visit)}</section>`,
  }
}

async function drawDelivery(visit: Visit<typeof Id>, number: number | undefined) {
  const one = await visit.look<Transmission & { attempt_log: Attempt[]; cause?: string }>('showTransmission', {
    params: { transmission_id: visit.params.id },
  })
  const event = await visit.look<object>('showEvent', { params: { event_id: one.event_id } })
  const attempt = one.attempt_log.find((each) => each.number === number) ?? one.attempt_log.at(-1)
  const at = `/console/deliveries/${one.transmission_id}`
  return {
    title: one.event_type,
    content: html`${heading(broken(one.event_type), {
      back: ['The webhook', `/console/webhooks/${one.webhook_id}`],
      sub: html`to <span class="mono">${one.webhook_url}</span>, ${outcome(one, visit)}`,
      actions: html`${one.status !== 'SUCCESS' && act(`${at}/attempt`, 'Attempt it now', '')}${one.status !== 'PENDING' && act(`${at}/resend`, 'Send it anew')}`,
    })}
${facts([
  ['Event', mono(one.event_id)],
  ['Delivery', mono(one.transmission_id)],
  ...(one.cause ? [['Cause', html`<a href="/console/requests/${one.cause}">${mono(one.cause)}</a>`] as const] : []),
])}
<nav class="attempts" aria-label="Attempts">${one.attempt_log.map(
      (each) =>
        html`<a href="${at}?attempt=${each.number}"${each.number === attempt?.number && html` aria-current="page"`}><b>Attempt ${each.number}</b><small>${each.http_status ? status(each.http_status) : html`<span class="warn">no answer</span>`} ${visit.times.at(each.time)}</small></a>`,
    )}</nav>
<div class="sides"><section class="sheet"><h3>Sent</h3>${bodyOf(JSON.stringify(withoutStanding(event)), 'What was sent')}</section>
<section class="sheet"><h3>Answered</h3>${
      attempt
        ? html`<p>${attempt.http_status ? status(attempt.http_status) : html`<span class="warn">${attempt.error_message ?? 'No answer'}</span>`} <span class="soft">in ${attempt.duration} ms</span></p>${attempt.response_body !== '' && bodyOf(attempt.response_body, 'What was answered')}${folded('Headers', headerList(Object.entries(attempt.response_headers), 'Headers of the answer'), Object.keys(attempt.response_headers).length)}`
        : html`<p class="soft">Not attempted yet.</p>`
    }</section></div>`,
  }
}

/** An event as it was sent, without what became of it. */
const withoutStanding = (event: object) => {
  const { status: _1, transmissions: _2, ...sent } = event as { status?: unknown; transmissions?: unknown }
  return sent
}

const startOfDay = (now: string) => `${now.slice(0, 10)}T00:00:00Z`

export const webhookPages = ({ page, form }: Pages, operations: Operations) => [
  page({
    url: '/console/webhooks',
    operation: 'consoleWebhooks',
    summary: 'List webhooks',
    draw: (visit) => drawList(visit, operations),
  }),
  form({
    url: '/console/webhooks',
    operation: 'consoleListen',
    summary: 'Add the address of a handler',
    async take(sent) {
      const { typed } = sent
      const done = await sent.operate('createWebhook', { body: bodyFrom(typed), requestId: typed['request-id'] })
      const refusal = mendable(done)
      if (refusal) return sent.again(await drawList(sent, operations, { typed, refusal }))
      return sent.lead(`/console/webhooks/${(done.body as Webhook).id}`, 'Whatever happens from now on is sent there.')
    },
  }),
  page({
    url: '/console/webhooks/:id',
    operation: 'consoleWebhook',
    summary: 'Show a webhook',
    params: Id,
    draw: drawOne,
  }),
  ...(
    [
      ['replay', 'Send what failed again', replay],
      ['sample', 'Send a sample event', sample],
      ['delete', 'Delete a webhook', remove],
    ] as const
  ).map(([name, summary, take]) =>
    form({
      url: `/console/webhooks/:id/${name}`,
      operation: `consoleWebhook${name.charAt(0).toUpperCase()}${name.slice(1)}`,
      summary,
      params: Id,
      take,
    }),
  ),
  page({
    url: '/console/deliveries/:id',
    operation: 'consoleDelivery',
    summary: 'Show a delivery with every attempt',
    params: Id,
    query: Type.Object({ attempt: Type.Optional(Type.Integer({ minimum: 1, maximum: 10_000 })) }),
    draw: (visit) => drawDelivery(visit, visit.query.attempt),
  }),
  form({
    url: '/console/deliveries/:id/attempt',
    operation: 'consoleAttempt',
    summary: 'Attempt a delivery now',
    params: Id,
    async take(sent) {
      requireDone(await sent.operate('attemptTransmission', { params: { transmission_id: sent.params.id }, body: {} }))
      return sent.lead(`/console/deliveries/${sent.params.id}`, 'It is attempted now.')
    },
  }),
  form({
    url: '/console/deliveries/:id/resend',
    operation: 'consoleResend',
    summary: 'Send the event of a delivery anew',
    params: Id,
    async take(sent) {
      const one = await sent.look<Transmission>('showTransmission', { params: { transmission_id: sent.params.id } })
      requireDone(
        await sent.operate('resendEvent', {
          params: { event_id: one.event_id },
          body: { webhook_ids: [one.webhook_id] },
        }),
      )
      // To the new one, which is the newest of this webhook.
      const { transmissions: list } = await transmissions(sent, one.webhook_id)
      const made = list.find(
        ({ event_id, transmission_id }) => event_id === one.event_id && transmission_id !== one.transmission_id,
      )
      return made
        ? sent.lead(`/console/deliveries/${made.transmission_id}`, 'It was sent anew.')
        : sent.lead(`/console/deliveries/${one.transmission_id}`, 'It is under way already.')
    },
  }),
]

async function replay(sent: Sent<typeof Id>) {
  const done = await sent.operate('replayEvents', {
    params: { webhook_id: sent.params.id },
    body: { start_time: startOfDay(sent.now), end_time: sent.now.replace(/\.\d+Z$/, 'Z'), include: 'FAILED' },
  })
  requireDone(done)
  const { replayed } = done.body as { replayed: number }
  return sent.lead(
    `/console/webhooks/${sent.params.id}`,
    replayed === 0 ? 'Nothing failed today.' : `${replayed} ${replayed === 1 ? 'event is' : 'events are'} sent again.`,
  )
}

async function sample(sent: Sent<typeof Id>) {
  requireDone(
    await sent.operate('simulateEvent', { body: { webhook_id: sent.params.id, event_type: 'INVOICING.INVOICE.PAID' } }),
  )
  return sent.lead(`/console/webhooks/${sent.params.id}`, 'A sample of INVOICING.INVOICE.PAID was sent.')
}

async function remove(sent: Sent<typeof Id>) {
  requireDone(await sent.operate('deleteWebhook', { params: { webhook_id: sent.params.id } }))
  return sent.lead('/console/webhooks', 'The webhook was deleted.')
}
