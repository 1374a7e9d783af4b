import { sql } from '../../../database/sql.ts'
import { type Content, type Html, html } from '../../../http/html.ts'
import { dayIn, type Instant } from '../../../kernel/clock.ts'
import type { Invoice } from '../../forms/invoice-forms.ts'
import { icon } from '../../parts/icons.ts'
import { heading, linkButton, nothing, pager, tabs } from '../../parts/parts.ts'
import type { Pages, Visit } from '../../visit.ts'
import { money, oneOf, standing } from '../../words.ts'
import { outstanding, readInvoiceFigures } from './figures.ts'
import {
  addressOf,
  isFiltered,
  type ListQuery,
  PAGES_MAX,
  places,
  Query,
  type SearchPlace,
  searchAnywhere,
  views,
} from './views.ts'

/** The statuses in which nobody owes anything any more. */
const settled = ['PAID', 'MARKED_AS_PAID', 'PARTIALLY_REFUNDED', 'REFUNDED', 'MARKED_AS_REFUNDED']

const PAGE_SIZE = 25
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

/** Whoever sells has invoices; a buyer reads theirs on the page that the mail leads to. */
export const sells = ({ who }: Pick<Visit, 'who'>) => who.caller.scopes.has('invoicing/invoices/read')

export const cannotSell = (visit: Pick<Visit, 'who'>): Content =>
  html`<section class="sheet flush">${nothing(`${oneOf(visit.who.name)} writes no invoices`, 'Look as a merchant to see some, or open the customer’s page of one from its mail.')}</section>`

/** The currencies in which the account has invoices, found by steps from one to the next, and the account's own currency. */
const currenciesOf = sql`
  with recursive used (code) as (
    (select currency_code from invoices where account_id = $1 order by currency_code limit 1)
    union all
    select (select currency_code from invoices where account_id = $1 and currency_code > used.code
      order by currency_code limit 1) from used where used.code is not null)
  select (select body->>'currency_code' from accounts where id = $1) as own,
    array(select code from used where code is not null) as used`

/** What a list can be narrowed by, besides how invoices stand. The address keeps it. */
async function filterFields(query: ListQuery, { db, who }: Visit): Promise<Html> {
  const found = await db.row<{ own: string | null; used: string[] }>(currenciesOf, [who.caller.accountId])
  const currencies = [...new Set([...(query.currency ? [query.currency] : []), ...(found?.used ?? [])])].sort()
  const date = (name: 'from' | 'to', label: string) =>
    html`<div><label for="filter-${name}">${label}</label><input class="boxed" type="date" id="filter-${name}" name="${name}" value="${query[name]}"></div>`
  const sum = (name: 'least' | 'most', label: string) =>
    html`<div><label for="filter-${name}">${label}</label><input class="boxed" id="filter-${name}" name="${name}" value="${query[name]}" inputmode="decimal" maxlength="16" pattern="[0-9]{1,12}([.][0-9]{1,3})?" title="An amount such as 49.50"></div>`
  return html`<details class="folded filters"${isFiltered(query) && html` open`}><summary>${icon('right')}<span>Filters</span></summary><div class="fields">${date('from', 'Issued from')}${date('to', 'Issued to')}<div><label for="filter-currency">Currency</label><select class="boxed" id="filter-currency" name="currency"><option value="">Any</option>${currencies.map(
    (code) => html`<option value="${code}"${code === query.currency && html` selected`}>${code}</option>`,
  )}</select></div>${sum('least', 'Total from')}${sum('most', 'Total to')}<p class="buttons"><button class="button quiet small">Apply</button>${isFiltered(query) && html`<a href="${addressOf({ ...(query.view && { view: query.view }), ...(query.q && { q: query.q }) })}">Clear</a>`}</p></div></details>`
}

/** A total is looked for in one currency. When none was chosen, it is that of the account, or else one of its invoices. */
async function withCurrency(query: ListQuery, { db, who }: Visit): Promise<ListQuery> {
  if (query.currency || !(query.least || query.most)) return query
  const found = await db.row<{ own: string | null; used: string[] }>(currenciesOf, [who.caller.accountId])
  const currency = found?.own ?? found?.used[0]
  return currency ? { ...query, currency } : query
}

export const invoiceListPages = ({ page }: Pages) => [
  page({
    url: '/console/invoices',
    operation: 'consoleInvoices',
    summary: 'List invoices',
    may: 'see',
    query: Query,
    async draw(asked) {
      const visit = asked as Visit
      const title = 'Invoices'
      if (!sells(visit)) return { title, content: html`${heading(title)}${cannotSell(visit)}` }
      const given = await withCurrency(asked.query, visit)
      const today = dayIn(visit.now as Instant, visit.who.accountZone)
      const chosen = given.view ?? 'all'
      const at = given.page ?? 1
      const { items, links, query } = await searchAnywhere({ ...visit, query: given }, { page: at, size: PAGE_SIZE })
      const isNarrowed = Boolean(query.q) || isFiltered(query)
      const told = isNarrowed ? undefined : await readInvoiceFigures(visit)
      const more = links.some(({ rel }) => rel === 'next') && at < PAGES_MAX
      const [none, text] = isNarrowed
        ? ['Nothing like that', 'Search by number, customer, e-mail address, reference or item, or take filters away.']
        : views[chosen]!.none
      const order = query.in ? `Newest first, found by ${places[query.in as SearchPlace]}` : 'Newest first'
      return {
        title,
        content: html`${heading(title, { actions: html`${linkButton('Templates', '/console/templates')}${visit.who.may('work') && linkButton('New invoice', '/console/invoices/new', { kind: '', glyph: 'plus' })}` })}
${at === 1 && told?.figures}<section class="sheet flush">
${tabs(
  'Standing',
  Object.entries(views).map(([name, { label }]) => ({
    label,
    href: addressOf({ ...given, view: name, page: 1 }),
    here: name === chosen,
    count: told?.counts.get(name),
  })),
)}
<form class="sieve inside" role="search" aria-label="Search invoices" action="/console/invoices">${chosen !== 'all' && html`<input type="hidden" name="view" value="${chosen}">`}<input class="boxed" type="search" name="q" maxlength="254" value="${query.q}" aria-label="Number, customer, e-mail address or reference" placeholder="Number, customer, e-mail address or reference"><button class="button quiet small">Search</button>${items.length > 0 && html`<a class="all-that-match" href="${addressOf({ ...query, page: 1 }, '/console/invoices/all')}">All that match</a>`}${await filterFields(given, visit)}</form>
${
  items.length === 0
    ? nothing(none, text)
    : html`<table class="rows"><thead><tr><th>Number</th><th>Customer</th><th>Standing</th><th class="mid-gone">Issued</th><th class="gone">Due</th><th class="num">Total</th><th class="num mid-gone">Left to pay</th></tr></thead><tbody>${items.map((one) => row(one, today, visit))}</tbody></table>
${pager(order, { newer: at > 1 ? addressOf({ ...query, page: at - 1 }) : undefined, older: more ? addressOf({ ...query, page: at + 1 }) : undefined })}`
}</section>`,
      }
    },
  }),
]
