import { type Fragment, fragment, type Query, raw, unseen } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { END, type Place } from '../../http/keyset.ts'
import type { Invoice } from '../schema/invoice.ts'
import { emailQuery, gramQuery, type SearchedText } from './columns.ts'
import { type Criteria, conditionsOf, type Days } from './conditions.ts'
import { type Look, summary, wholeDocument } from './look.ts'

/** A place in a list: how many to skip and how many to show. */
export interface Slice {
  readonly offset: number
  readonly limit: number
}

const newestFirst = fragment`order by i.create_time desc, i.seq desc`

/** How many of the newest invoices are read one by one before an index over all of them is asked. */
const RECENT = 10_000
/** The same where the index keeps the order of time within each day, so that asking it is cheap. */
const RECENT_OF_DAYS = 500
/** A part of them is read first: one in so many. The rest follow only where they are likely to fill the page. */
const GLANCE = 4
const LIKELY = 0.75

/** The invoices of a slice, newest first. Only a test chooses how many of the newest are read one by one. */
export const findInvoices = (db: Reader, accountId: string, criteria: Criteria, slice: Slice, recentMax?: number) =>
  find(db, wholeDocument, { accountId, criteria, slice, recentMax })

/** Of the same only what a list shows when it is asked for nothing more. */
export const findSummaries = (db: Reader, accountId: string, criteria: Criteria, slice: Slice) =>
  find(db, summary, { accountId, criteria, slice })

interface Wanted {
  readonly accountId: string
  readonly criteria: Criteria
  readonly slice: Slice
  readonly recentMax?: number | undefined
}

async function find<Found>(db: Reader, look: Look<Found>, wanted: Wanted): Promise<Found[]> {
  const { accountId, criteria, slice, recentMax = isByDay(criteria) ? RECENT_OF_DAYS : RECENT } = wanted
  if (criteria.nothing) return []
  const run = async (bodies: Fragment): Promise<Found[]> => {
    const { statement, values } = unpacked(look, bodies).toQuery()
    return (await db.rows<{ shown: unknown }>(statement, values)).map(look.from)
  }
  const where = conditionsOf(accountId, criteria)
  if (isOfTheNewest(criteria))
    return run(fragment`
      select i.body, i.create_time, i.seq from invoices i where ${conditionsOf(anyMerchant(accountId), criteria)}
      ${newestFirst} ${window(slice)}`)
  const ordered = inOrder(accountId, criteria, slice, where)
  if (ordered) return run(documentsOf(accountId, ordered))

  // What matches often shows among the newest; what does not is rare enough to be sorted. So neither reads everything.
  const recently = conditionsOf(accountId, criteria, unseen)
  for (const count of [Math.ceil(recentMax / GLANCE), recentMax]) {
    const recent = await run(fragment`
      select i.body, i.create_time, i.seq from (
        select * from invoices where account_id = ${anyMerchant(accountId)}
        order by create_time desc, seq desc ${raw(`limit ${count}`)}) i
      where ${recently} ${newestFirst} ${window(slice)}`)
    if (recent.length === slice.limit || !(await hasMoreThan(db, accountId, count))) return recent
    const seen = recent.length === 0 ? 0 : slice.offset + recent.length
    if (seen * GLANCE < (slice.offset + slice.limit) * LIKELY) break
  }
  return run(documentsOf(accountId, amongAll(accountId, criteria, slice, where)))
}

/** Each document is unpacked once, by adding nothing to it: everything that is read of it would unpack it again. */
const unpacked = (look: Look<unknown>, bodies: Fragment): Fragment => fragment`
  select ${look.column} from (
    select i.body || '{}' as body, i.create_time, i.seq from (${bodies}) i ${newestFirst} offset 0) i
  ${newestFirst}`

/**
 * A merchant as the planner is to see them. By name it takes one it has not counted yet for one without invoices, and sorts
 * all of them rather than go by the index that holds their order.
 */
const anyMerchant = (accountId: string): Fragment => fragment`(select ${accountId}::text)`

/** A first page has few sizes, so its limit is part of the text: as a parameter it would have every list planned anew. */
const window = ({ offset, limit }: Slice): Fragment =>
  offset === 0 ? raw(`limit ${limit}`) : fragment`offset ${offset} limit ${limit}`

/**
 * Their documents, each by its id alone. A planner that knows nothing of a merchant yet takes every index that begins with
 * the account for as good as the one with the id, and would step through all invoices of the merchant for each; so the
 * account is kept out of its choice, and the lookup out of any join.
 */
