import { sql } from '../../database/sql.ts'
import { type Content, type Html, html } from '../../http/html.ts'
import type { SearchInput } from '../../invoices/search/criteria.ts'
import { addDays, dayIn, type Instant } from '../../kernel/clock.ts'
import { type Static, Type } from '../../kernel/type.ts'
import type { Invoice } from '../forms/invoice-forms.ts'
import { heading, linkButton, nothing, pager, tabs } from '../parts/parts.ts'
import type { Pages, Visit } from '../visit.ts'
import { money, standing } from '../words.ts'

type Status = NonNullable<SearchInput['status']>[number]

interface View {
  readonly label: string
  readonly statuses?: readonly Status[]
  readonly overdue?: boolean
  readonly none: readonly [title: string, text: string]
}

const outstanding: readonly Status[] = ['SENT', 'PARTIALLY_PAID', 'PAYMENT_PENDING']

/** Lists by how invoices stand; each is a search that the API can do. */
export const views: Readonly<Record<string, View>> = {
  all: { label: 'All', none: ['No invoice yet', 'Write one here, or create one through the API.'] },
  drafts: { label: 'Drafts', statuses: ['DRAFT'], none: ['No drafts', 'Invoices stand here until they are sent.'] },
  scheduled: {
    label: 'Scheduled',
    statuses: ['SCHEDULED'],
    none: ['Nothing is scheduled', 'Invoices with an issue date to come wait here.'],
  },
  outstanding: {
    label: 'Outstanding',
    statuses: outstanding,
    none: ['Nothing is outstanding', 'Invoices stand here from being sent until they are paid.'],
  },
  overdue: {
    label: 'Overdue',
    statuses: outstanding,
    overdue: true,
    none: ['Nobody is late', 'Invoices stand here from the day after their due date until they are paid.'],
  },
  paid: {
    label: 'Paid',
    statuses: ['PAID', 'MARKED_AS_PAID'],
    none: ['Nothing was paid yet', 'What is paid in full stands here.'],
  },
  refunded: {
    label: 'Refunded',
    statuses: ['PARTIALLY_REFUNDED', 'REFUNDED', 'MARKED_AS_REFUNDED'],
    none: ['Nothing was refunded', 'What went back, in part or in full, stands here.'],
  },
  cancelled: {
    label: 'Cancelled',
    statuses: ['CANCELLED'],
    none: ['Nothing was cancelled', 'Withdrawn invoices stand here.'],
  },
}

/** What nobody owes anything on any more. */
const settled = ['PAID', 'MARKED_AS_PAID', 'PARTIALLY_REFUNDED', 'REFUNDED', 'MARKED_AS_REFUNDED']

const PAGE_SIZE = 25
const PAGES_MAX = 40
const FIRST_DAY = '2000-01-01'

export const Query = Type.Object({
  view: Type.Optional(Type.Enum(Object.keys(views))),
  q: Type.Optional(Type.String({ maxLength: 254 })),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGES_MAX })),
})
type Shown = { items: Invoice[]; links: { rel: string }[] }

