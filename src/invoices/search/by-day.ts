import { type Fragment, fragment, raw, unseen } from '../../database/sql.ts'
import type { Days } from './conditions.ts'
import { anyMerchant, newestFirst, type Slice, window } from './slice.ts'

/** As many as there are on all pages up to this one. */
const upTo = ({ offset, limit }: Slice): Fragment =>
  offset === 0 ? raw(`limit ${limit}`) : fragment`limit ${offset + limit}`

/** A range of so many days is looked at day by day. In a longer one there may be few days with anything. */
const DAYS_LISTED = 1_000
const DAY_MS = 86_400_000
/** PostgreSQL knows no year 0, which is a year to whoever asks. */
const FIRST_DAY = '0001-01-01'

/**
 * The newest of each day. To ask for a day costs a fifth of asking which one comes next, for which the index reads on to the
 * end of a page.
 */
function newestOfEach({ start, end }: Days, day: Fragment, newestOf: (condition: Fragment) => Fragment): Fragment {
  const [first, last] = [unseen(start, 'text'), unseen(end, 'text')]
  const isShort = (Date.parse(end) - Date.parse(start)) / DAY_MS < DAYS_LISTED
  if (isShort && start >= FIRST_DAY)
    return fragment`
      select newest.* from (
        select to_char(day, 'YYYY-MM-DD') as day from generate_series(${first}::timestamp, ${last}::timestamp, '1 day') day
        offset 0) days
      cross join lateral (${newestOf(fragment`${day} = days.day`)}) newest`
  return fragment`
    with recursive days as (
      (${newestOf(fragment`${day} <= ${last} and ${day} >= ${first}`)})
      union all
      select next.* from days cross join lateral (${newestOf(fragment`${day} <= ${last} and ${day} > days.day`)}) next)
    select * from days`
}

/**
 * Looks only at the newest invoice of each day, which stands first in the index. The page comes from the days whose newest
 * invoices are the newest, at most one day for each invoice of the page, however many invoices there are.
 */
export function byDay(accountId: string, column: Fragment, range: Days, slice: Slice): Fragment {
  const account = anyMerchant(accountId)
  const newestOf = (condition: Fragment) => fragment`
    select i.${column} as day, i.create_time, i.seq from invoices i where i.account_id = ${account} and ${condition}
    order by i.${column}, i.create_time desc, i.seq desc limit 1`
  return fragment`
    select i.id, i.create_time, i.seq from (
      select days.day from (${newestOfEach(range, fragment`i.${column}`, newestOf)}) days
      order by days.create_time desc, days.seq desc ${upTo(slice)}) days
    cross join lateral (
      select i.id, i.create_time, i.seq from invoices i
      where i.account_id = ${account} and i.${column} = days.day ${newestFirst} ${upTo(slice)}) i
    ${newestFirst} ${window(slice)}`
}

/** The same for payments. An invoice may be paid on several days but counts once, even if it is the newest of several days. */
export function byPaymentDay(accountId: string, range: Days, slice: Slice): Fragment {
  const account = anyMerchant(accountId)
  const newestOf = (condition: Fragment) => fragment`
    select t.day, t.invoice_create_time, t.invoice_seq from invoice_transactions t
    where t.account_id = ${account} and t.kind = 'PAYMENT' and ${condition}
    order by t.day, t.invoice_create_time desc, t.invoice_seq desc limit 1`
  return fragment`
    select i.invoice_id as id, i.invoice_create_time as create_time, i.invoice_seq as seq from (
      select distinct paid.invoice_create_time, paid.invoice_seq, paid.invoice_id from (
        select days.day, dense_rank() over (order by days.invoice_create_time desc, days.invoice_seq desc) as place
        from (${newestOfEach(range, raw('t.day'), newestOf)}) days) days
      cross join lateral (
        select t.invoice_create_time, t.invoice_seq, t.invoice_id from invoice_transactions t
        where t.account_id = ${account} and t.kind = 'PAYMENT' and t.day = days.day
        group by t.invoice_create_time, t.invoice_seq, t.invoice_id
        order by t.invoice_create_time desc, t.invoice_seq desc ${upTo(slice)}) paid
      where days.place <= ${unseen(slice.offset + slice.limit, 'int')}
      order by paid.invoice_create_time desc, paid.invoice_seq desc ${upTo(slice)}) i
    order by i.invoice_create_time desc, i.invoice_seq desc ${window(slice)}`
}
