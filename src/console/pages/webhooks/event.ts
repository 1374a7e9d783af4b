import { sql } from '../../../database/sql.ts'
import { type Html, html } from '../../../http/html.ts'
import { Problem } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import { findEvent, type StoredEvent } from '../../../webhooks/events/store.ts'
import { requireDone } from '../../operate.ts'
import { bodyOf } from '../../parts/code.ts'
import { broken, facts, heading, mono, nothing, sheet, taken } from '../../parts/parts.ts'
import { throughHearers } from '../../through-app.ts'
import type { Pages, Visit } from '../../visit.ts'
import { type Eyes, eyes, eyesNames, type Onlooker, onlookerAs } from '../../who.ts'
import { attemptsCell, causeLink, outcome, type Transmission } from './deliveries.ts'

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9-]+$' }) })

const causeOfEvent = sql`select cause from events where account_id = $1 and id = $2`

const ofAccount = sql`select account_id, id, type, create_time, body from events where account_id = $1 and id = $2`

interface Shown {
  readonly event: StoredEvent
  /** As whom the event was found. Undefined when no app had a part in it and none asked for such events. */
  readonly who: Onlooker | undefined
}

/** An event as the onlooker heard of it. In a sandbox it may be one that only others heard of: the timeline shows them all. */
async function find(visit: Visit<typeof Id>): Promise<Shown> {
  const { db, params, who } = visit
  try {
    return { event: await findEvent(db, who.caller, params.id), who }
  } catch (error) {
    if (!(error instanceof Problem) || who.face !== 'sandbox') throw error
    const names = eyesNames.filter((one): one is Eyes => eyes[one].client !== undefined)
    const others = await Promise.all(names.map((name) => onlookerAs(db, name)))
    for (const other of others) {
      const event = await findEvent(db, other.caller, params.id).catch(() => undefined)
      if (event) return { event, who: other }
    }
    for (const { caller } of others) {
      const event = await db.row<StoredEvent>(ofAccount, [caller.accountId, params.id])
      if (event) return { event, who: undefined }
    }
    throw error
  }
}

function heard(list: readonly Transmission[], visit: Visit): Html {
  if (list.length === 0) return nothing('Nobody was told', 'No webhook was subscribed to it when it happened.')
  return html`<table class="rows"><thead><tr><th>When</th><th>Address</th><th>How it went</th><th class="num">Attempts</th></tr></thead><tbody>${list.map(
    (one) =>
      html`<tr><td class="nowrap soft">${visit.times.at(one.timestamp)}</td><td class="second fill"><a class="open mono plainly" href="/console/deliveries/${one.transmission_id}">${one.webhook_url}</a></td><td class="whole">${outcome(one, visit)}</td>${attemptsCell(one)}</tr>`,
  )}</tbody></table>`
}

export const eventPages = ({ page, form }: Pages) => [
  page({
    url: '/console/events/:id',
    operation: 'consoleEvent',
    summary: 'Show an event: what was sent, who heard it, what led to it',
    may: 'see',
    params: Id,
    async draw(here) {
      const hearers = await throughHearers(here, here.params.id)
      const visit = hearers[0]!
      const { event, who } = await find(visit)
      const isOwn = who === visit.who
      const told = isOwn
        ? await Promise.all(
            hearers.map((one) =>
              one.look<{ transmissions: Transmission[] }>('showEvent', { params: { event_id: event.id } }),
            ),
          )
        : []
      const transmissions = told.flatMap((one) => one.transmissions)
      const found = await visit.db.row<{ cause: string | null }>(causeOfEvent, [event.account_id, event.id])
      return {
        title: event.type,
        content: html`${heading(broken(event.type), {
          back: ['Webhooks', '/console/webhooks'],
          sub: visit.times.fully(event.create_time),
          ...(isOwn && {
            actions: html`<form method="post" action="/console/events/${event.id}/resend"><button class="button quiet">Send it again</button></form>`,
          }),
        })}
${facts([
  ['Event', taken(event.id, 'id')],
  ...(found?.cause
    ? [['Cause', visit.who.face === 'sandbox' ? causeLink(found.cause) : mono(found.cause)] as const]
    : []),
  ['Heard by', who?.name ?? 'Nobody'],
])}
<section class="sheet flush"><header class="sheet-head"><h2>Who heard it</h2></header>${
          isOwn
            ? heard(transmissions, visit)
            : who
              ? nothing(`It was not for you`, `Look as the ${who.name.toLowerCase()} to see how its deliveries went.`)
              : nothing('Nobody was told', 'It was done without a token, so no app had a part in it.')
        }</section>
${sheet('As it was sent', html`<div class="copied">${bodyOf(event.body, 'The event as it was sent')}<button class="copy" type="button" data-copy>Copy<span class="seen-not"> the event</span></button><span hidden data-value>${event.body}</span></div>`, { aside: `${Buffer.byteLength(event.body)} bytes` })}`,
      }
    },
  }),
  form({
    url: '/console/events/:id/resend',
    operation: 'consoleResendEvent',
    summary: 'Send an event again to everybody who listens',
    may: 'settle',
    params: Id,
    async take(sent) {
      let isSent = false
      for (const hearer of await throughHearers(sent, sent.params.id)) {
        const done = await hearer.operate('resendEvent', { params: { event_id: sent.params.id }, body: {} })
        requireDone(done)
        isSent ||= (done.body as { status: string }).status === 'PENDING'
      }
      const at = `/console/events/${sent.params.id}`
      return isSent
        ? sent.lead(at, 'It is sent again to every webhook that listens.')
        : sent.turnBack(at, 'Nothing was sent: no webhook listens to it.')
    },
  }),
]
