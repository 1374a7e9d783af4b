import { stampOf } from '../../database/recall.ts'
import {
  type Fragment,
  fragment,
  joined,
  listStatements,
  type Query,
  raw,
  unprepared,
  unseen,
} from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Sight } from '../access.ts'
import type { Dispute, Side } from '../schema/dispute.ts'
import { amountBounds } from './amounts.ts'
import type { ListColumn, Listing, SortColumn } from './query.ts'

/** A dispute of a list. */
interface Listed {
  readonly id: string
  /** What the list is sorted by. */
  readonly at: string
}

/** A dispute of a list with its document. */
export interface ListedDispute extends Listed {
  readonly side: Side
  readonly body: Dispute
}

/** A dispute with the text that is stored for lists. The text has no links yet. */
export interface ListedSummary extends Listed {
  readonly summary: string
  /** Whether this side may add information now, for which it gets a link. */
  readonly takes_info: boolean
}

type Columns = (side: Side) => string
const wholeColumns: Columns = (side) => `'${side}' as side, body`
const summaryColumns: Columns = (side) =>
  `xmin::text as xmin, version, ${side}_summary as summary, ${side === 'seller' ? 'takes_info' : `takes_info and channel = 'INTERNAL' as takes_info`}`

/**
 * One page and one row more. The list is put together from branches, each of which walks one index in the order of the
 * list and stops early: one branch for each side and for every value of the first any-of filter. Of several sellers, such as
 * those of a partner, a branch walks for one after the other: one for each would be more than the server can plan.
 */
function pageOf(sight: Sight, listing: Listing, columns: Columns): Fragment | undefined {
  const { size, page, after, sort } = listing
  const offset = after ? 0 : (page - 1) * size
  const most = offset + size + 1
  const direction = directionOf(listing)
  const order = raw(`order by at ${direction}, id ${direction}`)
  // First pages have few sizes, so their limit is part of the text. As a parameter, it would make the server expect a tenth
  // of the table, and plan every list anew.
  const limit = offset === 0 ? raw(`limit ${most}`) : fragment`limit ${most}`
  const walk = (branch: Branch, ...more: Fragment[]) => walkOf(branch, { listing, columns, limit, more })
  // A search may find the same dispute in several ways, but it is listed once.
  const together = (parts: readonly Fragment[]) =>
    joined(parts, listing.searchText === undefined ? ' union all ' : ' union ')

  const branches = branchesOf(sight, listing, isWalk(listing))
  const [only, ...others] = branches
  if (!only) return undefined
  if (others.length === 0 && offset === 0 && !only.each) return walk(only)
  const dated = branches.filter(({ at }) => at === sort)
  const undated = branches.filter(({ at }) => at !== sort)
  if (undated.length === 0)
    return fragment`select * from (${together(branches.map((one) => walk(one)))}) page ${order} limit ${size + 1} offset ${offset}`
  // `near` comes first in the direction in which the page is read. The others are looked for only if `near` does not fill
  // the page.
  const [near, far] = after?.backwards ? [undated, dated] : [dated, undated]
  const unfilled = fragment`(select count(*) from near) < ${most}`
  return fragment`with near as materialized (select * from (${together(near.map((one) => walk(one)))}) near ${order} ${limit})
    select * from (select * from near union all ${together(far.map((one) => walk(one, unfilled)))}) page
     ${order} limit ${size + 1} offset ${offset}`
}

interface Walk {
  readonly listing: Listing
  readonly columns: Columns
  readonly limit: Fragment
  /** Conditions beside those of the branch. */
  readonly more: readonly Fragment[]
}

/** The disputes of one branch in the order of the list, or those of each of its sellers in that order. */
function walkOf({ side, at, conditions, each }: Branch, { listing, columns, limit, more }: Walk): Fragment {
  const direction = directionOf(listing)
  const order = at === listing.sort ? `${at} ${direction}, id ${direction}` : `id ${direction}`
  const walk = fragment`(select id, ${raw(`${at} as at, ${columns(side)}`)} from disputes where ${joined([...conditions, ...more], ' and ')} order by ${raw(order)} ${limit})`
  return each ? fragment`(select walk.* from ${each} cross join lateral ${walk} walk)` : walk
}

/** The direction in which a page is read: that of the list, or the opposite one if it is read from its end. */
const directionOf = ({ descending, after }: Listing) => (descending !== (after?.backwards ?? false) ? 'desc' : 'asc')

/** Where disputes without a due date stand in a list by due date: at its end, whichever way it is sorted. */
const undatedAt = ({ descending }: Listing) => `'${descending ? '0001-01-01' : '9999-12-31'}T00:00:00.000Z'::instant`

