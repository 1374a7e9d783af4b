import { readScopes, sightOf } from '../../../disputes/access.ts'
import { countStates } from '../../../disputes/lists/counts.ts'
import { listUnderReview } from '../../../disputes/lists/review.ts'
import { type Content, html } from '../../../http/html.ts'
import { notFound } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import { type Column, csvAnswer } from '../../csv.ts'
import type { Dispute } from '../../forms/dispute-fields.ts'
import { COUNTED_MAX, countShown } from '../../parts/counts.ts'
import { heading, linkButton, nothing, pager, tabs } from '../../parts/parts.ts'
import type { Pages, Visit } from '../../visit.ts'
import { dueOf } from './due.ts'
import { disputeRows } from './rows.ts'
import { groupSums, opened, stakes, type Waiting, waitingOf } from './stakes.ts'

interface View {
  readonly label: string
  readonly states?: string
  readonly none: readonly [title: string, text: string]
}

/** Lists by what is expected of whom, as the API tells it. */
const views: Readonly<Record<string, View>> = {
  desk: {
    label: 'Desk',
    states: 'REQUIRED_ACTION',
    none: ['Nothing waits for you', 'Disputes that you are to answer stand here, the soonest first.'],
  },
  waiting: {
    label: 'Waiting for the other side',
    states: 'REQUIRED_OTHER_PARTY_ACTION,OPEN_INQUIRIES',
    none: ['Nobody else is waited for', 'Disputes that the other side is to answer stand here.'],
  },
  review: {
    label: 'Under review',
    states: 'UNDER_REVIEW',
    none: ['Nothing is under review', 'What an agent decides stands here.'],
  },
  appealable: {
    label: 'May be appealed',
    states: 'APPEALABLE',
    none: ['Nothing can be appealed', 'Decisions stand here until their time to appeal is over.'],
  },
  resolved: { label: 'Resolved', states: 'RESOLVED', none: ['Nothing is resolved yet', 'What is over stands here.'] },
  all: { label: 'All', none: ['No dispute yet', 'Look as the buyer to open one, or open one through the API.'] },
}

const PAGE_SIZE = 25
const PAGES_MAX = 40
const PLACE_BETWEEN = '~'
const Query = Type.Object({
  view: Type.Optional(Type.Enum(Object.keys(views))),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGES_MAX })),
  /** Where the list of an agent continues. */
  after: Type.Optional(
    Type.String({ maxLength: 300, pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z~[A-Za-z0-9-]+$' }),
  ),
})

const addressOf = (view: string, page = 1) => {
  const query = new URLSearchParams({ ...(view !== 'desk' && { view }), ...(page > 1 && { page: String(page) }) })
  return `/console/disputes${query.size > 0 ? `?${query}` : ''}`
}

/** What a view adds up to, for views where that helps. */
async function overview(view: string, visit: Visit, waiting: readonly Waiting[]): Promise<Content> {
  if (view === 'desk') return stakes(visit, waiting)
  return view === 'all' || view === 'resolved' ? opened(visit) : undefined
}

/** Views whose number asks for something, or tells what is still to come. */
const countedViews = ['desk', 'waiting', 'review', 'appealable']

async function counted({ db, who }: Visit): Promise<ReadonlyMap<string, string | undefined>> {
  const statesOf = (name: string) => views[name]!.states!.split(',')
  const sight = await sightOf(db, who.caller, readScopes)
  const counts = await countStates(db, sight, countedViews.flatMap(statesOf), COUNTED_MAX)
  return new Map(
    countedViews.map((name) => [
      name,
      countShown(statesOf(name).reduce((sum, one) => sum + (counts.get(one) ?? 0), 0)),
    ]),
  )
}

type Shown = { items: Dispute[]; links: { rel: string; href: string }[] }

/** What waits for a decision, of all accounts and page by page. An agent has no side, and sees only this. */
async function decisions(visit: Visit, place: string | undefined) {
  const [update_time, after] = place?.split(PLACE_BETWEEN) ?? []
  const found = await listUnderReview(visit.db, PAGE_SIZE + 1, {
    after: update_time !== undefined && after !== undefined ? { update_time, id: after } : undefined,
  })
  const shown = found.slice(0, PAGE_SIZE)
  const last = found.length > PAGE_SIZE ? shown.at(-1) : undefined
  const items = await Promise.all(shown.map(({ id }) => visit.look<Dispute>('showDispute', { params: { id } })))
  const older =
    last && `/console/disputes?${new URLSearchParams({ after: `${last.update_time}${PLACE_BETWEEN}${last.id}` })}`
  return html`<section class="sheet flush">${
    items.length === 0
      ? nothing('Nothing waits for a decision', 'Disputes that an agent decides stand here, the oldest first.')
      : html`${await disputeRows(items, visit, { byDue: false, isPart: false })}${pager('Oldest first', { newer: place ? '/console/disputes' : undefined, older })}`
  }</section>`
}

