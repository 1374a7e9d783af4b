import { type Html, html } from '../../../http/html.ts'
import type { Answer } from '../../../http/route.ts'
import { fits } from '../../../http/validation/validator.ts'
import { criteriaOf } from '../../../invoices/search/criteria.ts'
import { walkInvoices } from '../../../invoices/search/find.ts'
import { notFound, refused as refusedProblem } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import { type Column, CSV_ROWS_MAX, csvAnswer } from '../../csv.ts'
import { newRequestId, type Typed } from '../../forms/fields.ts'
import type { Invoice } from '../../forms/invoice-forms.ts'
import { isSentAlready, onceOnly, wasDone } from '../../once.ts'
import { facts, heading, linkButton, nothing, sheet, spent } from '../../parts/parts.ts'
import type { Pages, Sent, Visit } from '../../visit.ts'
import { BULK_MAX, type Bulk, findBulk, giveUpBulk, listBulks, startReminding } from './bulk.ts'
import { customerOf, sells } from './list.ts'
import {
  addressOf,
  filters,
  type ListQuery,
  places,
  Query,
  type SearchPlace,
  search,
  searchOf,
  views,
} from './views.ts'

const READ_AT_ONCE = 100

type Listed = Pick<Visit, 'look' | 'now' | 'who'> & { readonly query: ListQuery }

/** All invoices that match a filter, the newest first, up to as many as are acted on at once; and whether there are more. */
async function matching(visit: Listed): Promise<{ items: Invoice[]; more: boolean }> {
  const items: Invoice[] = []
  for (let page = 1; page <= BULK_MAX / READ_AT_ONCE; page++) {
    const { items: some, links } = await search(visit, { page, size: READ_AT_ONCE })
    items.push(...some)
    if (!links.some(({ rel }) => rel === 'next')) return { items, more: false }
  }
  return { items, more: true }
}

const remindable = ({ links = [] }: Invoice) => links.some(({ rel }) => rel === 'remind')

const many = (count: number, more: boolean) =>
  more ? `More than ${BULK_MAX} invoices match` : count === 1 ? 'One invoice matches' : `${count} invoices match`

type Exported = Pick<Invoice, 'id' | 'status' | 'detail' | 'primary_recipients' | 'amount' | 'due_amount'>

