import { findAccount } from '../../accounts/store.ts'
import type { Reader } from '../../database/transaction.ts'
import { html } from '../../http/html.ts'
import type { Instant } from '../../kernel/clock.ts'
import { notFound } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { countReplay } from '../../webhooks/delivery/redeliver.ts'
import { listTransmissions, type Transmission } from '../../webhooks/events/transmissions.ts'
import { attemptOne, findOperated, type OperatedWebhook, sendAgain, sendingRefused } from '../../webhooks/operated.ts'
import { readSpan } from '../../webhooks/routes/paging.ts'
import { REPLAY_MAX } from '../../webhooks/schema.ts'
import { newRequestId } from '../forms/fields.ts'
import { spanFields, spanIn, writtenIn } from '../forms/span.ts'
import { isSentAlready, onceOnly } from '../once.ts'
import { After, PAGE_SIZE } from '../pages/webhooks/deliveries.ts'
import { broken, facts, heading, linkButton, nothing, pager, sheet, tabs, taken } from '../parts/parts.ts'
import type { Pages, Sent, Visit } from '../visit.ts'
import { failureWords } from '../words.ts'
import { ACCOUNTS } from './account.ts'
import { act, heard, ofOperators } from './parts.ts'

export const WEBHOOKS = '/console/operator/webhooks'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9]+$' }) })
const OneDelivery = Type.Object({ id: Id.properties.id, delivery: Type.String({ minLength: 36, maxLength: 36 }) })
const standings = { FAILURE: 'Given up', PENDING: 'Waiting', all: 'All' } as const
const Query = Type.Object({
  standing: Type.Optional(Type.Enum(Object.keys(standings))),
  after: Type.Optional(After),
})
const Span = Type.Object({
  from: Type.Optional(Type.String({ maxLength: 40 })),
  to: Type.Optional(Type.String({ maxLength: 40 })),
})

const DAY_MS = 86_400_000

async function find(db: Reader, id: string): Promise<OperatedWebhook> {
  const found = await findOperated(db, id)
  if (!found) throw notFound('The webhook')
  return found
}

const listed = (
  { webhook, app, scopes }: OperatedWebhook,
  { db, now }: Pick<Visit, 'db' | 'now'>,
  { standing = 'FAILURE', after }: Static<typeof Query>,
) => {
  const status = standing === 'all' ? undefined : (standing as 'FAILURE' | 'PENDING')
  const [time, id] = (after?.split('~') ?? []) as [Instant?, string?]
  return listTransmissions(
    db,
    { appId: app.id, scopes, accountId: webhook.account_id, webhookId: webhook.id, status },
    {
      size: PAGE_SIZE,
      ...readSpan(undefined, undefined, now as Instant),
      ...(time && id && { index: { time, id, move: 'next' as const } }),
    },
  )
}

function row(one: Transmission, at: string, isReachable: boolean, { times }: Visit) {
  const { error } = one
  const why =
    one.http_status ?? (error ? html`<span title="${error}">${failureWords(error)}</span>` : (one.reason ?? ''))
  const went =
    one.status === 'SUCCESS'
      ? html`<span class="soft">arrived</span>`
      : one.status === 'FAILURE'
        ? html`<b class="warn">given up</b> <span class="soft">${why}</span>`
        : html`<span class="${one.attempts > 0 && 'warn'}">${one.attempts === 0 ? 'on its way' : why}</span>${one.attempts > 0 && one.next_time && html` <span class="soft">again ${times.ahead(one.next_time)}</span>`}`
  return html`<tr><td class="nowrap soft">${times.at(one.transmit_time)}</td><td class="second fill">${broken(one.event_type)}<small class="mono">${one.event_id}</small></td><td class="whole">${went}</td><td class="num gone">${one.attempts}</td><td class="num right">${isReachable && one.status !== 'SUCCESS' && act(`${at}/deliveries/${one.id}/attempt`, html`Attempt now${heard(one.event_id)}`)}</td></tr>`
}

