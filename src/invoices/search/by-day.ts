import { type Fragment, fragment, raw, unseen } from '../../database/sql.ts'
import type { Days } from './conditions.ts'
import { anyMerchant, newestFirst, type Slice, window } from './slice.ts'

/** Where the days of a search stand, in rows that an index has by day and then newest first. */
interface Source {
  /** The rows of a merchant, to which conditions are added. */
  readonly rows: Fragment
  readonly day: Fragment
  readonly id: Fragment
  readonly time: Fragment
  readonly seq: Fragment
  /** What makes one row of several of an invoice on one day. */
  readonly once: Fragment
  /** Whether the invoice was made in a later month than that of the day. Few are, and an index holds those alone. */
  readonly isLate: Fragment
}

/** The newest invoices with such a day. */
export const byDay = (accountId: string, column: 'invoice_date' | 'due_date', range: Days, slice: Slice): Fragment =>
  newestOf(
    {
      rows: fragment`invoices i where i.account_id = ${anyMerchant(accountId)}`,
      day: raw(`i.${column}`),
      id: raw('i.id'),
      time: raw('i.create_time'),
      seq: raw('i.seq'),
      once: raw(''),
      isLate: raw(`left(i.create_time, 7) > left(i.${column}, 7)`),
    },
    range,
    slice,
  )

/** The newest invoices with a payment on such a day. One that was paid on several days counts once. */
export const byPaymentDay = (accountId: string, range: Days, slice: Slice): Fragment =>
  newestOf(
    {
      rows: fragment`invoice_transactions t where t.account_id = ${anyMerchant(accountId)} and t.kind = 'PAYMENT'`,
      day: raw('t.day'),
      id: raw('t.invoice_id'),
      time: raw('t.invoice_create_time'),
      seq: raw('t.invoice_seq'),
      once: raw('group by t.invoice_create_time, t.invoice_seq, t.invoice_id'),
      isLate: raw('left(t.invoice_create_time, 7) > left(t.day, 7)'),
    },
    range,
    slice,
  )

/** A range of so many days is looked at day by day. In a longer one there may be few days with anything. */
const DAYS_LISTED = 1_000
/** PostgreSQL knows no year 0, which is a year to whoever asks. */
const FIRST_DAY = '0001-01-01'
const DAY_MS = 86_400_000
/** So many days at the end of a range are read whole, as far as the slice has room. Mostly they fill it. */
const DAYS_NEAR = 4

/** Whether each day of a range is asked for. */
export const isListed = ({ start, end }: Days): boolean =>
  (Date.parse(end) - Date.parse(start)) / DAY_MS < DAYS_LISTED && start >= FIRST_DAY

/**
 * The newest invoices of a range of days. Nobody reads all of a range: of most days only the newest invoice is looked at, which
 * stands first in the index. Then the days whose newest are the newest are read, at most one for each invoice of the slice.
 */
function newestOf({ rows, day, id, time, seq, once, isLate }: Source, range: Days, slice: Slice): Fragment {
  const count = slice.offset + slice.limit
  const upTo = slice.offset === 0 ? raw(`limit ${count}`) : fragment`limit ${count}`
  const [first, last] = [unseen(range.start, 'text'), unseen(range.end, 'text')]

  // Said in two ways, so that it looks rarer: where all have the same day, the planner would go through the newest of all in
  // search of each day, most of which nobody has.
  const ofDay = fragment`${day} = days.day and ${day} between days.day and days.day`
  const invoices = (condition: Fragment) => fragment`
    select ${time} as create_time, ${seq} as seq, ${id} as id from ${rows} and ${condition} ${once}
    order by ${time} desc, ${seq} desc ${upTo}`
  const newest = (condition: Fragment) => fragment`
    select ${day} as day, ${time} as create_time, ${seq} as seq from ${rows} and ${condition}
    order by ${day}, ${time} desc, ${seq} desc limit 1`
  /** The invoices of the days whose newest are the newest. Days that share their newest invoice count as one. */
  const ofNewestDays = (days: Fragment, isNew: Fragment) => fragment`
    select i.* from (
      select days.day, dense_rank() over (order by days.create_time desc, days.seq desc) as place from (${days}) days) days
    cross join lateral (${invoices(fragment`${ofDay} and ${isNew}`)}) i
    where days.place <= ${unseen(count, 'int')}`
  const theNewest = (found: Fragment) => fragment`
    select distinct i.create_time, i.seq, i.id from (${found}) i ${newestFirst} ${upTo}`

  /**
   * First the last days are read whole (`last_days`). If that fills the slice, the oldest of it says what is too old to stand in
   * it (`threshold`), and of the days before only what is newer is asked for. A day has such an invoice for one of two reasons:
   * it lies in the month of the threshold or later (`recent`), or the invoice is late, which another index knows at once.
   */
  function dayByDay(): Fragment {
    const each = (from: Fragment, to: Fragment, read: Fragment) => fragment`
      select i.* from (
        select to_char(day, 'YYYY-MM-DD') as day from generate_series(${from}, ${to}, '1 day') day offset 0) days
      cross join lateral (${read}) i`
    const [start, end] = [fragment`${first}::timestamp`, fragment`${last}::timestamp`]
    const lastDays = fragment`greatest(${start}, ${end} - ${raw(`interval '${DAYS_NEAR - 1} days'`)})`
    const before = fragment`${end} - ${raw(`interval '${DAYS_NEAR} days'`)}`
    const recent = raw('(select day from recent)')
    const isNew = fragment`${time} >= coalesce((select create_time from threshold), '')`
    const days = fragment`
      ${each(recent, before, newest(fragment`${ofDay} and ${isNew}`))}
      union all
      ${each(start, fragment`least(${recent} - interval '1 day', ${before})`, newest(fragment`${ofDay} and ${isLate} and ${isNew}`))}`
    return fragment`
      with last_days as materialized (${theNewest(each(lastDays, end, invoices(ofDay)))}),
      threshold as materialized (
        select case when count(*) >= ${unseen(count, 'int')} then min(create_time) end as create_time from last_days),
      recent as materialized (
        select greatest(${start}, date_trunc('month', create_time::text::timestamp)) as day from threshold)
      select * from last_days
      union all
      ${ofNewestDays(days, isNew)}`
  }

  /** From one day that has something to the next, for which the index reads on to the end of a page: five times as long. */
  const dayAfterDay = () => fragment`
    with recursive days as (
      (${newest(fragment`${day} <= ${last} and ${day} >= ${first}`)})
      union all
      select next.* from days cross join lateral (${newest(fragment`${day} <= ${last} and ${day} > days.day`)}) next)
    ${ofNewestDays(raw('select * from days'), raw('true'))}`

  return fragment`
    select i.id, i.create_time, i.seq from (${theNewest(isListed(range) ? dayByDay() : dayAfterDay())}) i
    ${newestFirst} ${window(slice)}`
}