const documentsOf = (accountId: string, ids: Fragment): Fragment => fragment`
  select i.body, found.create_time, found.seq from (${ids}) found cross join lateral (
    select body from invoices where id = found.id and account_id || '' = ${accountId} limit 1) i`

async function hasMoreThan(db: Reader, accountId: string, count: number): Promise<boolean> {
  const { statement, values } = fragment`
    select 1 from invoices where account_id = ${anyMerchant(accountId)}
    order by create_time desc, seq desc ${raw(`offset ${count} limit 1`)}`.toQuery()
  return (await db.row(statement, values)) !== undefined
}

/** The names of the criteria beside the time of creation, by which lists are ordered anyway. */
const othersOf = (criteria: Criteria) => givenOf(criteria).filter((name) => name !== 'created')

/** Whether a list is that of the newest, of one currency at most: then the index of all has its order. */
function isOfTheNewest(criteria: Criteria): boolean {
  const others = othersOf(criteria)
  return others.length === 0 || (others.length === 1 && criteria.currency !== undefined)
}

/** Other lists that an index already holds in their order. */
function inOrder(accountId: string, criteria: Criteria, slice: Slice, where: Fragment): Fragment | undefined {
  const { statuses, created, number } = criteria
  // At most one has the number. As the least of a range it is found by the index of numbers, whatever else the planner
  // thinks of the merchant; as an equal it would tie with every other that begins with the account.
  if (number !== undefined)
    return fragment`
      select * from (select i.id, i.create_time, i.seq from invoices i where ${where} order by i.number_key limit 1) i
      ${window(slice)}`
  if (othersOf(criteria).length > 1 || !statuses) return undefined
  const time = created ? fragment`and i.create_time between ${created.start} and ${created.end}` : raw('')
  // Each status has its own order; the first of each are enough to find the first of all.
  return fragment`
    select i.id, i.create_time, i.seq from unnest(${[...new Set(statuses)]}::text[]) as wanted(status)
    cross join lateral (
      select i.id, i.create_time, i.seq from invoices i
      where i.account_id = ${accountId} and i.status = wanted.status ${time}
      ${newestFirst} limit ${slice.offset + slice.limit}) i
    ${newestFirst} ${window(slice)}`
}

/** Asks the index of the narrowest criterion, and sorts what it finds. */
function amongAll(accountId: string, criteria: Criteria, slice: Slice, where: Fragment): Fragment {
  const { issued, due, paid } = criteria
  if (isByDay(criteria)) {
    if (issued) return byDay(accountId, raw('invoice_date'), issued, slice, where)
    if (due) return byDay(accountId, raw('due_date'), due, slice, where)
    if (paid) return byPaymentDay(accountId, paid, slice)
  }
  const words = wordsOf(criteria)
  const containing = words === undefined ? raw('') : fragment`and i.grams @@ ${words}::tsquery`
  return fragment`
    select i.id, i.create_time, i.seq from (
      with candidates as materialized (
        select i.id, i.create_time, i.seq from invoices i where ${where} ${containing})
      select * from candidates) i
    ${newestFirst} ${window(slice)}`
}

const byDays = ['issued', 'due', 'paid']

/** Whether the only criterion is a range of days. */
function isByDay(criteria: Criteria): boolean {
  const [only, ...others] = givenOf(criteria)
  return only !== undefined && others.length === 0 && byDays.includes(only)
}

/**
 * Steps from day to day that has invoices, and looks at the newest of each. The page comes from those days whose newest are
 * newest, at most one day for each of its invoices, however many days there are and however many invoices each has.
 */
const byDay = (accountId: string, column: Fragment, { start, end }: Days, slice: Slice, where: Fragment): Fragment =>
  fragment`
    select i.id, i.create_time, i.seq from (
      with recursive days(day) as (
        (select ${column} from invoices where account_id = ${accountId} and ${column} between ${start} and ${end}
         order by ${column} desc limit 1)
        union all
        select (select ${column} from invoices
                where account_id = ${accountId} and ${column} >= ${start} and ${column} < days.day
                order by ${column} desc limit 1)
        from days where days.day is not null)
      select days.day from days cross join lateral (
        select i.create_time, i.seq from invoices i
        where i.account_id = ${accountId} and i.${column} = days.day ${newestFirst} limit 1) i
      where days.day is not null ${newestFirst} limit ${slice.offset + slice.limit}) days
    cross join lateral (
      select i.id, i.create_time, i.seq from invoices i
      where ${where} and i.${column} = days.day
      order by i.create_time desc, i.seq desc limit ${slice.offset + slice.limit}) i
    ${newestFirst} ${window(slice)}`

