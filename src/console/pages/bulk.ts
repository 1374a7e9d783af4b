import { html } from '../../http/html.ts'
import { Answer } from '../../http/route.ts'
import type { Invoice } from '../forms/invoice-forms.ts'
import { heading, linkButton, sheet } from '../parts/parts.ts'
import type { Pages, Sent, Visit } from '../visit.ts'
import { addressOf, customerOf, type ListQuery, Query, search, views } from './invoices.ts'

/** Counted and acted on no further than this at once. */
const MATCHES_MAX = 1_000
const READ_AT_ONCE = 100

type Listed = Pick<Visit, 'look' | 'now' | 'who'> & { readonly query: ListQuery }

/** All that match a filter, the newest first, up to what is acted on at once. */
async function matching(visit: Listed): Promise<{ items: Invoice[]; more: boolean }> {
  const items: Invoice[] = []
  for (let page = 1; ; page++) {
    const { items: read, links } = await search(visit, { page, size: READ_AT_ONCE })
    items.push(...read)
    const more = links.some(({ rel }) => rel === 'next')
    if (!more || items.length >= MATCHES_MAX) return { items: items.slice(0, MATCHES_MAX), more }
  }
}

const remindable = ({ links = [] }: Invoice) => links.some(({ rel }) => rel === 'remind')

const many = (count: number, more: boolean) =>
  more ? `More than ${MATCHES_MAX} invoices match` : count === 1 ? 'One invoice matches' : `${count} invoices match`

const columns: readonly (readonly [name: string, of: (invoice: Invoice) => string | undefined])[] = [
  ['id', ({ id }) => id],
  ['number', ({ detail }) => detail?.invoice_number],
  ['customer', customerOf],
  ['email', ({ primary_recipients: [first] = [] }) => first?.billing_info?.email_address],
  ['standing', ({ status }) => status],
  ['issued', ({ detail }) => detail?.invoice_date],
  ['due', ({ detail }) => detail?.payment_term?.due_date],
  ['currency', ({ amount }) => amount?.currency_code],
  ['total', ({ amount }) => amount?.value],
  ['left_to_pay', ({ due_amount }) => due_amount?.value],
  ['reference', ({ detail }) => detail?.reference],
]

/** A cell that no spreadsheet takes for a formula. */
const cell = (value = ''): string => {
  const text = /^[=+\-@\t\r]/.test(value) && !/^-?\d+(\.\d+)?$/.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

const csv = (items: readonly Invoice[]): string =>
  [columns.map(([name]) => name), ...items.map((one) => columns.map(([, of]) => cell(of(one))))]
    .map((cells) => `${cells.join(',')}\r\n`)
    .join('')

const queryOf = ({ view, q }: { view?: string | undefined; q?: string | undefined }): ListQuery => ({
  ...(view !== undefined && view in views && { view }),
  ...(q !== undefined && q !== '' && { q: q.slice(0, 254) }),
})

export const bulkPages = ({ page, form }: Pages) => [
  page({
    url: '/console/invoices/all',
    operation: 'consoleAllThatMatch',
    summary: 'Say how many invoices match a filter, and what can be done with all of them',
    may: 'see',
    query: Query,
    async draw(visit) {
      const { query } = visit
      const { items, more } = await matching(visit)
      const open = items.filter(remindable).length
      const { view = 'all', q } = query
      const back = addressOf(view, q)
      const hidden = html`<input type="hidden" name="view" value="${view}">${q && html`<input type="hidden" name="q" value="${q}">`}<input type="hidden" name="count" value="${open}">`
      return {
        title: 'All that match',
        content: html`${heading(many(items.length, more), { back: ['Invoices', back], sub: `${views[view]!.label}${q ? `, “${q}”` : ''}` })}
${more && html`<section class="sheet"><p>The newest ${MATCHES_MAX} of them are taken; a narrower filter reaches the others.</p></section>`}
<div class="two even">${
          visit.who.may('work') &&
          sheet(
            'Send reminders',
            open === 0
              ? html`<p class="soft">None of them can be reminded: only what was sent and is not paid can.</p>`
              : html`<form class="stack" method="post" action="/console/invoices/remind-all">${hidden}<p>${open === 1 ? 'One of them' : `${open} of them`} can be reminded, by mail, in the usual words. An invoice is reminded twice a day at most; those that were are left out.</p><div class="buttons"><button class="button">Remind ${open === 1 ? 'the customer' : `${open} customers`}</button></div></form>`,
          )
        }${sheet(
          'Download',
          html`<p>${items.length === 1 ? 'One row' : `${items.length} rows`}, with number, customer, standing, dates and amounts.</p><p class="below">${linkButton('Download as CSV', back.replace('/console/invoices', '/console/invoices/csv'))}</p>`,
        )}</div>`,
      }
    },
  }),
  page({
    url: '/console/invoices/csv',
    operation: 'consoleInvoicesCsv',
    summary: 'Download the invoices that match a filter',
    may: 'see',
    query: Query,
    async draw(visit) {
      const { items } = await matching(visit)
      return new Answer(200, csv(items), {
        'content-type': 'text/csv; charset=utf-8',
        'content-disposition': `attachment; filename="invoices-${visit.now.slice(0, 10)}.csv"`,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      })
    },
  }),
  form({
    url: '/console/invoices/remind-all',
    operation: 'consoleRemindAll',
    summary: 'Remind the customers of all invoices that match a filter',
    may: 'work',
    take: remindAll,
  }),
]

async function remindAll(sent: Sent): Promise<Answer> {
  const query = queryOf(sent.typed)
  const { items } = await matching({ ...sent, query })
  let reminded = 0
  const refused = new Map<string, number>()
  for (const { id = '' } of items.filter(remindable)) {
    const { refusal } = await sent.operate('remindInvoice', { params: { invoice_id: id }, body: {} })
    const why = refusal?.details?.[0]?.description ?? refusal?.message
    if (why === undefined) reminded++
    else refused.set(why, (refused.get(why) ?? 0) + 1)
  }
  const rest = [...refused].map(([why, count]) => `${count} not: ${why}`).join(' ')
  return sent.lead(
    addressOf(query.view ?? 'all', query.q),
    `${reminded === 1 ? 'One reminder was' : `${reminded} reminders were`} sent. ${rest}`.trim(),
  )
}