/** What a search field can mean, and which field of the search it is. */
function criteria(q: string): object {
  if (q.includes('@')) return { recipient_email: q }
  if (/^[A-Za-z]{0,6}[-#]?\d[\w-]*$/.test(q)) return { invoice_number: q.slice(0, 25) }
  return { recipient_business_name: q }
}

/** What a list is asked for; each is an address. */
export type ListQuery = Static<typeof Query>

type Asked = Pick<Visit, 'now' | 'who'> & { readonly query: ListQuery }

/** A list as the search of the API is asked for it. */
export function searchOf({ query, now, who }: Asked): SearchInput {
  const { statuses, overdue } = views[query.view ?? 'all']!
  const yesterday = addDays(dayIn(now as Instant, who.accountZone), -1)
  return {
    ...(statuses && { status: [...statuses] }),
    ...(overdue && { due_date_range: { start: FIRST_DAY, end: yesterday } }),
    ...(query.q?.trim() && criteria(query.q.trim())),
  }
}

export const search = (
  visit: Asked & Pick<Visit, 'look'>,
  { page, size }: { page: number; size: number },
): Promise<Shown> => visit.look<Shown>('searchInvoices', { query: { page, page_size: size }, body: searchOf(visit) })

export const customerOf = ({ primary_recipients: [first] = [] }: Pick<Invoice, 'primary_recipients'>): string => {
  const { business_name, name, email_address } = first?.billing_info ?? {}
  const person = [name?.given_name, name?.surname].filter(Boolean).join(' ')
  return business_name || name?.full_name || person || email_address || 'Nobody yet'
}

function row(invoice: Invoice, today: string, { times }: Visit): Html {
  const { id, status = 'DRAFT', detail, amount, due_amount } = invoice
  const due = detail?.payment_term?.due_date
  const late = due !== undefined && outstanding.some((one) => one === status) && due < today
  const days = late ? Math.floor((Date.parse(today) - Date.parse(due)) / 86_400_000) : 0
  const left = due_amount && Number(due_amount.value) > 0 && status !== 'DRAFT' && status !== 'CANCELLED'
  return html`<tr><td><a class="open" href="/console/invoices/${id}">${detail?.invoice_number}</a></td><td class="second"><span class="cut" title="${customerOf(invoice)}">${customerOf(invoice)}</span>${
    detail?.reference && html`<small class="cut">${detail.reference}</small>`
  }</td><td class="second">${standing(status)}</td><td class="nowrap soft gone mid-gone">${detail?.invoice_date && times.date(detail.invoice_date)}</td><td class="nowrap gone">${
    late
      ? html`<b class="warn">${days} ${days === 1 ? 'day' : 'days'} late</b><small>${times.date(due)}</small>`
      : due && times.date(due)
  }</td><td class="num right">${amount && money({ currency_code: amount.currency_code ?? '', value: amount.value ?? '0' })}</td><td class="num gone mid-gone">${left ? html`<b>${money(due_amount)}</b>` : settled.includes(status) && html`<span class="soft wide-only">nothing</span>`}</td></tr>`
}

export const addressOf = (view: string, q: string | undefined, page = 1) => {
  const query = new URLSearchParams({
    ...(view !== 'all' && { view }),
    ...(q && { q }),
    ...(page > 1 && { page: String(page) }),
  })
  return `/console/invoices${query.size > 0 ? `?${query}` : ''}`
}

/** Whoever sells has invoices; a buyer reads theirs on the page that the mail leads to. */
export const sells = ({ who }: Pick<Visit, 'who'>) => who.caller.scopes.has('invoicing/invoices/read')

export const cannotSell = (visit: Pick<Visit, 'who'>): Content =>
  html`<section class="sheet flush">${nothing(`A ${visit.who.name.toLowerCase()} writes no invoices`, 'Look as a merchant to see some, or open the customer’s page of one from its mail.')}</section>`

const COUNTED_MAX = 100

/** Each by the index of standings, and no further than a tab shows. */
const countsOf = sql`
  select wanted.status, (select count(*)::int from (
      select from invoices i where i.account_id = $1 and i.status = wanted.status limit $3) counted) as count
  from unnest($2::text[]) as wanted (status)`

/** How many stand in the views whose number asks for something to be done. */
async function counted({ db, who }: Visit): Promise<ReadonlyMap<string, string>> {
  const shown = ['drafts', 'scheduled', 'outstanding'].map((name) => [name, views[name]!.statuses ?? []] as const)
  const rows = await db.rows<{ status: Status; count: number }>(countsOf, [
    ...[who.caller.accountId, shown.flatMap(([, statuses]) => statuses), COUNTED_MAX],
  ])
  const sumOf = (statuses: readonly Status[]) =>
    rows.reduce((sum, { status, count }) => (statuses.includes(status) ? sum + count : sum), 0)
  return new Map(
    shown.flatMap(([name, statuses]) => {
      const sum = sumOf(statuses)
      return sum === 0 ? [] : [[name, sum >= COUNTED_MAX ? `${COUNTED_MAX - 1}+` : String(sum)] as const]
    }),
  )
}

export const invoiceListPages = ({ page }: Pages) => [
  page({
    url: '/console/invoices',
    operation: 'consoleInvoices',
    summary: 'List invoices',
    may: 'see',
    query: Query,
    async draw(visit) {
      const title = 'Invoices'
      if (!sells(visit)) return { title, content: html`${heading(title)}${cannotSell(visit)}` }
      const { query } = visit
      const today = dayIn(visit.now as Instant, visit.who.accountZone)
      const chosen = query.view ?? 'all'
      const at = query.page ?? 1
      const { items, links } = await search(visit, { page: at, size: PAGE_SIZE })
      const counts = query.q ? undefined : await counted(visit as Visit)
      const more = links.some(({ rel }) => rel === 'next') && at < PAGES_MAX
      const [none, text] = query.q
        ? ['Nothing by that name', 'Search by number, customer or e-mail address.']
        : views[chosen]!.none
      return {
        title,
        content: html`${heading(title, { actions: html`${linkButton('Templates', '/console/templates')}${visit.who.may('work') && linkButton('New invoice', '/console/invoices/new', { kind: '', glyph: 'plus' })}` })}
<section class="sheet flush">
${tabs(
  'Standing',
  Object.entries(views).map(([name, { label }]) => ({
    label,
    href: addressOf(name, query.q),
    here: name === chosen,
    count: counts?.get(name),
  })),
)}
<form class="sieve inside" role="search" aria-label="Search invoices" action="/console/invoices">${chosen !== 'all' && html`<input type="hidden" name="view" value="${chosen}">`}<input class="boxed" type="search" name="q" maxlength="254" value="${query.q}" aria-label="Number, customer or e-mail address" placeholder="Number, customer or e-mail address"><button class="button quiet small">Search</button>${items.length > 0 && html`<a class="all-that-match" href="${addressOf(chosen, query.q).replace('/console/invoices', '/console/invoices/all')}">All that match</a>`}</form>
${
  items.length === 0
    ? nothing(none, text)
    : html`<table class="rows"><thead><tr><th>Number</th><th>Customer</th><th>Standing</th><th class="mid-gone">Issued</th><th>Due</th><th class="num">Total</th><th class="num mid-gone">Left to pay</th></tr></thead><tbody>${items.map((one) => row(one, today, visit as Visit))}</tbody></table>
${pager('Newest first', { newer: at > 1 ? addressOf(chosen, query.q, at - 1) : undefined, older: more ? addressOf(chosen, query.q, at + 1) : undefined })}`
}</section>`,
      }
    },
  }),
]