/** The same for payments. An invoice may be paid on several days and counts once, also where it is the newest of several. */
const byPaymentDay = (accountId: string, { start, end }: Days, slice: Slice): Fragment => fragment`
    select i.invoice_id as id, i.invoice_create_time as create_time, i.invoice_seq as seq from (
      with recursive days(day) as (
        (select day from invoice_transactions
         where account_id = ${accountId} and kind = 'PAYMENT' and day between ${start} and ${end}
         order by day desc limit 1)
        union all
        select (select day from invoice_transactions
                where account_id = ${accountId} and kind = 'PAYMENT' and day >= ${start} and day < days.day
                order by day desc limit 1)
        from days where days.day is not null)
      select distinct paid.invoice_create_time, paid.invoice_seq, paid.invoice_id from (
        select days.day, dense_rank() over (order by t.invoice_create_time desc, t.invoice_seq desc) as place
        from days cross join lateral (
          select t.invoice_create_time, t.invoice_seq from invoice_transactions t
          where t.account_id = ${accountId} and t.kind = 'PAYMENT' and t.day = days.day
          order by t.invoice_create_time desc, t.invoice_seq desc limit 1) t
        where days.day is not null) days
      cross join lateral (
        select t.invoice_create_time, t.invoice_seq, t.invoice_id from invoice_transactions t
        where t.account_id = ${accountId} and t.kind = 'PAYMENT' and t.day = days.day
        group by t.invoice_create_time, t.invoice_seq, t.invoice_id
        order by t.invoice_create_time desc, t.invoice_seq desc limit ${slice.offset + slice.limit}) paid
      where days.place <= ${slice.offset + slice.limit}
      order by paid.invoice_create_time desc, paid.invoice_seq desc limit ${slice.offset + slice.limit}) i
    order by i.invoice_create_time desc, i.invoice_seq desc ${window(slice)}`

/** So many of a merchant's invoices are looked at by one statement of a walk, whether they match or not. */
const STRETCH = 500

/**
 * Every invoice that matches, newest first, a stretch of the merchant's invoices at a time. However many there are and
 * however few of them match, no statement takes longer than another, and no more than a stretch is held.
 */
export async function* walkInvoices(db: Reader, accountId: string, criteria: Criteria): AsyncGenerator<Invoice[]> {
  const where = conditionsOf(accountId, criteria)
  for (let place: Place | undefined = END; place && !criteria.nothing; ) {
    const { statement, values }: Query = fragment`
      select i.create_time, i.seq, case when ${where} then i.body end as body from (
        select * from invoices
        where account_id = ${anyMerchant(accountId)} and (create_time, seq) < (${place.create_time}, ${place.seq}::bigint)
        order by create_time desc, seq desc ${raw(`limit ${STRETCH}`)}) i
      ${newestFirst}`.toQuery()
    const rows: (Place & { body: Invoice | null })[] = await db.rows(statement, values)
    yield rows.flatMap(({ body }) => body ?? [])
    place = rows.length < STRETCH ? undefined : rows.at(-1)
  }
}

/** How many invoices match. */
export async function countInvoices(db: Reader, accountId: string, criteria: Criteria): Promise<number> {
  if (criteria.nothing) return 0
  const words = wordsOf(criteria)
  const containing = words === undefined ? raw('') : fragment`and i.grams @@ ${words}::tsquery`
  const { statement, values } = fragment`
    select count(*)::int as count from invoices i where ${conditionsOf(accountId, criteria)} ${containing}`.toQuery()
  return (await db.row<{ count: number }>(statement, values))!.count
}

/** The names of the criteria that are given. */
function givenOf({ texts = {}, ...others }: Criteria): string[] {
  return [...Object.entries(others), ...Object.entries(texts)].flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [name],
  )
}

/** The query for the index of words, where something in the criteria can be found by it. */
function wordsOf({ email, texts = {} }: Criteria): string | undefined {
  const parts = Object.entries(texts).flatMap(([column, text]) =>
    text === undefined ? [] : [`(${gramQuery(column as SearchedText, text)})`],
  )
  if (email !== undefined) parts.push(emailQuery(email))
  return parts.length === 0 ? undefined : parts.join(' & ')
}
