import { type Content, type Html, html } from '../../../http/html.ts'
import type { Money } from '../../../kernel/money.ts'
import { notFound } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import { type Column, csvAnswer } from '../../csv.ts'
import { facts, heading, linkButton, mono, nothing, pager, sheet } from '../../parts/parts.ts'
import { namesOfThings, type Things, thing } from '../../things.ts'
import type { Pages, Visit } from '../../visit.ts'
import { money, oneOf, sentence } from '../../words.ts'
import { monthOf } from './month.ts'
import { runningSums, SUMMED_MAX } from './running-sums.ts'

interface Balance {
  readonly currency: string
  readonly primary: boolean
  readonly total_balance: Money
  readonly available_balance: Money
  readonly withheld_balance: Money
  readonly pending_balance: Money
}
interface Movement {
  readonly transaction_id: string
  readonly transaction_type: string
  readonly transaction_initiation_date: string
  readonly transaction_amount: Money
  readonly available_change?: Money
  readonly withheld_change?: Money
  readonly pending_change?: Money
  readonly dispute_id?: string
  readonly invoice_id?: string
  readonly payment_id?: string
}

const signed = (amount: Money | undefined) => amount && money(amount)

/** What a movement did to what is available. A movement that is only pending says how much it is. */
const changed = ({ available_change, withheld_change, pending_change }: Movement): Content =>
  available_change || withheld_change || !pending_change
    ? signed(available_change)
    : html`<span class="soft">${money(pending_change)} pending</span>`

/** What a movement was for, with a link if that has a page. */
const subject = ({ dispute_id, invoice_id, payment_id }: Movement, things: Things) => {
  const id = dispute_id ?? invoice_id
  return id ? thing(id, things, { face: 'account' }) : payment_id && html`Payment ${mono(payment_id)}`
}

const About = {
  invoice: Type.Optional(Type.String({ minLength: 1, maxLength: 40, pattern: '^[A-Za-z0-9-]+$' })),
  dispute: Type.Optional(Type.String({ minLength: 1, maxLength: 40, pattern: '^[A-Za-z0-9-]+$' })),
}
const Query = Type.Object({
  after: Type.Optional(Type.String({ maxLength: 255, pattern: '^[\\w+/=.:-]+$' })),
  ...About,
})

/** One invoice or dispute that movements are about. */
interface Subject {
  readonly invoice?: string | undefined
  readonly dispute?: string | undefined
}

const asked = ({ invoice, dispute }: Subject) =>
  dispute ? { dispute_id: dispute } : invoice ? { invoice_id: invoice } : {}

const addressOf = ({ invoice, dispute }: Subject, { csv = false, after }: { csv?: boolean; after?: string } = {}) => {
  const query = new URLSearchParams({
    ...(dispute ? { dispute } : invoice && { invoice }),
    ...(after && { after }),
  })
  return `/console/money${csv ? '/csv' : ''}${query.size > 0 ? `?${query}` : ''}`
}

const figures = ({ currency, total_balance, available_balance, withheld_balance, pending_balance }: Balance) =>
  facts(
    [
      [`${currency}, in all`, money(total_balance)],
      ['Available', money(available_balance)],
      ['Held', money(withheld_balance)],
      ['Pending', money(pending_balance)],
    ],
    'figures',
  )

const columns: readonly Column<Movement>[] = [
  ['time', (one) => one.transaction_initiation_date],
  ['type', (one) => one.transaction_type],
  ['currency', (one) => (one.available_change ?? one.withheld_change ?? one.pending_change)?.currency_code],
  ['available', (one) => one.available_change?.value],
  ['held', (one) => one.withheld_change?.value],
  ['pending', (one) => one.pending_change?.value],
  ['dispute', (one) => one.dispute_id],
  ['invoice', (one) => one.invoice_id],
  ['payment', (one) => one.payment_id],
]

const EXPORTED_AT_ONCE = 100

/** Every movement, the newest first. */
async function* movements({ look }: Pick<Visit, 'look'>, about: Subject): AsyncGenerator<readonly Movement[]> {
  for (let after: string | null | undefined; ; ) {
    const read: Read = await look<Read>('listTransactions', {
      query: { page_size: EXPORTED_AT_ONCE, ...asked(about), ...(after && { page_token: after }) },
    })
    yield read.transaction_details.map(({ transaction_info }) => transaction_info)
    const next = read.links.find(({ rel }) => rel === 'next')?.href
    after = next && new URL(next).searchParams.get('page_token')
    if (!after) return
  }
}

interface Listed {
  readonly visit: Pick<Visit, 'times'>
  /** What was available after each movement; undefined when that is too far back. */
  readonly sums: readonly (Money | undefined)[] | undefined
  readonly things: Things
}

