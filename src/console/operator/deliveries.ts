import { type Content, type Html, html } from '../../http/html.ts'
import type { Instant } from '../../kernel/clock.ts'
import { attemptsOfHours } from '../../webhooks/delivery/counts.ts'
import { lanes } from '../../webhooks/dispatch/lanes.ts'
import { changesOfDay, OF_HOUR_MAX } from '../day.ts'
import { chart } from '../parts/bars.ts'
import { facts, heading, nothing } from '../parts/parts.ts'
import type { Pages, Visit } from '../visit.ts'
import { failureWords } from '../words.ts'
import { counted, type Laggard, readFigures, SHARED_OVER, worstWebhooks } from './figures.ts'
import { ofOperators } from './parts.ts'

const laneWords: readonly (readonly [lane: number, label: string, note: string])[] = [
  [lanes.proven, 'Prompt', 'webhooks that answered promptly last time'],
  [lanes.unproven, 'New', 'webhooks that were never called'],
  [lanes.cold, 'Slow or failing', 'webhooks that failed or kept us waiting'],
]

/** The last day of all accounts, with a column for each hour. */
export async function dayOfAll({ db, now, times }: Visit): Promise<Content> {
  const hours = await changesOfDay(db, now as Instant)
  const sum = (of: 'fine' | 'failed') => {
    const all = hours.reduce((total, hour) => total + hour[of], 0)
    const isMore = hours.some((hour) => hour[of] >= OF_HOUR_MAX)
    return `${all.toLocaleString('en-US')}${isMore ? ' or more' : ''}`
  }
  return chart({
    title: 'A day of changes',
    columns: hours.map((hour) => [hour.fine, hour.failed]),
    said: `${sum('fine')} in the last 24 hours, ${sum('failed')} jobs parked`,
    from: times.at(hours[0]!.from),
    to: 'now',
  })
}

/** Every attempt of the last day, with a column for each quarter of an hour. */
export async function dayOfDeliveries({ db, now, times }: Visit, waiting: number): Promise<Content> {
  const quarters = await attemptsOfHours(db, 24, now as Instant)
  const sum = (of: 'arrived' | 'failed') => quarters.reduce((all, one) => all + one[of], 0)
  const [arrived, failed] = [sum('arrived'), sum('failed')]
  return chart({
    title: 'A day of deliveries',
    columns: quarters.map((one) => [one.arrived, one.failed]),
    said: `${arrived.toLocaleString('en-US')} arrived, ${failed.toLocaleString('en-US')} ${failed === 1 ? 'attempt' : 'attempts'} failed, ${counted(waiting)} waiting`,
    from: times.at(quarters[0]!.from_time),
    to: 'now',
  })
}

/** How the last attempt ended, in a few words. */
const ending = ({ enabled, status, error }: Laggard): Content => {
  if (enabled === false) return html`<small class="warn">disabled</small>`
  if (status !== null) return html`<small>answers ${status}</small>`
  return error !== null && html`<small>${failureWords(error)}</small>`
}

const share = ({ sent, failed }: Laggard): Content => {
  if (sent === 0) return '–'
  const percent = Math.round((failed / sent) * 100)
  return html`<span class="${percent > 0 && 'warn'}">${percent} %</span>`
}

/** Webhooks with how much waits for them. */
export function laggardRows(list: readonly Laggard[], { times }: Visit): Html {
  if (list.length === 0) return nothing('Every receiver answers', 'Webhooks that fail or keep us waiting stand here.')
  return html`<table class="rows"><thead><tr><th>Webhook</th><th>Account</th><th class="num">Waiting</th><th class="num" title="Of the newest ${SHARED_OVER} of the last 24 hours, those that were attempted and did not arrive">Failed, 24 h</th><th class="num gone">Attempts</th><th class="gone">Next</th></tr></thead><tbody>${list.map(
    (one) =>
      html`<tr><td class="second fill"><a class="open mono cut plainly" href="/console/operator/webhooks/${one.webhook_id}">${one.url ?? one.webhook_id}</a>${ending(one)}</td><td class="second anywhere"><a href="/console/operator/accounts/${one.account_id}">${one.account ?? one.account_id}</a></td><td class="num right"><b>${counted(one.waiting)}</b><span class="phone-only soft">waiting</span></td><td class="num low">${share(one)}<span class="phone-only soft">failed in 24 h</span></td><td class="num gone">${one.attempts}</td><td class="nowrap gone soft">${times.ahead(one.next_time)}</td></tr>`,
  )}</tbody></table>`
}

const SHOWN = 20

export const deliveryHealthPages = ({ page }: Pages) => [
  page({
    url: '/console/operator/deliveries',
    operation: 'consoleDeliveryHealth',
    summary: 'Show how deliveries are doing',
    ...ofOperators,
    async draw(visit) {
      const [told, worst] = [
        await readFigures(visit.db, visit.now),
        await worstWebhooks(visit.db, visit.now as Instant, SHOWN),
      ]
      return {
        title: 'Deliveries',
        content: html`${heading('Deliveries', { sub: 'What has neither arrived nor failed for good.' })}
${facts(
  [
    ['Waiting', counted(told.pending)],
    ...laneWords.map(([lane, label, note]) => [label, counted(told.lanes?.[String(lane)] ?? 0), note] as const),
    ['Disabled webhooks', counted(told.disabled)],
  ],
  'figures',
)}
${await dayOfDeliveries(visit as Visit, told.pending)}
<section class="sheet flush"><header class="sheet-head"><h2>Webhooks that wait most</h2></header>${laggardRows(worst, visit)}</section>`,
      }
    },
  }),
]
