import { listUnderReview, type ReviewFilter } from '../../disputes/lists/review.ts'
import { type Html, html } from '../../http/html.ts'
import { after, type Instant } from '../../kernel/clock.ts'
import { Type } from '../../kernel/type.ts'
import type { Dispute } from '../forms/dispute-fields.ts'
import { takenOf } from '../pages/disputes/desk.ts'
import { heading, nothing, pager, stageOf, tabs } from '../parts/parts.ts'
import type { Pages, Visit } from '../visit.ts'
import { money, reasonWords } from '../words.ts'

const PAGE_SIZE = 25
const DAY_SECONDS = 86_400

const stages = {
  INQUIRY: 'Inquiries',
  CHARGEBACK: 'Claims',
  PRE_ARBITRATION: 'First appeals',
  ARBITRATION: 'Second appeals',
}

const Query = Type.Object({
  stage: Type.Optional(Type.Enum(Object.keys(stages))),
  /** Only what has waited for at least this many days. */
  days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365 })),
  after: Type.Optional(
    Type.String({ maxLength: 300, pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z~[A-Za-z0-9-]+$' }),
  ),
})

async function read(visit: Visit, limit: number, filter: ReviewFilter) {
  const found = await listUnderReview(visit.db, limit + 1, filter)
  const page = found.slice(0, limit)
  const items = await Promise.all(page.map(({ id }) => visit.look<Dispute>('showDispute', { params: { id } })))
  const taken = await takenOf(
    visit.db,
    '',
    page.map(({ id }) => id),
  )
  return { items, taken, last: found.length > limit ? page.at(-1) : undefined }
}

function table({ items, taken }: Awaited<ReturnType<typeof read>>, { times }: Visit): Html {
  if (items.length === 0)
    return nothing('Nothing waits for a decision', 'Disputes that an agent decides stand here, the oldest first.')
  return html`<table class="rows"><thead><tr><th>Dispute</th><th class="gone">Stage</th><th>Waits since</th><th class="num">At stake</th></tr></thead><tbody>${items.map(
    (one) => {
      const [payment] = one.disputed_transactions
      const parties = [payment?.buyer?.name, payment?.seller?.name].filter(Boolean).join(' against ')
      const by = taken.get(one.dispute_id)
      return html`<tr><td class="second fill"><a class="open" href="/console/disputes/${one.dispute_id}">${reasonWords(one.reason)}</a><small>${[parties, one.dispute_id, by && `taken by ${by}`].filter(Boolean).join(' · ')}</small></td><td class="gone">${stageOf(one.dispute_life_cycle_stage)}</td><td class="nowrap soft">${times.away(one.update_time)}</td><td class="num right"><b>${money(one.dispute_amount)}</b></td></tr>`
    },
  )}</tbody></table>`
}

/** The first of what waits for a decision. */
export const decisionRows = async (visit: Visit, limit: number): Promise<Html> =>
  table(await read(visit, limit, {}), visit)

const addressOf = (query: Readonly<Record<string, string | number | undefined>>) => {
  const given = Object.entries(query).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as [string, string]],
  )
  return `/console/operator/decisions${given.length > 0 ? `?${new URLSearchParams(given)}` : ''}`
}

export const decisionPages = ({ page }: Pages) => [
  page({
    url: '/console/operator/decisions',
    operation: 'consoleDecisions',
    summary: 'List what waits for a decision, the oldest first',
    may: 'review',
    liveOnly: true,
    query: Query,
    async draw(visit) {
      const { stage, days, after: place } = visit.query
      const [update_time, id] = place?.split('~') ?? []
      const found = await read(visit as Visit, PAGE_SIZE, {
        stage,
        until: days === undefined ? undefined : after(visit.now as Instant, -days * DAY_SECONDS),
        after: update_time !== undefined && id !== undefined ? { update_time, id } : undefined,
      })
      return {
        title: 'Decisions',
        content: html`${heading('Decisions', { sub: 'What waits for a decision, of all accounts, the oldest first.' })}
<section class="sheet flush">${tabs('Stage', [
          { label: 'All', href: addressOf({ days }), here: stage === undefined },
          ...Object.entries(stages).map(([name, label]) => ({
            label,
            href: addressOf({ stage: name, days }),
            here: stage === name,
          })),
        ])}
<nav class="sieve inside" aria-label="Age">${[undefined, 1, 3, 7].map(
          (one) =>
            html`<a class="chip" href="${addressOf({ stage, days: one })}"${one === days && html` aria-current="true"`}>${one === undefined ? 'Any age' : one === 1 ? 'Older than a day' : `Older than ${one} days`}</a>`,
        )}</nav>${table(found, visit as Visit)}${pager('Oldest first', { newer: place ? addressOf({ stage, days }) : undefined, older: found.last ? addressOf({ stage, days, after: `${found.last.update_time}~${found.last.id}` }) : undefined })}</section>`,
      }
    },
  }),
]