/** Movements under their days, the newest first. */
function movementRows(list: readonly Movement[], { visit: { times }, sums, things }: Listed): Html {
  const rows = list.map((one, i) => {
    const day = times.day(one.transaction_initiation_date)
    const isFirst = i === 0 || times.day(list[i - 1]!.transaction_initiation_date) !== day
    const sum = sums?.[i]
    return html`${isFirst && html`<tr class="group"><th colspan="5" scope="colgroup">${day}</th></tr>`}<tr><td class="nowrap soft">${times.hour(one.transaction_initiation_date)}</td><td class="second fill"><b>${sentence(one.transaction_type)}</b><small>${subject(one, things)}</small></td><td class="num right">${changed(one)}</td><td class="num gone">${signed(one.withheld_change)}</td><td class="num gone soft">${sum && money(sum)}</td></tr>`
  })
  return html`<table class="rows by-day"><thead><tr><th>When</th><th>What</th><th class="num">Available</th><th class="num gone">Held</th><th class="num gone">Available after it</th></tr></thead><tbody>${rows}</tbody></table>`
}

interface Read {
  readonly transaction_details: readonly { readonly transaction_info: Movement }[]
  readonly links: readonly { readonly rel: string; readonly href: string }[]
}

/** What the account has, by currency. */
async function balances(visit: Visit, withMonth: boolean): Promise<Content> {
  const { balances: all } = await visit.look<{ balances: Balance[] }>('listBalances')
  const [own] = all.filter(({ primary }) => primary)
  const others = all.filter(({ primary }) => !primary)
  return html`${own && figures(own)}${own && withMonth && (await monthOf(visit, own.currency))}
${others.length > 0 && sheet('Other currencies', html`<table class="rows"><thead><tr><th>Currency</th><th class="num">In all</th><th class="num gone">Available</th><th class="num gone">Held</th><th class="num gone">Pending</th></tr></thead><tbody>${others.map((one) => html`<tr><td><b>${one.currency}</b></td><td class="num right">${money(one.total_balance)}</td><td class="num gone">${money(one.available_balance)}</td><td class="num gone">${money(one.withheld_balance)}</td><td class="num gone">${money(one.pending_balance)}</td></tr>`)}</tbody></table>`)}`
}

export const moneyPages = ({ page }: Pages) => [
  page({
    url: '/console/money',
    operation: 'consoleMoney',
    summary: 'Show balances and movements',
    may: 'see',
    query: Query,
    async draw(visit) {
      const title = 'Money'
      if (!visit.who.caller.scopes.has('reporting/search/read'))
        return {
          title,
          content: html`${heading(title)}<section class="sheet flush">${nothing(`${oneOf(visit.who.name)} has no books here`, 'Look as a merchant to see balances and movements.')}</section>`,
        }
      const { after, ...about } = visit.query
      const { transaction_details, links } = await visit.look<Read>('listTransactions', {
        query: { page_size: 50, ...asked(about), ...(after && { page_token: after }) },
      })
      const list = transaction_details.map(({ transaction_info }) => transaction_info)
      const next = links.find(({ rel }) => rel === 'next')?.href
      const older = (next && new URL(next).searchParams.get('page_token')) ?? undefined
      const id = about.dispute ?? about.invoice
      const { accountId: account_id } = visit.who.caller
      const things = await namesOfThings(
        visit.db,
        [id, ...list.map(({ dispute_id, invoice_id }) => dispute_id ?? invoice_id)].map((one) => ({
          account_id,
          id: one ?? null,
        })),
      )
      // What was available after a movement says nothing when the movements in between are left out.
      const sums = id === undefined ? await runningSums(visit.db, account_id, list, older) : undefined
      const words =
        sums || id !== undefined
          ? 'Newest first'
          : `Newest first; what was available is worked out for the newest ${SUMMED_MAX.toLocaleString('en-US')}`
      const actions = list.length > 0 && linkButton('Download as CSV', addressOf(about, { csv: true }))
      return {
        title,
        content: html`${
          id === undefined
            ? html`${heading(title, { sub: 'What the account has by currency, and how it came to that.', actions })}${await balances(visit as Visit, after === undefined)}`
            : heading('Movements', {
                back: ['Money', '/console/money'],
                sub: html`Of ${thing(id, things, { face: 'account' })}`,
                actions,
              })
        }
<section class="sheet flush">${
          list.length === 0
            ? nothing(
                'No money has moved',
                id === undefined
                  ? 'Payments, refunds, holds and fees stand here.'
                  : 'Payments that were only recorded are in no book of ours.',
              )
            : html`${movementRows(list, { visit: visit as Visit, sums, things })}${pager(words, { newer: after ? addressOf(about) : undefined, older: older ? addressOf(about, { after: older }) : undefined })}`
        }</section>`,
      }
    },
  }),
  page({
    url: '/console/money/csv',
    operation: 'consoleMoneyCsv',
    summary: 'Download the movements of the account',
    may: 'see',
    query: Type.Object(About),
    async draw(visit) {
      visit.limitAsking()
      if (!visit.who.caller.scopes.has('reporting/search/read')) throw notFound('A book')
      return csvAnswer(`movements-${visit.now.slice(0, 10)}`, columns, movements(visit, visit.query))
    },
  }),
]