const dayBefore = (now: string) => new Date(Date.parse(now) - DAY_MS).toISOString()

/** A span, in the form in which the onlooker would type it. */
const written = ({ from, to }: { from: string; to: string }, { who }: Pick<Visit, 'who'>) => ({
  from: writtenIn(who.zone, from),
  to: writtenIn(who.zone, to),
})

/** The form for the span of a replay. The next page says how many deliveries that is, before anything is sent. */
const spanForm = (at: string, ...fields: Parameters<typeof spanFields>) =>
  html`<form class="stack" action="${at}/replay">${spanFields(...fields)}<p class="hint">What has not arrived in between, and nothing else.</p><div class="buttons"><button class="button quiet">See how many</button></div></form>`

async function draw(visit: Visit<typeof Id, typeof Query>) {
  const { standing = 'FAILURE', after } = visit.query
  const found = await find(visit.db, visit.params.id)
  const { webhook, app } = found
  const account = await findAccount(visit.db, webhook.account_id)
  const refused = await sendingRefused(visit.db, found)
  const read = await listed(found, visit, visit.query)
  const list = read.slice(0, PAGE_SIZE)
  const last = read.length > PAGE_SIZE ? list.at(-1) : undefined
  const at = `${WEBHOOKS}/${webhook.id}`
  const listAt = (name: string, more = {}) => `${at}?${new URLSearchParams({ standing: name, ...more })}`
  return {
    title: 'A webhook',
    content: html`${heading(html`<span class="mono">${webhook.url}</span>`, {
      back: ['Deliveries', '/console/operator/deliveries'],
      sub: refused === undefined ? 'Enabled' : `Nothing is sent to it: ${refused}`,
    })}
${facts([
  ['Account', html`<a href="${ACCOUNTS}/${webhook.account_id}">${account?.name ?? webhook.account_id}</a>`],
  ['App', app.name, app.status === 'ENABLED' ? undefined : 'disabled'],
  ['Id', taken(webhook.id, 'id')],
])}
<div class="two"><div class="column"><section class="sheet flush">${tabs(
      'How they stand',
      Object.entries(standings).map(([name, label]) => ({
        label,
        href: listAt(name),
        here: name === standing,
      })),
    )}${
      list.length === 0
        ? nothing('Nothing of this kind', 'Deliveries of the last 30 days stand here, the newest first.')
        : html`<table class="rows"><thead><tr><th>When</th><th>Event</th><th>How it went</th><th class="num gone">Attempts</th><th class="num"><span class="seen-not">Actions</span></th></tr></thead><tbody>${list.map((one) => row(one, at, refused === undefined, visit as Visit))}</tbody></table>`
    }${(after || last) && pager('Newest first', { newer: after && listAt(standing), older: last && listAt(standing, { after: `${last.transmit_time}~${last.id}` }) })}</section></div>
<aside>${sheet('Send again what failed', refused === undefined ? spanForm(at, written({ from: dayBefore(visit.now), to: visit.now }, visit)) : html`<p class="soft">Not now: ${refused}.</p>`)}</aside></div>`,
  }
}

