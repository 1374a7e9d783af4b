import { html } from '../../../http/html.ts'
import { dayIn, type Instant } from '../../../kernel/clock.ts'
import { type Static, Type } from '../../../kernel/type.ts'
import { countReplay } from '../../../webhooks/delivery/redeliver.ts'
import { REPLAY_MAX } from '../../../webhooks/schema.ts'
import { findWebhook } from '../../../webhooks/subscriptions/store.ts'
import { newRequestId } from '../../forms/fields.ts'
import { spanFields, spanIn, writtenIn } from '../../forms/span.ts'
import { requireDone } from '../../operate.ts'
import { startOf } from '../../parts/days.ts'
import { heading, sheet } from '../../parts/parts.ts'
import type { Sent, Visit } from '../../visit.ts'

export const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 64, pattern: '^[A-Za-z0-9-]+$' }) })
export const Span = Type.Object({
  from: Type.Optional(Type.String({ maxLength: 40 })),
  to: Type.Optional(Type.String({ maxLength: 40 })),
  include: Type.Optional(Type.Enum(['FAILED', 'ALL'])),
})

/** When the present day began for the onlooker. */
const startOfDay = ({ now, who }: Pick<Visit, 'now' | 'who'>) => startOf(dayIn(now as Instant, who.zone), who.zone)

export const spanForm = (
  at: string,
  asked: Static<typeof Span>,
  visit: Visit<typeof Id>,
  wrong?: ReturnType<typeof spanIn>['wrong'],
) =>
  html`<form class="stack" action="${at}/replay">${spanFields({ from: asked.from ?? writtenIn(visit.who.zone, startOfDay(visit)), to: asked.to ?? writtenIn(visit.who.zone, visit.now) }, wrong)}<fieldset><legend>Which</legend><div class="choices">${(
    [
      ['FAILED', 'What has not arrived'],
      ['ALL', 'All of it, once more'],
    ] as const
  ).map(
    ([value, label]) =>
      html`<label class="choice"><input type="radio" name="include" value="${value}"${value === (asked.include ?? 'FAILED') && html` checked`}><span><b>${label}</b></span></label>`,
  )}</div></fieldset><div class="buttons"><button class="button quiet">See how many</button></div></form>`

/** Nothing can be sent again while a webhook is disabled, because what is sent to it then is given up. */
export const whileDisabled = html`<p class="soft">It is disabled. What happens is kept, and can be sent again once it is enabled.</p>`

/** The page that says how many a replay would send, before anything is sent. */
export async function drawReplay(visit: Visit<typeof Id, typeof Span>) {
  const { id } = visit.params
  const { from, to, include = 'FAILED' } = visit.query
  const at = `/console/webhooks/${id}`
  const webhook = await findWebhook(visit.db, visit.who.caller.appId, id)
  const { span, wrong } = spanIn({ from: from ?? startOfDay(visit), to: to ?? visit.now }, visit.who.zone, visit.now)
  if (wrong)
    return {
      title: 'Send again',
      status: 422,
      content: html`${heading('Send again', { back: ['The webhook', at], sub: html`<span class="mono">${webhook.url}</span>` })}${sheet('Which span?', spanForm(at, visit.query, visit, wrong))}`,
    }
  const range = { ...span, failedOnly: include !== 'ALL', max: REPLAY_MAX }
  const count = await countReplay(visit.db, webhook, visit.who.caller, range)
  const many =
    count === 1 ? 'One event' : `${count === REPLAY_MAX ? `${REPLAY_MAX} events or more` : `${count} events`}`
  return {
    title: 'Send again',
    content: html`${heading(count === 0 ? 'Nothing to send again' : `${many} would be sent again`, { back: ['The webhook', at], sub: html`<span class="mono">${webhook.url}</span>, ${visit.times.at(span.from)} to ${visit.times.at(span.to)}` })}
${
  (count > 0 || !webhook.enabled) &&
  html`<section class="sheet">${!webhook.enabled && whileDisabled}${
    webhook.enabled &&
    html`<form class="stack" method="post" action="${at}/replay"><input type="hidden" name="request-id" value="${newRequestId()}"><input type="hidden" name="from" value="${span.from}"><input type="hidden" name="to" value="${span.to}"><input type="hidden" name="include" value="${include}"><p>Each is sent with its own id, so a handler that knows it does nothing twice.${count >= REPLAY_MAX && ` At most ${REPLAY_MAX} are sent at once; do it again for the rest.`}</p><div class="buttons"><button class="button">Send ${count === 1 ? 'it' : 'them'} again</button><a class="button quiet" href="${at}">Leave it</a></div></form>`
  }</section>`
}${sheet('Another span', spanForm(at, visit.query, visit))}`,
  }
}

export async function replay(sent: Sent<typeof Id>) {
  const { from, to, include } = sent.typed
  const done = await sent.operate('replayEvents', {
    params: { webhook_id: sent.params.id },
    body: {
      start_time: from ?? startOfDay(sent),
      end_time: to ?? sent.now,
      include: include === 'ALL' ? 'ALL' : 'FAILED',
    },
    requestId: sent.typed['request-id'],
  })
  requireDone(done)
  const { replayed } = done.body as { replayed: number }
  return sent.lead(
    `/console/webhooks/${sent.params.id}`,
    replayed === 0
      ? 'There was nothing to send.'
      : `${replayed} ${replayed === 1 ? 'event is' : 'events are'} sent again.`,
  )
}