/** The disputes of a page with their documents, and one more if there are more. In the order in which they are read. */
export async function listDisputes(db: Reader, sight: Sight, listing: Listing): Promise<ListedDispute[]> {
  const page = pageOf(sight, listing, wholeColumns)
  return page ? run<ListedDispute>(db, page, listing) : []
}

/**
 * The texts that lists show, as a single text, unless the page is the one that is known already. It comes as one row:
 * reading rows and fields one by one takes a process longer than it takes the server to join them. Line feeds separate the
 * parts, since the JSON has none.
 */
export function summariesUnlessKnown(sight: Sight, listing: Listing): ((known: string | null) => Query) | undefined {
  const page = pageOf(sight, listing, summaryColumns)
  if (!page) return undefined
  const { text, values } = gather(page).printed()
  const statement = isRanged(listing) ? () => unprepared(text) : () => listStatements.of(text)
  return (known) => ({ statement: statement(), values: [known, ...values.slice(1)] })
}

/** The first value of this query is the stamp of the page that is known. */
const gather = (
  page: Fragment,
) => fragment`select ${raw(stampOfPage)} as stamp, case when ${raw(stampOfPage)} is distinct from ${null}
    then coalesce(concat_ws(chr(10), string_agg(id, ' '), string_agg(at, ' '),
      string_agg(case when takes_info then '+' else '-' end, ''), string_agg(summary, chr(10))), '') end as text
  from (${page}) page`
/** The stamps of all rows of a page in their order. For an empty page, an empty text. */
const stampOfPage = `coalesce(string_agg(id || '/' || ${stampOf('page')}, ' '), '')`

/** Takes the rows apart that were joined to one text. */
export function summariesOf(text: string): ListedSummary[] {
  if (text === '') return []
  const [ids, times, takesInfo, ...summaries] = text.split('\n') as [string, string, string, ...string[]]
  const at = times.split(' ')
  return ids.split(' ').map((id, i) => ({ id, at: at[i]!, summary: summaries[i]!, takes_info: takesInfo[i] === '+' }))
}

/** How many disputes the list holds in all. */
export async function countDisputes(db: Reader, sight: Sight, listing: Listing): Promise<number> {
  const found = branchesOf(sight, { ...listing, after: undefined }, false).map(
    ({ conditions, each }) =>
      fragment`select id from ${each ? fragment`${each}, ` : raw('')}disputes where ${joined(conditions, ' and ')}`,
  )
  if (found.length === 0) return 0
  const merged = joined(found, listing.searchText === undefined ? ' union all ' : ' union ')
  const [row] = await run<{ n: bigint }>(db, fragment`select count(*) as n from (${merged}) found`, listing)
  return Number(row!.n)
}

/**
 * Whether the list has a range. A range can hold nearly everything or nearly nothing, and only its values tell which index
 * is better.
 */
const isRanged = ({ from, before, amountMin, amountMax }: Listing): boolean =>
  [from, before].some((bounds) => Object.keys(bounds).length > 0) || amountMin !== undefined || amountMax !== undefined

/** A list with a range is planned anew each time. The others always walk the same index and are planned once. */
const queryOf = (query: Fragment, listing: Listing): Query =>
  isRanged(listing) ? query.toUnpreparedQuery() : query.toQuery()

function run<Row>(db: Reader, query: Fragment, listing: Listing) {
  const { statement, values } = queryOf(query, listing)
  return db.rows<Row>(statement, values)
}

/** Whether the list is read from the newest or by due date. The window of 180 days then leaves little out. */
const isWalk = (listing: Listing): boolean =>
  !isRanged(listing) &&
  (listing.sort === 'due_time' || (listing.sort === 'create_time' && directionOf(listing) === 'desc'))

interface Branch {
  readonly side: Side
  /** What the disputes of this branch are sorted by: the column of the list, or the place of those without a value. */
  readonly at: string
  readonly conditions: readonly Fragment[]
  /** The sellers for which the conditions are asked one after the other, as `owner`. */
  readonly each?: Fragment
}

function branchesOf({ sellers, buyer }: Sight, listing: Listing, walk: boolean): Branch[] {
  const accounts = [
    ...sellersOf([...sellers.keys()]),
    ...(buyer === undefined
      ? []
      : [{ side: 'buyer' as const, id: fragment`${buyer}`, condition: fragment`buyer_account_id = ${buyer}` }]),
  ]
  return accounts.flatMap((owner): Branch[] => {
    const [split, ...rest] = Object.entries(listing.anyOf) as [ListColumn, readonly string[]][]
    const { side, condition, each } = owner
    const shared = [...rest.map(([column, values]) => anyOf(column, values, side)), ...filters(listing, owner, walk)]
    const hasUndated = listing.sort === 'due_time' && !listing.from.due_time && !listing.before.due_time
    const parts = [
      { at: listing.sort, own: listing.sort === 'due_time' ? [fragment`due_time is not null`] : [] },
      ...(hasUndated ? [{ at: undatedAt(listing), own: [fragment`due_time is null`] }] : []),
    ]
    const values = split ? split[1].map((value) => [anyOf(split[0], [value], side)]) : [[]]
    const searches = listing.searchText === undefined ? [[]] : search(listing.searchText, owner).map((one) => [one])
    return parts.flatMap(({ at, own }) =>
      values.flatMap((value) =>
        searches.map((one) => ({
          side,
          at,
          conditions: [condition, ...value, ...one, ...own, ...beyond(listing, at), ...shared],
          ...(each && { each }),
        })),
      ),
    )
  })
}

