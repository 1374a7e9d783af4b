import { type Html, html } from '../../http/html.ts'
import type { Money } from '../../kernel/money.ts'
import { notFound } from '../../kernel/problem.ts'
import { Type } from '../../kernel/type.ts'
import { type Column, csvAnswer } from '../csv.ts'
import { monthOf } from '../month.ts'
import { facts, heading, linkButton, mono, nothing, pager, sheet } from '../parts/parts.ts'
import { runningSums, SUMMED_MAX } from '../running-sums.ts'
import { namesOfThings, type Things, thing } from '../things.ts'
import type { Pages, Visit } from '../visit.ts'
import { money, sentence } from '../words.ts'

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
  readonly dispute_id?: string
  readonly invoice_id?: string
  readonly payment_id?: string
}

const signed = (amount: Money | undefined) => amount && money(amount)

/** What a movement was for, as far as it has a page. */
const subject = ({ dispute_id, invoice_id, payment_id }: Movement, things: Things) => {
  const id = dispute_id ?? invoice_id
  return id ? thing(id, things, { face: 'account' }) : payment_id && html`Payment ${mono(payment_id)}`
}

const Query = Type.Object({ after: Type.Optional(Type.String({ maxLength: 255, pattern: '^[\\w+/=.:-]+$' })) })

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
  ['currency', (one) => (one.available_change ?? one.withheld_change)?.currency_code],
  ['available', (one) => one.available_change?.value],
  ['held', (one) => one.withheld_change?.value],
  ['dispute', (one) => one.dispute_id],
  ['invoice', (one) => one.invoice_id],
  ['payment', (one) => one.payment_id],
]

const EXPORTED_AT_ONCE = 100

/** Every movement, the newest first. */
async function* movements({ look }: Pick<Visit, 'look'>): AsyncGenerator<readonly Movement[]> {
  for (let after: string | null | undefined; ; ) {
    const read: Read = await look<Read>('listTransactions', {
      query: { page_size: EXPORTED_AT_ONCE, ...(after && { page_token: after }) },
    })
    yield read.transaction_details.map(({ transaction_info }) => transaction_info)
    const next = read.links.find(({ rel }) => rel === 'next')?.href
    after = next && new URL(next).searchParams.get('page_token')
    if (!after) return
  }
}

interface Listed {
  readonly visit: Pick<Visit, 'times'>
  /** What was available after each; undefined where that is too far back. */
  readonly sums: readonly (Money | undefined)[] | undefined
  readonly things: Things
}

/** Movements under their days, the newest first. */
function movementRows(list: readonly Movement[], { visit: { times }, sums, things }: Listed): Html {
  const rows = list.map((one, i) => {
    const day = times.day(one.transaction_initiation_date)
    const isFirst = i === 0 || times.day(list[i - 1]!.transaction_initiation_date) !== day
    const sum = sums?.[i]
    return html`${isFirst && html`<tr class="group"><th colspan="5" scope="colgroup">${day}</th></tr>`}<tr><td class="nowrap soft">${times.hour(one.transaction_initiation_date)}</td><td class="second fill"><b>${sentence(one.transaction_type)}</b><small>${subject(one, things)}</small></td><td class="num right">${signed(one.available_change)}</td><td class="num gone">${signed(one.withheld_change)}</td><td class="num gone soft">${sum && money(sum)}</td></tr>`
  })
  return html`<table class="rows by-day"><thead><tr><th>When</th><th>What</th><th class="num">Available</th><th class="num">Held</th><th class="num">Available after it</th></tr></thead><tbody>${rows}</tbody></table>`
}

interface Read {
  readonly transaction_details: readonly { readonly transaction_info: Movement }[]
  readonly links: readonly { readonly rel: string; readonly href: string }[]
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
          content: html`${heading(title)}<section class="sheet flush">${nothing(`A ${visit.who.name.toLowerCase()} has no books here`, 'Look as a merchant to see balances and movements.')}</section>`,
        }
      const { after } = visit.query
      const { balances } = await visit.look<{ balances: Balance[] }>('listBalances')
      const { transaction_details, links } = await visit.look<Read>('listTransactions', {
        query: { page_size: 50, ...(after && { page_token: after }) },
      })
      const { accountId: account_id } = visit.who.caller
      const things = await namesOfThings(
        visit.db,
        transaction_details.map(({ transaction_info: { dispute_id, invoice_id } }) => ({
          account_id,
          id: dispute_id ?? invoice_id ?? null,
        })),
      )
      const [own] = balances.filter(({ primary }) => primary)
      const others = balances.filter(({ primary }) => !primary)
      const next = links.find(({ rel }) => rel === 'next')?.href
      const older = next && new URL(next).searchParams.get('page_token')
      const sums = await runningSums(
        visit.db,
        account_id,
        transaction_details.map(({ transaction_info }) => transaction_info),
        older,
      )
      return {
        title,
        content: html`${heading(title, { sub: 'What the account has by currency, and how it came to that.', ...(transaction_details.length > 0 && { actions: linkButton('Download as CSV', '/console/money/csv') }) })}
${own && figures(own)}${own && after === undefined && (await monthOf(visit as Visit, own.currency))}
${others.length > 0 && sheet('Other currencies', html`<table class="rows"><thead><tr><th>Currency</th><th class="num">In all</th><th class="num">Available</th><th class="num">Held</th><th class="num">Pending</th></tr></thead><tbody>${others.map((one) => html`<tr><td><b>${one.currency}</b></td><td class="num right">${money(one.total_balance)}</td><td class="num gone">${money(one.available_balance)}</td><td class="num gone">${money(one.withheld_balance)}</td><td class="num gone">${money(one.pending_balance)}</td></tr>`)}</tbody></table>`)}
<section class="sheet flush">${
          transaction_details.length === 0
            ? nothing('No money has moved', 'Payments, refunds, holds and fees stand here.')
            : html`${movementRows(
                transaction_details.map(({ transaction_info }) => transaction_info),
                { visit: visit as Visit, sums, things },
              )}${pager(sums ? 'Newest first' : `Newest first; what was available is worked out for the newest ${SUMMED_MAX.toLocaleString('en-US')}`, { newer: after ? '/console/money' : undefined, older: older ? `/console/money?after=${encodeURIComponent(older)}` : undefined })}`
        }</section>`,
      }
    },
  }),
  page({
    url: '/console/money/csv',
    operation: 'consoleMoneyCsv',
    summary: 'Download the movements of the account',
    may: 'see',
    async draw(visit) {
      visit.limitAsking()
      if (!visit.who.caller.scopes.has('reporting/search/read')) throw notFound('A book')
      return csvAnswer(`movements-${visit.now.slice(0, 10)}`, columns, movements(visit))
    },
  }),
]
