import { sql } from '../../../database/sql.ts'
import { type Content, html } from '../../../http/html.ts'
import type { Status } from '../../../invoices/schema/enums.ts'
import { type Day, dayIn, type Instant } from '../../../kernel/clock.ts'
import { toMoney } from '../../../kernel/money.ts'
import { COUNTED_MAX, countShown } from '../../parts/counts.ts'
import { facts } from '../../parts/parts.ts'
import type { Visit } from '../../visit.ts'
import { money } from '../../words.ts'

/** The statuses in which money is owed. */
export const outstanding: readonly Status[] = ['SENT', 'PARTIALLY_PAID', 'PAYMENT_PENDING']

/** No more than this many of each status are added up. A page says so, and costs no more when there are a million. */
const ADDED_UP_MAX = 500

interface Sum {
  readonly currency_code: string
  readonly count: number
  readonly sum: bigint
}
interface Owed extends Sum {
  readonly is_late: boolean
  readonly due_first: Day | null
}

/**
 * What is left to pay of the newest invoices of each status. A payment that is pending counts for nothing until it clears, and
 * an invoice that was only sent has no payment.
 */
const owedOf = sql`
  select i.currency_code, coalesce(i.due_date < $3, false) as is_late, count(*)::int as count, min(i.due_date) as due_first,
    sum(greatest(i.amount_minor - coalesce(p.paid, 0), 0))::bigint as sum
  from unnest($2::text[]) as wanted (status)
    cross join lateral (
      select id, currency_code, due_date, amount_minor from invoices
      where account_id = $1 and status = wanted.status order by create_time desc, seq desc limit $4) i
    left join lateral (
      select sum(t.amount_minor) as paid from invoice_transactions t
      where wanted.status <> 'SENT' and t.account_id = $1 and t.invoice_id = i.id and t.kind = 'PAYMENT'
        and not t.pending) p on true
  group by 1, 2`
const paidSince = sql`
  select currency_code, count(*)::int as count, sum(amount_minor)::bigint as sum from (
    select currency_code, amount_minor from invoice_transactions
    where account_id = $1 and kind = 'PAYMENT' and day >= $2 and not pending order by day desc limit $3) paid
  group by 1`
const countsOf = sql`
  select wanted.status, (select count(*)::int from (
      select from invoices i where i.account_id = $1 and i.status = wanted.status limit $3) counted) as count
  from unnest($2::text[]) as wanted (status)`
const goesOutNext = sql`
  select i.invoice_date, i.currency_code, i.amount_minor,
    (select body#>>'{detail,invoice_number}' from invoices where account_id = $1 and id = i.id) as number
  from (select id, invoice_date, currency_code, amount_minor from invoices
      where account_id = $1 and status = 'SCHEDULED' order by create_time desc, seq desc limit $2) i
  order by i.invoice_date, i.id limit 1`

interface NextOut {
  readonly invoice_date: Day
  readonly currency_code: string
  readonly amount_minor: bigint
  readonly number: string
}

const total = (sums: readonly Sum[]) => sums.reduce((all, { count }) => all + count, 0)

const added = (rows: readonly Sum[]): Sum[] => {
  const sums = new Map<string, Sum>()
  for (const { currency_code, count, sum } of rows) {
    const had = sums.get(currency_code)
    sums.set(currency_code, { currency_code, count: (had?.count ?? 0) + count, sum: (had?.sum ?? 0n) + sum })
  }
  // Of several currencies, the one with the most invoices is shown large.
  return [...sums.values()].sort((a, b) => b.count - a.count || (a.currency_code < b.currency_code ? -1 : 1))
}

const amount = ({ sum, currency_code }: Sum) => money(toMoney(sum, currency_code))

const many = (n: number, one: string, isMore: boolean) =>
  `${n.toLocaleString('en-US')}${isMore ? ' or more' : ''} ${one}${n === 1 ? '' : 's'}`

/** Sums in the words of a figure: a large one, and what stands below it. */
function figure(label: string, sums: readonly Sum[], { one, isMore, tone, note }: FigureWords) {
  const [first, ...others] = sums
  if (!first) return [label, html`<span class="soft">nothing</span>`] as const
  const beside = others.map(amount).join(', ')
  return [
    label,
    html`<span class="${tone}">${isMore && 'over '}${amount(first)}</span>`,
    html`${many(total(sums), one, isMore)}${note}${beside && `, and ${beside}`}`,
  ] as const
}
interface FigureWords {
  readonly one: string
  readonly isMore: boolean
  readonly tone?: string
  readonly note?: Content
}

export interface InvoiceFigures {
  /** What stands above the list; nothing for somebody who has no invoice that asks for anything. */
  readonly figures: Content
  /** What stands beside the names of views. */
  readonly counts: ReadonlyMap<string, string | undefined>
}

/** What is owed, late, paid this month and on its way out. Each is read by an index, and only up to a limit. */
export async function readInvoiceFigures({ db, who, now, times }: Visit): Promise<InvoiceFigures> {
  const { accountId } = who.caller
  const today = dayIn(now as Instant, who.accountZone)
  const [owed, paid, counted, next] = await Promise.all([
    db.rows<Owed>(owedOf, [accountId, outstanding, today, ADDED_UP_MAX]),
    db.rows<Sum>(paidSince, [accountId, `${today.slice(0, 8)}01`, ADDED_UP_MAX]),
    db.rows<{ status: Status; count: number }>(countsOf, [accountId, ['DRAFT', 'SCHEDULED'], COUNTED_MAX]),
    db.row<NextOut>(goesOutNext, [accountId, ADDED_UP_MAX]),
  ])
  const late = owed.filter(({ is_late }) => is_late)
  const isMore = total(owed) >= ADDED_UP_MAX
  const countOf = (status: Status) => counted.find((row) => row.status === status)?.count ?? 0
  const counts = new Map([
    ['drafts', countShown(countOf('DRAFT'))],
    ['scheduled', countShown(countOf('SCHEDULED'))],
    ['outstanding', countShown(total(owed))],
    ['overdue', countShown(total(late))],
  ])
  if (owed.length + paid.length === 0 && !next) return { figures: undefined, counts }
  const since = late.flatMap(({ due_first }) => due_first ?? []).sort()[0]
  const days = since && Math.round((Date.parse(today) - Date.parse(since)) / 86_400_000)
  const figures = facts(
    [
      figure('Outstanding', added(owed), { one: 'invoice', isMore }),
      figure('Overdue', added(late), {
        one: 'invoice',
        isMore,
        tone: 'warn',
        note: days !== undefined && `, since ${days} ${days === 1 ? 'day' : 'days'}`,
      }),
      figure(`Paid in ${times.month(today)}`, added(paid), { one: 'payment', isMore: total(paid) >= ADDED_UP_MAX }),
      ...(next
        ? [
            [
              'Goes out next',
              times.date(next.invoice_date),
              `invoice ${next.number}, ${money(toMoney(next.amount_minor, next.currency_code))}`,
            ] as const,
          ]
        : []),
    ],
    'figures',
  )
  return { figures, counts }
}