interface Owner {
  readonly side: Side
  readonly id: Fragment
  readonly condition: Fragment
  readonly each?: Fragment
}

/** The owner to ask for: a single seller, or several one after the other. */
function sellersOf(ids: readonly string[]): Owner[] {
  if (ids.length <= 1)
    return ids.map((id) => ({ side: 'seller', id: fragment`${id}`, condition: fragment`account_id = ${id}` }))
  const each = fragment`unnest(${unseen(ids, 'text[]')}) as owner(seller)`
  return [{ side: 'seller', id: raw('owner.seller'), condition: raw('account_id = owner.seller'), each }]
}

function anyOf(column: ListColumn, values: readonly string[], side: Side): Fragment {
  const name = raw(column === 'dispute_state' ? `${side}_state` : column)
  // Partial indexes leave the usual flow out. Repeating that condition lets the server use them for the other flows.
  const beside = column === 'flow' && !values.includes('NONE') ? fragment` and flow <> 'NONE'` : fragment``
  return values.length === 1 ? fragment`${name} = ${values[0]}${beside}` : fragment`${name} = any(${values})${beside}`
}

/** Only what lies beyond the place where the page begins. */
const beyond = (listing: Listing, at: string): Fragment[] =>
  listing.after
    ? [
        fragment`(${raw(at)}, id) ${raw(directionOf(listing) === 'desc' ? '<' : '>')} (${listing.after.value}, ${listing.after.id})`,
      ]
    : []

function filters(listing: Listing, owner: Owner, walk: boolean): Fragment[] {
  const { from, before, window, transactionId } = listing
  const bounds = (limits: Listing['from'], operator: string) =>
    (Object.entries(limits) as [SortColumn, string][]).map(
      ([column, value]) => fragment`${raw(`${column} ${operator}`)} ${value}`,
    )
  return [
    ...(from.update_time === undefined ? [walk ? almostAllSince(window) : fragment`update_time >= ${window}`] : []),
    ...bounds(from, '>='),
    ...bounds(before, '<'),
    // Nothing can change before it was opened. Saying so lets the walk start where the first match can be.
    ...(before.update_time === undefined ? [] : [fragment`create_time < ${before.update_time}`]),
    ...amountBounds(listing, listing.anyOf.currency),
    ...(transactionId === undefined ? [] : [disputesAbout(transactionId, owner)]),
    ...(listing.invoiceNumber === undefined ? [] : [fragment`invoice_number = ${listing.invoiceNumber}`]),
    ...(listing.email === undefined ? [] : [fragment`buyer_email = ${listing.email}`]),
    ...(listing.name === undefined ? [] : [fragment`buyer_name = ${listing.name}`]),
    ...(listing.accountNumber === undefined ? [] : [fragment`buyer_account_id = ${listing.accountNumber}`]),
  ]
}

/**
 * True for what changed at an instant or later, worded so that the planner expects nearly every row. For a plain comparison
 * with a value that it does not know yet it expects a third of them, takes the walk for three times as long as it is, and
 * plans anew for every value, which takes longer than reading the page.
 */
const almostAllSince = (window: string) => fragment`(case when update_time >= ${window} then true end) is not null`

/** The buyer knows a payment by one id, the seller by both. Payments that were taken out of a dispute do not count. */
const disputesAbout = (transactionId: string, { side, id }: Owner) =>
  side === 'buyer'
    ? fragment`id = any(array(select dispute_id from disputed_transactions
        where buyer_transaction_id = ${transactionId} and not taken_out))`
    : fragment`id = any(array(select dispute_id from disputed_transactions
        where buyer_transaction_id = ${transactionId} and not taken_out
        union all select dispute_id from disputed_transactions
        where account_id = ${id} and transaction_id = ${transactionId} and not taken_out))`

/** What a searched text can be: a whole name, a dispute, an invoice number or a payment. Suggestions complete what is typed. */
const search = (text: string, owner: Owner): Fragment[] => [
  fragment`buyer_name = ${text.toLowerCase()}`,
  fragment`id = ${text.toUpperCase()}`,
  fragment`invoice_number = ${text}`,
  disputesAbout(text, owner),
]