const columns: readonly Column<Dispute>[] = [
  ['id', (one) => one.dispute_id],
  ['opened', (one) => one.create_time],
  ['changed', (one) => one.update_time],
  ['reason', (one) => one.reason],
  ['status', (one) => one.status],
  ['stage', (one) => one.dispute_life_cycle_stage],
  ['state', (one) => one.dispute_state],
  ['due', dueOf],
  ['currency', (one) => one.dispute_amount.currency_code],
  ['amount', (one) => one.dispute_amount.value],
  ['outcome', (one) => one.dispute_outcome?.outcome_code],
  ['buyer', ({ disputed_transactions: [payment] = [] }) => payment?.buyer?.name],
  ['payment', ({ disputed_transactions: [payment] = [] }) => payment?.seller_transaction_id],
]

const EXPORTED_AT_ONCE = 50

/** Everything in a view, read by the keys of the list, so that a late page costs no more than the first. */
async function* allOf({ look }: Pick<Visit, 'look'>, states: string | undefined): AsyncGenerator<readonly Dispute[]> {
  for (let next: string | null | undefined; ; ) {
    const { items, links }: Shown = await look<Shown>('listDisputes', {
      query: {
        page_size: String(EXPORTED_AT_ONCE),
        // The summary of a dispute has neither the buyer nor how it ended.
        fields: 'all',
        ...(states && { dispute_state: states }),
        ...(next && { next_page_token: next }),
      },
    })
    yield items
    const href = links.find(({ rel }) => rel === 'next')?.href
    next = href && new URL(href).searchParams.get('next_page_token')
    if (!next) return
  }
}

export const disputeListPages = ({ page }: Pages) => [
  page({
    url: '/console/disputes',
    operation: 'consoleDisputes',
    summary: 'List disputes',
    may: ['see', 'review'],
    query: Query,
    async draw(visit) {
      const title = 'Disputes'
      const { query, who } = visit
      if (who.mark === 'agent')
        return {
          title,
          content: html`${heading(title, { sub: 'What waits for a decision, of all accounts.' })}${await decisions(visit as Visit, query.after)}`,
        }
      const chosen = query.view ?? 'desk'
      const { states, none } = views[chosen]!
      const at = query.page ?? 1
      const byDue = chosen === 'desk' || chosen === 'waiting'
      const { items, links } = await visit.look<Shown>('listDisputes', {
        query: {
          page: at,
          page_size: String(PAGE_SIZE),
          // Summaries tell neither who is on the other side nor what can be done.
          fields: 'all',
          ...(states && { dispute_state: states }),
          ...(byDue && { sort_by: 'RESPONSE_DUE_DATE', sort_order: 'asc' }),
        },
      })
      const more = links.some(({ rel }) => rel === 'next') && at < PAGES_MAX
      const counts = await counted(visit as Visit)
      const isSeller = who.mark !== 'buyer'
      const waiting = isSeller && chosen === 'desk' ? await waitingOf(visit as Visit) : []
      const above = isSeller && at === 1 ? await overview(chosen, visit as Visit, waiting) : undefined
      const sums = waiting.length > 0 ? groupSums(waiting, visit.now) : undefined
      return {
        title,
        content: html`${heading(title, { actions: html`${items.length > 0 && linkButton('Download as CSV', addressOf(chosen).replace('/console/disputes', '/console/disputes/csv'))}${who.caller.scopes.has('disputes/create') && linkButton('Open a dispute', '/console/disputes/new', { glyph: 'plus' })}` })}${above}
<section class="sheet flush">
${tabs(
  'View',
  Object.entries(views).map(([name, { label }]) => ({
    label,
    href: addressOf(name),
    here: name === chosen,
    count: counts.get(name),
  })),
)}
${
  items.length === 0
    ? nothing(...none)
    : html`${await disputeRows(items, visit as Visit, { byDue, sums, isPart: more || at > 1 })}${pager(byDue ? 'Soonest first' : 'Newest first', { newer: at > 1 ? addressOf(chosen, at - 1) : undefined, older: more ? addressOf(chosen, at + 1) : undefined })}`
}</section>`,
      }
    },
  }),
  page({
    url: '/console/disputes/csv',
    operation: 'consoleDisputesCsv',
    summary: 'Download the disputes of a view',
    may: 'see',
    query: Query,
    async draw(visit) {
      visit.limitAsking()
      if (visit.who.mark === 'agent') throw notFound('A side')
      const { states } = views[visit.query.view ?? 'desk']!
      return csvAnswer(`disputes-${visit.now.slice(0, 10)}`, columns, allOf(visit, states))
    },
  }),
]