const columns: readonly Column<Exported>[] = [
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

/** The filter that a form carries. A filter that is not valid must not come to mean all invoices. */
function queryOf(typed: Typed): ListQuery {
  const query = Object.fromEntries(names.flatMap((name) => (typed[name] ? [[name, typed[name]]] : [])))
  if (!fits(Query, query)) throw refusedProblem('NOTHING_TO_REMIND', 'Choose the invoices on their list again.')
  return query
}
const names = ['view', 'q', 'in', ...filters] as const

const words = ({ view = 'all', q, in: place, from, to, currency, least, most }: ListQuery) =>
  [
    views[view]!.label,
    q && `“${q}”${place ? ` by ${places[place as SearchPlace]}` : ''}`,
    from && `issued from ${from}`,
    to && `issued to ${to}`,
    currency,
    least && `total from ${least}`,
    most && `total to ${most}`,
  ]
    .filter(Boolean)
    .join(', ')

const BULKS = '/console/bulks'
const Id = Type.Object({ id: Type.String({ minLength: 36, maxLength: 36, pattern: '^[0-9a-f-]+$' }) })

/** How far a bulk is, in a few words. */
const standing = ({ done, total, standing, refused }: Bulk) =>
  standing !== 'OVER'
    ? `${done} of ${total}${standing === 'GIVEN_UP' ? ', given up' : ''}`
    : `${total - refused.length} of ${total} reminded${refused.length > 0 ? `, ${refused.length} not` : ''}`

const earlier = (list: readonly Bulk[], { times }: Visit): Html =>
  html`<section class="sheet flush"><header class="sheet-head"><h2>Reminders to many</h2></header><table class="rows"><tbody>${list.map(
    (one) =>
      html`<tr><td class="nowrap soft">${times.at(one.create_time)}</td><td class="second fill"><a class="open" href="${BULKS}/${one.id}">${one.about}</a><small>${one.person}</small></td><td class="num right">${standing(one)}</td></tr>`,
  )}</tbody></table></section>`

/** What was done to many invoices: how far that is, and what was not done and why. */
function drawBulk(one: Bulk, { times }: Visit) {
  const isOver = one.standing === 'OVER'
  const isGoing = one.standing === 'GOING'
  const left = one.total - one.done
  return {
    title: 'Reminders to many',
    content: html`<div${isGoing && html` data-again="1000"`}>${heading(
      isOver ? 'All were gone through' : isGoing ? 'Reminders are going out' : 'Given up halfway',
      {
        back: ['Invoices', '/console/invoices'],
        sub: html`${one.about}, asked for by ${one.person} ${times.at(one.create_time)}`,
        ...(isGoing && { actions: linkButton('See how far it is', `${BULKS}/${one.id}`) }),
      },
    )}
${facts(
  [
    ['Gone through', `${one.done} of ${one.total}`, spent(one.done / one.total, 'soft')],
    ['Reminded', String(one.done - one.refused.length)],
    ['Not reminded', String(one.refused.length)],
    ...(isOver || isGoing ? [] : [['Left out', String(left), 'nothing went on for a day'] as const]),
    ...(one.finish_time ? [['Over', times.at(one.finish_time)] as const] : []),
  ],
  'figures',
)}
<section class="sheet flush"><header class="sheet-head"><h2>Not reminded</h2></header>${
      one.refused.length === 0
        ? nothing(
            isOver ? 'All were reminded' : 'None so far',
            isOver || isGoing
              ? 'Invoices that could not be reminded stand here, and why.'
              : 'It stopped before the end. Those that were left out can be reminded by asking anew.',
          )
        : html`<table class="rows"><tbody>${one.refused.map(({ id, why }) => html`<tr><td class="second fill"><a class="open mono plainly" href="/console/invoices/${id}">${id}</a><small>${why}</small></td></tr>`)}</tbody></table>`
    }</section></div>`,
  }
}

export const bulkPages = ({ page, form }: Pages) => [
  page({
    url: '/console/invoices/all',
    operation: 'consoleAllThatMatch',
    summary: 'Say how many invoices match a filter, and what can be done with all of them',
    may: 'see',
    query: Query,
    async draw(visit) {
      visit.limitAsking()
      const { query } = visit
      const { items, more } = await matching(visit)
      const before = await listBulks(visit.db, visit.who.caller.accountId, visit.now)
      const running = before.find((one) => one.standing === 'GOING')
      const open = items.filter(remindable).length
      const hidden = html`<input type="hidden" name="request-id" value="${newRequestId()}">${names.map((name) => query[name] && html`<input type="hidden" name="${name}" value="${query[name]}">`)}`
      const asking =
        open === 0
          ? html`<p class="soft">None of them can be reminded: only what was sent and is not paid can.</p>`
          : running
            ? html`<p class="soft">Reminders of this account are going out already: <a href="${BULKS}/${running.id}">${standing(running)}</a>.</p>`
            : html`<form class="stack" method="post" action="/console/invoices/remind-all">${hidden}<p>${open === 1 ? 'One of them' : `${open} of them`} can be reminded, by mail, in the usual words. An invoice is reminded twice a day at most; those that were are left out. It goes on by itself, and a page says how far it is.</p><div class="buttons"><button class="button">Remind ${open === 1 ? 'the customer' : `${open} customers`}</button></div></form>`
      return {
        title: 'All that match',
        content: html`${heading(many(items.length, more), { back: ['Invoices', addressOf(query)], sub: words(query) })}
${more && html`<section class="sheet"><p>Reminders go to the newest ${BULK_MAX} of them; a narrower filter reaches the others.</p></section>`}
<div class="two even">${visit.who.may('work') && sheet('Send reminders', asking)}${sheet(
          'Download',
          html`<p>${more ? `All of them, ${CSV_ROWS_MAX.toLocaleString('en-US')} rows at most` : items.length === 1 ? 'One row' : `${items.length} rows`}, with number, customer, standing, dates and amounts.</p><p class="below">${linkButton('Download as CSV', addressOf(query, '/console/invoices/csv'))}</p>`,
        )}</div>${before.length > 0 && earlier(before, visit as Visit)}`,
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
      visit.limitAsking()
      if (!sells(visit)) throw notFound('An invoice')
      const all = walkInvoices(visit.db, visit.who.caller.accountId, criteriaOf(searchOf(visit)))
      return csvAnswer(`invoices-${visit.now.slice(0, 10)}`, columns, all)
    },
  }),
  form({
    url: '/console/invoices/remind-all',
    operation: 'consoleRemindAll',
    summary: 'Remind the customers of all invoices that match a filter',
    may: 'work',
    take: remindAll,
  }),
  page({
    url: `${BULKS}/:id`,
    operation: 'consoleBulk',
    summary: 'Show how far something is that is done to many',
    may: 'see',
    params: Id,
    async draw(visit) {
      const found = await findBulk(visit.db, visit.who.caller.accountId, visit.params.id, visit.now)
      if (!found) throw notFound('What was done to many')
      return drawBulk(found, visit as Visit)
    },
  }),
]

/** Reads which invoices match now, and leaves them to a job. */
async function remindAll(sent: Sent): Promise<Answer> {
  const { caller, name, person } = sent.who
  sent.limitAsking()
  const query = queryOf(sent.typed)
  const { items } = await matching({ ...sent, query })
  const invoices = items.filter(remindable).map(({ id = '' }) => id)
  const newest = async () => (await listBulks(sent.db, caller.accountId, sent.now))[0]
  // This is the second of two clicks. What the first began may have reminded all of them by now.
  if (await wasDone(sent.db, caller.accountId, sent.typed, sent.now)) return sent.lead(pageOf(await newest()))
  if (invoices.length === 0)
    return sent.turnBack(
      addressOf(query, '/console/invoices/all'),
      'Nobody was reminded: none of them can be any more.',
    )
  const running = await newest()
  if (running?.standing === 'GOING')
    return sent.turnBack(pageOf(running), 'Nothing was begun: reminders of this account are going out already.')
  await giveUpBulk(sent.db, caller.accountId, sent.now)
  try {
    const id = await sent.change(async (tx) => {
      await onceOnly(tx, caller.accountId, sent.typed)
      return startReminding(tx, {
        accountId: caller.accountId,
        about: words(query),
        person: name,
        personId: person?.id,
        invoices,
      })
    })
    return sent.lead(`${BULKS}/${id}`)
  } catch (error) {
    if (isSentAlready(error)) return sent.lead(pageOf(await newest()))
    throw error
  }
}

const pageOf = (one: Bulk | undefined) => (one ? `${BULKS}/${one.id}` : '/console/invoices')
