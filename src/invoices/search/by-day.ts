import { type Fragment, fragment, raw, unseen } from '../../database/sql.ts'
import type { Days } from './conditions.ts'
import { anyMerchant, newestFirst, type Slice, window } from './slice.ts'

/** As many as there are on all pages up to this one. */
const upTo = ({ offset, limit }: Slice): Fragment =>
  offset === 0 ? raw(`limit ${limit}`) : fragment`limit ${offset + limit}`

/**
 * Steps from one day with invoices to the next, and looks only at the newest invoice of each. The page comes from the days
 * whose newest invoices are the newest, at most one day for each invoice of the page, however many days and invoices there
 * are. The index has the newest invoice of a day first, so each step finds both.
 */
export function byDay(accountId: string, column: Fragment, { start, end }: Days, slice: Slice): Fragment {
  const account = anyMerchant(accountId)
  const first = (within: Fragment) => fragment`
    select i.${column} as day, i.create_time, i.seq from invoices i
    where i.account_id = ${account} and i.${column} <= ${unseen(end, 'text')} and ${within}
    order by i.${column}, i.create_time desc, i.seq desc limit 1`
  return fragment`
    select i.id, i.create_time, i.seq from (
      with recursive days as (
        (${first(fragment`i.${column} >= ${unseen(start, 'text')}`)})
        union all
        select next.* from days cross join lateral (${first(fragment`i.${column} > days.day`)}) next)
      select days.day from days order by days.create_time desc, days.seq desc ${upTo(slice)}) days
    cross join lateral (
      select i.id, i.create_time, i.seq from invoices i
      where i.account_id = ${account} and i.${column} = days.day ${newestFirst} ${upTo(slice)}) i
    ${newestFirst} ${window(slice)}`
}

/** The same for payments. An invoice may be paid on several days but counts once, even if it is the newest of several days. */
export function byPaymentDay(accountId: string, { start, end }: Days, slice: Slice): Fragment {
  const account = anyMerchant(accountId)
  const first = (within: Fragment) => fragment`
    select t.day, t.invoice_create_time, t.invoice_seq from invoice_transactions t
    where t.account_id = ${account} and t.kind = 'PAYMENT' and t.day <= ${unseen(end, 'text')} and ${within}
    order by t.day, t.invoice_create_time desc, t.invoice_seq desc limit 1`
  return fragment`
    select i.invoice_id as id, i.invoice_create_time as create_time, i.invoice_seq as seq from (
      with recursive days as (
        (${first(fragment`t.day >= ${unseen(start, 'text')}`)})
        union all
        select next.* from days cross join lateral (${first(fragment`t.day > days.day`)}) next)
      select distinct paid.invoice_create_time, paid.invoice_seq, paid.invoice_id from (
        select days.day, dense_rank() over (order by days.invoice_create_time desc, days.invoice_seq desc) as place
        from days) days
      cross join lateral (
        select t.invoice_create_time, t.invoice_seq, t.invoice_id from invoice_transactions t
        where t.account_id = ${account} and t.kind = 'PAYMENT' and t.day = days.day
        group by t.invoice_create_time, t.invoice_seq, t.invoice_id
        order by t.invoice_create_time desc, t.invoice_seq desc ${upTo(slice)}) paid
      where days.place <= ${unseen(slice.offset + slice.limit, 'int')}
      order by paid.invoice_create_time desc, paid.invoice_seq desc ${upTo(slice)}) i
    order by i.invoice_create_time desc, i.invoice_seq desc ${window(slice)}`
}
