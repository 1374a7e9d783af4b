import { type Content, html } from '../../http/html.ts'
import { type HourOfRequests, requestsOfHour } from '../../http/request-counts.ts'
import { listParked } from '../../jobs/parked.ts'
import type { Instant } from '../../kernel/clock.ts'
import { listKeys } from '../../webhooks/signing/keys.ts'
import { facts, heading, nothing, sheet } from '../parts/parts.ts'
import { span } from '../parts/time.ts'
import { listDeeds } from '../sign-in/deeds.ts'
import type { Pages } from '../visit.ts'
import { doings } from './audit.ts'
import { decisionRows } from './decisions.ts'
import { dayOfAll, dayOfDeliveries, laggardRows } from './deliveries.ts'
import { counted, processesOf, readFigures, worstWebhooks } from './figures.ts'
import { jobRows } from './jobs.ts'
import { keyRows } from './keys.ts'
import { heard, ofOperators } from './parts.ts'

const SHOWN = 5

const more = (label: Content, href: string) => html`<a href="${href}">${label}</a>`

/** How many processes answer and do what is due, and whether they are of one version. */
function processWords(list: readonly { version: string; count: number }[]): string {
  const all = list.reduce((sum, { count }) => sum + count, 0)
  const whole = `${all === 1 ? 'One process answers' : `${all} processes answer`} requests and ${all === 1 ? 'does' : 'do'} what is due`
  if (list.length === 0) return 'How the service is doing, for all accounts.'
  if (list.length === 1) return `${whole}, on version ${list[0]!.version}.`
  return `${whole}: ${list.map(({ version, count }) => `${count} on version ${version}`).join(', ')}.`
}

const quickness = ({ requests, failed, half, most }: HourOfRequests): Content =>
  requests > 0 &&
  html`half under ${milliseconds(half)}, 99 % under ${milliseconds(most)}${failed > 0 && html`; <span class="warn">${failed.toLocaleString('en-US')} failed</span>`}`

const milliseconds = (n: number) => (n >= 1_000 ? `${n / 1_000} s` : `${n} ms`)

export const overviewPages = ({ page }: Pages) => [
  page({
    url: '/console/operator',
    operation: 'consoleOverview',
    summary: 'Show how the service is doing',
    ...ofOperators,
    async draw(visit) {
      const { db, now } = visit
      const [told, worst, hour, processes, parked, keys, done] = await Promise.all([
        readFigures(db, now),
        worstWebhooks(db, now as Instant, SHOWN),
        requestsOfHour(db, now as Instant),
        processesOf(db),
        listParked(db, { limit: SHOWN }),
        listKeys(db),
        listDeeds(db),
      ])
      const age = (since: string | null) => (since === null ? 0 : Math.max(0, Date.parse(now) - Date.parse(since)))
      return {
        title: 'Overview',
        content: html`${heading('Overview', { sub: processWords(processes) })}
${facts(
  [
    ['Accounts', counted(told.accounts)],
    ['Requests, last hour', hour.requests.toLocaleString('en-US'), quickness(hour)],
    [
      'Oldest due work',
      told.oldest === null ? 'nothing is due' : span(age(told.oldest)),
      told.due > 0 ? `${counted(told.due)} due` : undefined,
    ],
    [
      'Parked jobs',
      told.parked === 0 ? 'none' : html`<span class="warn">${counted(told.parked)}</span>`,
      'failed for good',
    ],
    [
      'Waiting for a decision',
      counted(told.decisions),
      told.waiting_since === null ? undefined : html`oldest ${visit.times.away(told.waiting_since)}`,
    ],
    [
      'Deliveries waiting',
      counted(told.pending),
      told.disabled > 0 ? `${counted(told.disabled)} webhooks disabled` : undefined,
    ],
  ],
  'figures',
)}
<div class="two"><div class="column">${await dayOfDeliveries(visit, told.pending)}
<section class="sheet flush"><header class="sheet-head"><h2>Waiting for a decision</h2><div class="aside">${more('All, oldest first', '/console/operator/decisions')}</div></header>${await decisionRows(visit, SHOWN)}</section>
<section class="sheet flush"><header class="sheet-head"><h2>Webhooks that wait most</h2><div class="aside">${more('Deliveries', '/console/operator/deliveries')}</div></header>${laggardRows(worst, visit)}</section>
${await dayOfAll(visit)}</div>
<aside><section class="sheet flush"><header class="sheet-head"><h2>Parked jobs</h2><div class="aside">${more(html`All${heard('parked jobs')}`, '/console/operator/jobs')}</div></header>${
          parked.length === 0
            ? nothing('No job is parked', 'Jobs that failed for good stand here.')
            : jobRows(parked, visit)
        }</section>
<section class="sheet flush"><header class="sheet-head"><h2>Signing keys</h2><div class="aside">${more(html`All${heard('signing keys')}`, '/console/operator/keys')}</div></header>${keyRows(keys.slice(0, 3), visit, false)}</section>
${sheet('Done by people', done.length === 0 ? html`<p class="soft">Nobody changed anything yet.</p>` : await doings(done.slice(0, SHOWN), visit), { aside: more('The audit log', '/console/operator/audit') })}</aside></div>`,
      }
    },
  }),
]
