import { type Fragment, fragment, raw, unseen } from '../../database/sql.ts'
import { anyMerchant, newestFirst, type Slice, window } from './slice.ts'

/** What the index of words has beside words: the merchant, the merchant with the day, and with the ten days whose dates begin alike. */
const spans = raw(
  'array[i.account_id, i.account_id || left(i.create_time, 10), i.account_id || left(i.create_time, 9)]',
)

/** A search that can be limited by one more condition. */
type Search = (condition: Fragment) => Fragment

/**
 * What a search for words finds, from the newest days if they fill the slice, or else from all. The index goes through the
 * shortest list of all, so a small merchant does not pay for what others have. Where most is of one merchant, that list is the
 * longest and says nothing.
 */
export function bySpan(
  { accountId, isLarge }: { accountId: string; isLarge: boolean },
  slice: Slice,
  { newest, all }: { newest: Search; all: Search },
): Fragment {
  const within = (keys: Fragment) => fragment`${spans} && ${keys}`
  const ofMerchant = (condition: Fragment) =>
    all(fragment`${within(fragment`array[${accountId}::text]`)} and ${condition}`)
  return newestOrAll(slice, newest(within(newestDays(accountId))), isLarge ? all : ofMerchant)
}

/** What a search for amounts finds in each of the newest two months, in which their index has them by amount, too. */
export const inNewestMonths = (accountId: string, search: Search): Fragment => fragment`
  select i.* from (${newestMonths(accountId)} offset 0) newest
  cross join lateral (${search(raw('left(i.create_time, 7) = newest.month'))}) i`

/** The slice of what was found among the newest, or of all if they do not fill it. Otherwise not all is looked for. */
export const newestOrAll = (slice: Slice, newest: Fragment, all: Search): Fragment => fragment`
  select i.id, i.create_time, i.seq from (
    with newest as materialized (${newest}),
    enough as materialized (select count(*) >= ${unseen(slice.offset + slice.limit, 'int')} as is_enough from newest),
    candidates as materialized (${all(raw('not (select is_enough from enough)'))})
    select * from newest where (select is_enough from enough)
    union all
    select * from candidates) i
  ${newestFirst} ${window(slice)}`

/** The two newest months in which a merchant made an invoice. */
function newestMonths(accountId: string): Fragment {
  const newestOf = (condition: Fragment) => fragment`
    select left(create_time, 7) as month from invoices where account_id = ${anyMerchant(accountId)} and ${condition}
    order by create_time desc, seq desc limit 1`
  return fragment`
    with newest as materialized (${newestOf(raw('true'))})
    select month from newest
    union all
    select before.month from newest cross join lateral (${newestOf(raw('create_time < newest.month'))}) before`
}

/** How long a merchant took to make so many of the newest tells how many it makes a day. */
const SAMPLE = 125
/** The newest days that are searched first go back so many times as far. */
const SAMPLES = 60
/** So many of them are asked for one by one, and more of them ten at a time: those whose dates differ in the last digit alone. */
const DAYS_ALONE = 3
/** If they would be more than this, each has little, and they are left out: all days are searched at once. */
const DAYS_MAX = 31

/** The newest days as the index of words knows them. */
function newestDays(accountId: string): Fragment {
  return fragment`array(
    select distinct ${accountId}::text || left(to_char(day, 'YYYY-MM-DD'), digits) from (
      select newest, ${raw(`${SAMPLES}`)} * (newest - oldest) as time from (
        select max(create_time)::text::timestamp as newest, min(create_time)::text::timestamp as oldest from (
          select create_time from invoices where account_id = ${anyMerchant(accountId)}
          order by create_time desc, seq desc ${raw(`limit ${SAMPLE}`)}) i) sample) stretch
    cross join lateral (select case when time <= ${raw(`interval '${DAYS_ALONE} days'`)} then 10 else 9 end as digits) asked
    cross join lateral generate_series(date_trunc('day', newest), date_trunc('day', newest - time), '-1 day') day
    where time <= ${raw(`interval '${DAYS_MAX} days'`)})`
}
