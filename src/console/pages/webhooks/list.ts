import { type Content, type Html, html } from '../../../http/html.ts'
import type { Instant } from '../../../kernel/clock.ts'
import { Type } from '../../../kernel/type.ts'
import { calledAt } from '../../../outbound/egress.ts'
import { deliveriesOfDay, type Hour } from '../../day.ts'
import { form as drawForm, type Field, type Typed } from '../../forms/fields.ts'
import { mendable, type Operations, type Refusal, requireDone } from '../../operate.ts'
import { chart } from '../../parts/bars.ts'
import { program } from '../../parts/code.ts'
import { folded, heading, linkButton, nothing, sheet, tabs } from '../../parts/parts.ts'
import { type ListeningApp, throughChosen } from '../../through-app.ts'
import type { Pages, Visit } from '../../visit.ts'
import { oneOf } from '../../words.ts'
import { deliveries, transmissionsOf } from './deliveries.ts'
import { findHealth, type Health, healthWords } from './health.ts'

export interface Webhook {
  readonly id: string
  readonly url: string
  readonly status: 'ENABLED' | 'DISABLED'
  readonly event_types: readonly { readonly name: string }[]
  readonly signing_secret?: string
  readonly previous_secret_expire_time?: string
}

/** What an address hears of, in a few words. */
export const eventsHeard = ({ event_types }: Webhook): string =>
  event_types.some(({ name }) => name === '*')
    ? 'Every event'
    : event_types.length === 1
      ? event_types[0]!.name
      : `${event_types.length} kinds of events`

const NEWEST_SHOWN = 12

const listens = ({ who }: Pick<Visit, 'who'>) => who.caller.scopes.has('applications/webhooks')

/** The field in which the kinds of events of a new address are typed, one or more. */
export const NEW_EVENTS = '/event_types'

const newFields = ({ who }: Pick<Visit, 'who'>): readonly Field[] => [
  who.face === 'sandbox'
    ? {
        kind: 'text',
        at: '/url',
        label: 'Address',
        value: 'http://127.0.0.1:4000/hooks',
        hint: 'Where your handler listens. In a sandbox it may be on this machine.',
      }
    : { kind: 'text', at: '/url', label: 'Address', hint: 'Where your handler listens, beginning with https://.' },
  {
    kind: 'text',
    at: NEW_EVENTS,
    label: 'Events',
    value: '*',
    hint: 'Names such as INVOICING.INVOICE.PAID, with spaces between them, or * for all.',
  },
]

/** A handler to begin with, which checks who signed a delivery. */
const receiver = `import { createHmac, timingSafeEqual } from "node:crypto"
import { createServer } from "node:http"

const secret = Buffer.from(process.env.SIGNING_SECRET.replace("whsec_", ""), "base64")

createServer(async (request, response) => {
  const chunks = []
  for await (const chunk of request) chunks.push(chunk)
  const body = Buffer.concat(chunks)
  const { "webhook-id": id, "webhook-timestamp": time, "webhook-signature": signatures } = request.headers
  const own = createHmac("sha256", secret).update(\`\${id}.\${time}.\`).update(body).digest()
  const isOurs = String(signatures).split(" ").some((one) => {
    const theirs = Buffer.from(one.replace("v1,", ""), "base64")
    return theirs.length === own.length && timingSafeEqual(theirs, own)
  })
  if (!isOurs) return response.writeHead(401).end()
  const event = JSON.parse(body)
  console.info(event.id, event.event_type) // The same id may come twice: do the work once.
  response.writeHead(204).end()
}).listen(4000)`

/** An address of our own that keeps what arrives, for somebody who has no handler yet. */
const listenHere = (visit: Visit, webhooks: readonly Webhook[]): Html => {
  const name = visit.who.caller.clientId
  const isThere = webhooks.some(({ url }) => url.endsWith(`/sandbox/inbox/${name}`))
  return sheet(
    'Listen here',
    html`<p class="soft">No handler yet? An inbox keeps what arrives, checks its signature and answers as you tell it.</p><p class="below">${
      isThere
        ? linkButton('Open the inbox', `/console/inbox/${name}`)
        : html`<form method="post" action="/console/inbox/${name}"><button class="button quiet">Listen here</button></form>`
    }</p>${folded('A handler to begin with', program(receiver, 'A handler that checks signatures'))}`,
  )
}

/** The last 24 hours, with a column for each hour. */
function day(hours: readonly Hour[], { times }: Visit): Content {
  const sum = (of: keyof Hour) => hours.reduce((all, hour) => all + Number(hour[of]), 0)
  const [fine, failed] = [sum('fine'), sum('failed')]
  return chart({
    title: 'A day of deliveries',
    columns: hours.map((hour) => [hour.fine, hour.failed]),
    said: `${fine + failed} in the last 24 hours, ${failed === 0 ? 'none' : failed} given up`,
    from: times.at(hours[0]!.from),
    to: 'now',
  })
}

/** How an address is doing now. */
const nowOf = ({ status }: Webhook, health: Health | undefined): Content =>
  status === 'DISABLED'
    ? html`<b class="warn">disabled</b><small>what happens is kept for a replay</small>`
    : health && healthWords(health)

const addressOf = ({ client_id }: ListeningApp) => `/console/webhooks?app=${encodeURIComponent(client_id)}`