async function drawReplay(visit: Visit<typeof Id, typeof Span>) {
  const { from = dayBefore(visit.now), to = visit.now } = visit.query
  const { webhook, scopes } = await find(visit.db, visit.params.id)
  const at = `${WEBHOOKS}/${webhook.id}`
  const { span, wrong } = spanIn({ from, to }, visit.who.zone, visit.now)
  if (wrong)
    return {
      title: 'Send again',
      status: 422,
      content: html`${heading('Send again', { back: ['The webhook', at], sub: html`<span class="mono">${webhook.url}</span>` })}${sheet('Which span?', spanForm(at, { from, to }, wrong))}`,
    }
  const count = await countReplay(visit.db, webhook, { scopes }, { ...span, failedOnly: true, max: REPLAY_MAX })
  const many = count === 1 ? 'One event' : count >= REPLAY_MAX ? `${REPLAY_MAX} events or more` : `${count} events`
  return {
    title: 'Send again',
    content: html`${heading(count === 0 ? 'Nothing to send again' : `${many} would be sent again`, { back: ['The webhook', at], sub: html`<span class="mono">${webhook.url}</span>, ${visit.times.at(span.from)} to ${visit.times.at(span.to)}` })}
${
  count > 0 &&
  html`<section class="sheet"><form class="stack" method="post" action="${at}/replay"><input type="hidden" name="request-id" value="${newRequestId()}"><input type="hidden" name="from" value="${span.from}"><input type="hidden" name="to" value="${span.to}"><p>Each is sent with its own id, so a handler that knows it does nothing twice. The audit log of the account says that you did it.</p><div class="buttons"><button class="button">Send ${count === 1 ? 'it' : 'them'} again</button>${linkButton('Leave it', at)}</div></form></section>`
}${sheet('Another span', spanForm(at, written(span, visit)))}`,
  }
}

const notSent = (sent: Pick<Sent, 'turnBack'>, at: string, { refused }: { refused: string }) =>
  sent.turnBack(at, `Nothing was sent: ${refused}.`)

/** One address, for those who run the service: what failed, and sending it again. Nobody reads bodies here. */
export const operatorWebhookPages = ({ page, form }: Pages) => [
  page({
    url: `${WEBHOOKS}/:id`,
    operation: 'consoleWebhookHealth',
    summary: 'Show how deliveries to a webhook are doing',
    ...ofOperators,
    params: Id,
    query: Query,
    draw,
  }),
  page({
    url: `${WEBHOOKS}/:id/replay`,
    operation: 'consoleCountOperatorReplay',
    summary: 'Say how many failed events would be sent again',
    ...ofOperators,
    params: Id,
    query: Span,
    draw: drawReplay,
  }),
  form({
    url: `${WEBHOOKS}/:id/replay`,
    operation: 'consoleOperatorReplay',
    summary: 'Send the failed events of a webhook again',
    ...ofOperators,
    params: Id,
    async take(sent) {
      const { from, to } = sent.typed
      const here = `${WEBHOOKS}/${sent.params.id}`
      const replayed = await sent
        .change(
          async (tx) => {
            const found = await find(tx, sent.params.id)
            await onceOnly(tx, found.webhook.account_id, sent.typed)
            const refused = await sendingRefused(tx, found)
            if (refused !== undefined) return { refused }
            return sendAgain(tx, found, readSpan(from ?? dayBefore(sent.now), to, tx.now))
          },
          { locks: true },
        )
        .catch((error: unknown) => {
          if (isSentAlready(error)) return 'already' as const
          throw error
        })
      if (typeof replayed === 'object') return notSent(sent, here, replayed)
      const done = replayed === 1 ? 'One event is sent again.' : `${replayed} events are sent again.`
      const said = replayed === 'already' ? 'They are sent again, each once.' : done
      return sent.lead(`${here}?standing=PENDING`, replayed === 0 ? 'There was nothing to send.' : said)
    },
  }),
  form({
    url: `${WEBHOOKS}/:id/deliveries/:delivery/attempt`,
    operation: 'consoleOperatorAttempt',
    summary: 'Attempt a delivery of a webhook now',
    ...ofOperators,
    params: OneDelivery,
    async take(sent) {
      const { id, delivery } = sent.params
      const here = `${WEBHOOKS}/${id}`
      const refusal = await sent.change(async (tx) => {
        const found = await find(tx, id)
        const refused = await sendingRefused(tx, found)
        if (refused !== undefined) return { refused }
        if (!(await attemptOne(tx, found, delivery))) throw notFound('The delivery')
        return undefined
      })
      if (refusal) return notSent(sent, here, refusal)
      return sent.lead(`${here}?standing=PENDING`, 'It is attempted now.')
    },
  }),
]