export async function drawList(
  here: Visit,
  operations: Operations,
  {
    app,
    only,
    left,
  }: { app?: string | undefined; only?: string | undefined; left?: { typed: Typed; refusal: Refusal } } = {},
) {
  const title = 'Webhooks'
  if (!listens(here))
    return {
      title,
      content: html`${heading(title)}<section class="sheet flush">${nothing(`${oneOf(here.who.name)} has no webhooks`, 'Look as a merchant or the partner to see some.')}</section>`,
    }
  const { visit, apps, chosen } = await throughChosen(here, app)
  if (!chosen)
    return {
      title,
      content: html`${heading(title)}<section class="sheet flush">${nothing('No app yet', 'Webhooks belong to an app; an admin of the account makes one.', here.who.may('manage') && linkButton('Apps', '/console/apps'))}</section>`,
    }
  const { webhooks } = await visit.look<{ webhooks: Webhook[] }>('listWebhooks')
  const { transmissions: list } = await transmissionsOf(visit, undefined, {
    size: NEWEST_SHOWN,
    status: only === 'failed' ? 'FAILURE' : undefined,
  })
  const health = await findHealth(
    visit.db,
    visit.who.caller,
    webhooks.map(({ id }) => id),
    visit.now as Instant,
  )
  const hours = await deliveriesOfDay(visit.db, visit.who.caller, visit.now as Instant)
  return {
    title,
    ...(left && { status: 422 }),
    content: html`${heading(title, { sub: apps.length > 1 ? `Who hears through ${chosen.name} of what happens, and how it went.` : 'Who hears of what happens, and how it went.' })}${
      apps.length > 1 &&
      tabs(
        'App',
        apps.map((one) => ({
          label: one.status === 'ENABLED' ? one.name : `${one.name}, disabled`,
          href: addressOf(one),
          here: one === chosen,
          count: one.webhooks,
        })),
      )
    }
<div class="two"><div class="column"><section class="sheet flush"><header class="sheet-head"><h2>Addresses</h2></header>${
      webhooks.length === 0
        ? nothing('Nobody listens yet', 'Add the address of your handler.')
        : html`<table class="rows"><tbody>${webhooks.map(
            (one) =>
              html`<tr><td class="second fill"><a class="open mono plainly" href="/console/webhooks/${one.id}">${one.url}</a><small>${eventsHeard(one)}</small></td><td class="num whole">${nowOf(one, health.get(one.id))}</td></tr>`,
          )}</tbody></table>`
    }</section>
${day(hours, visit)}
<section class="sheet flush"><header class="sheet-head"><h2>Newest deliveries</h2><div class="aside">${only ? html`<a href="${addressOf(chosen)}">All of them</a>` : html`<a href="${addressOf(chosen)}&amp;only=failed">Only those given up</a>`}</div></header>${deliveries(list, visit, { isFiltered: only !== undefined })}</section></div>
<aside>${visit.who.may('manage') && sheet('Add an address', drawForm({ name: 'listen', action: '/console/webhooks', route: operations.route('createWebhook'), fields: [...newFields(visit), { kind: 'fixed', at: 'app', value: chosen.client_id }], button: 'Listen there', ...left }))}${visit.who.face === 'sandbox' && listenHere(visit, webhooks)}</aside></div>`,
  }
}

export const webhookListPages = ({ page, form }: Pages, operations: Operations) => [
  page({
    url: '/console/webhooks',
    operation: 'consoleWebhooks',
    summary: 'List webhooks',
    may: 'see',
    query: Type.Object({
      app: Type.Optional(Type.String({ minLength: 1, maxLength: 100 })),
      only: Type.Optional(Type.Enum(['failed'])),
    }),
    draw: (visit) => drawList(visit as Visit, operations, { app: visit.query.app, only: visit.query.only }),
  }),
  form({
    url: '/console/webhooks',
    operation: 'consoleListen',
    summary: 'Add the address of a handler',
    may: 'manage',
    async take(sent) {
      const { typed } = sent
      const { app } = typed
      const { visit } = await throughChosen(sent, app)
      const names = (typed[NEW_EVENTS] ?? '').split(/\s+/).filter(Boolean)
      const done = await visit.operate('createWebhook', {
        body: { url: typed['/url']?.trim() ?? '', event_types: names.map((name) => ({ name })) },
        requestId: typed['request-id'],
      })
      const refusal = mendable(done)
      if (refusal) return sent.again(await drawList(sent, operations, { app, left: { typed, refusal } }))
      return sent.lead(
        `/console/webhooks/${(done.body as Webhook).id}`,
        done.warnings === undefined
          ? 'Whatever happens from now on is sent there.'
          : `The address was added, but look again: ${done.warnings}.`,
      )
    },
  }),
]

/** Subscribes an inbox of the sandbox to everything; doing it a second time changes nothing. */
export async function subscribe(visit: Visit, url: string): Promise<void> {
  const { webhooks } = await visit.look<{ webhooks: Webhook[] }>('listWebhooks')
  if (webhooks.some((one) => calledAt(one.url) === calledAt(url))) return
  requireDone(await visit.operate('createWebhook', { body: { url, event_types: [{ name: '*' }] } }))
}
