import { type Fragment, fragment, joined, raw } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Sight } from '../access.ts'
import type { Dispute, Side } from '../schema/dispute.ts'
import { amountBounds } from './amounts.ts'
import type { ListColumn, Listing, SortColumn } from './query.ts'

/** A dispute of a list, whole. */
export interface ListedDispute {
  readonly id: string
  readonly side: Side
  /** What the list is sorted by. */
  readonly at: string
  readonly body: Dispute
}

/**
 * One page and one row more. The list is put together from branches, each of which walks one index in the order of the
 * list and stops early: one branch for every account and for every value of the first any-of filter.
 */
function pageOf(sight: Sight, listing: Listing, whole: boolean): Fragment | undefined {
  const { size, page, after, sort } = listing
  const offset = after ? 0 : (page - 1) * size
  const most = offset + size + 1
  const direction = directionOf(listing)
  // A first page has few sizes, so its limit is part of the text. As a parameter it would make the server expect a tenth
  // of the table and plan every list anew.
  const limit = offset === 0 ? raw(`limit ${most}`) : fragment`limit ${most}`
  const branches = branchesOf(sight, listing).map(
    ({ side, at, conditions }) =>
      fragment`(select ${columns(side, at, whole)} from disputes where ${joined(conditions, ' and ')} order by ${raw(`${at === sort ? `${sort} ${direction}, ` : ''}id ${direction}`)} ${limit})`,
  )
  if (branches.length <= 1 && offset === 0) return branches[0]
  // One dispute may be found in several ways by a search, but is listed once.
  const merged = joined(branches, listing.searchText === undefined ? ' union all ' : ' union ')
  return fragment`select * from (${merged}) page order by ${raw(`at ${direction}, id ${direction}`)} limit ${size + 1} offset ${offset}`
}

/** The way a page is read: that of the list, or the other one when it is read from its end. */
const directionOf = ({ descending, after }: Listing) => (descending !== (after?.backwards ?? false) ? 'desc' : 'asc')

/** Where a list by due date puts what has none: at its end, whichever way it goes. */
const undated = ({ descending }: Listing) => `'${descending ? '0001-01-01' : '9999-12-31'}T00:00:00.000Z'::instant`

/** The disputes of a page with their documents, and one more if there are more; in the order they are read. */
export async function listDisputes(db: Reader, sight: Sight, listing: Listing): Promise<ListedDispute[]> {
  const page = pageOf(sight, listing, true)
  return page ? run<ListedDispute>(db, page, listing) : []
}

/** What goes around the stored summaries in this deployment, each as JSON text. */
export interface Frame {
  /** Begins the address of a dispute. */
  readonly base: string
  /** Links that follow the first one where more information is taken; `@` stands for the address of the dispute. */
  readonly infoLinks: string
  /** The name of the state under review, if it is not the neutral one. */
  readonly underReview: string | undefined
}

export interface SummaryPage {
  /** The items, separated by commas, in the order of the list. */
  readonly items: string | null
  readonly found: bigint
  /** The disputes read first and last. */
  readonly near_at: string | null
  readonly near_id: string | null
  readonly far_at: string | null
  readonly far_id: string | null
}

/** The summaries of a page as one text. The database puts it together, which costs it less than it costs us to read rows. */
export async function listSummaries(db: Reader, sight: Sight, listing: Listing, frame: Frame): Promise<SummaryPage> {
  const page = pageOf(sight, listing, false)
  if (!page) return { items: null, found: 0n, near_at: null, near_id: null, far_at: null, far_id: null }
  const direction = directionOf(listing)
  const order = raw(listing.after?.backwards ? 'n desc' : 'n')
  const { base, infoLinks, underReview } = frame
  const summary = underReview
    ? fragment`replace(summary, '"dispute_state":"UNDER_REVIEW"', ${`"dispute_state":"${underReview}"`})`
    : raw('summary')
  const [row] = await run<SummaryPage>(
    db,
    fragment`select string_agg(left(${summary}, -1) || ',"links":[{"href":"' || ${base} || id || '","rel":"self","method":"GET"}'
        || case when takes_info and (side = 'seller' or channel = 'INTERNAL')
             then replace(${infoLinks}, '@', ${base} || id) else '' end || ']}', ',' order by ${order}) filter (where n <= ${listing.size}) as items,
      count(*) as found, min(at) filter (where n = 1) as near_at, min(id) filter (where n = 1) as near_id,
      (array_agg(at order by n desc) filter (where n <= ${listing.size}))[1] as far_at,
      (array_agg(id order by n desc) filter (where n <= ${listing.size}))[1] as far_id
      from (select *, row_number() over (order by ${raw(`at ${direction}, id ${direction}`)}) as n from (${page}) page) numbered`,
    listing,
  )
  return row!
}

/** How many disputes the list holds in all. */
export async function countDisputes(db: Reader, sight: Sight, listing: Listing): Promise<number> {
  const found = branchesOf(sight, { ...listing, after: undefined }).map(
    ({ conditions }) => fragment`select id from disputes where ${joined(conditions, ' and ')}`,
  )
  if (found.length === 0) return 0
  const merged = joined(found, listing.searchText === undefined ? ' union all ' : ' union ')
  const [row] = await run<{ n: bigint }>(db, fragment`select count(*) as n from (${merged}) found`, listing)
  return Number(row!.n)
}

/**
 * A range can hold almost everything or almost nothing, and only the values tell which index is the better one: such a
 * list is planned anew each time. The others always walk the same index and are planned once.
 */
function run<Row>(db: Reader, query: Fragment, { from, before, amountMin, amountMax }: Listing) {
  const ranged = [from, before].some((bounds) => Object.keys(bounds).length > 0)
  const varies = ranged || amountMin !== undefined || amountMax !== undefined
  const { statement, values } = varies ? query.toUnpreparedQuery() : query.toQuery()
  return db.rows<Row>(statement, values)
}

const columns = (side: Side, at: string, whole: boolean) =>
  raw(
    `id, '${side}' as side, ${at} as at, ${side}_summary as summary, takes_info, channel, ${whole ? 'body' : 'null::jsonb as body'}`,
  )

interface Branch {
  readonly side: Side
  /** What the disputes of this branch are sorted by: the column of the list, or where those without a value stand. */
  readonly at: string
  readonly conditions: readonly Fragment[]
}

function branchesOf({ sellers, buyer }: Sight, listing: Listing): Branch[] {
  const accounts = [
    ...[...sellers.keys()].map((id): Owner => ({ side: 'seller', id, condition: fragment`account_id = ${id}` })),
    ...(buyer === undefined
      ? []
      : [{ side: 'buyer' as const, id: buyer, condition: fragment`buyer_account_id = ${buyer}` }]),
  ]
  return accounts.flatMap((owner) => {
    const [split, ...rest] = Object.entries(listing.anyOf) as [ListColumn, readonly string[]][]
    const { side, condition } = owner
    const shared = [...rest.map(([column, values]) => anyOf(column, values, side)), ...filters(listing, owner)]
    const hasUndated = listing.sort === 'due_time' && !listing.from.due_time && !listing.before.due_time
    const parts = [
      { at: listing.sort, own: listing.sort === 'due_time' ? [fragment`due_time is not null`] : [] },
      ...(hasUndated ? [{ at: undated(listing), own: [fragment`due_time is null`] }] : []),
    ]
    const values = split ? split[1].map((value) => [anyOf(split[0], [value], side)]) : [[]]
    const searches = listing.searchText === undefined ? [[]] : search(listing.searchText, owner).map((one) => [one])
    return parts.flatMap(({ at, own }) =>
      values.flatMap((value) =>
        searches.map((one) => ({
          side,
          at,
          conditions: [condition, ...value, ...one, ...own, ...beyond(listing, at), ...shared],
        })),
      ),
    )
  })
}

interface Owner {
  readonly side: Side
  readonly id: string
  readonly condition: Fragment
}

function anyOf(column: ListColumn, values: readonly string[], side: Side): Fragment {
  const name = raw(column === 'dispute_state' ? `${side}_state` : column)
  // Partial indexes leave the usual flow out; saying so again lets the others be found in them.
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

function filters(listing: Listing, owner: Owner): Fragment[] {
  const { from, before, window, transactionId } = listing
  const bounds = (limits: Listing['from'], operator: string) =>
    (Object.entries(limits) as [SortColumn, string][]).map(
      ([column, value]) => fragment`${raw(`${column} ${operator}`)} ${value}`,
    )
  return [
    ...(from.update_time === undefined ? [fragment`update_time >= ${window}`] : []),
    ...bounds(from, '>='),
    ...bounds(before, '<'),
    // Nothing changed before it was opened; saying so lets the walk start where the first match can be.
    ...(before.update_time === undefined ? [] : [fragment`create_time < ${before.update_time}`]),
    ...amountBounds(listing, listing.anyOf.currency),
    ...(transactionId === undefined ? [] : [disputesAbout(transactionId, owner)]),
    ...(listing.invoiceNumber === undefined ? [] : [fragment`invoice_number = ${listing.invoiceNumber}`]),
    ...(listing.email === undefined ? [] : [fragment`buyer_email = ${listing.email}`]),
    ...(listing.name === undefined ? [] : [fragment`buyer_name = ${listing.name}`]),
    ...(listing.accountNumber === undefined ? [] : [fragment`buyer_account_id = ${listing.accountNumber}`]),
  ]
}

/** The buyer knows a payment by one id, the seller by both. */
const disputesAbout = (transactionId: string, { side, id }: Owner) =>
  side === 'buyer'
    ? fragment`id = any(array(select dispute_id from disputed_transactions where buyer_transaction_id = ${transactionId}))`
    : fragment`id = any(array(select dispute_id from disputed_transactions where buyer_transaction_id = ${transactionId}
        union all select dispute_id from disputed_transactions where account_id = ${id} and transaction_id = ${transactionId}))`

/** What a text can be: a whole name, a dispute, an invoice number or a payment. Suggestions lead to whole ones. */
const search = (text: string, owner: Owner): Fragment[] => [
  fragment`buyer_name = ${text.toLowerCase()}`,
  fragment`id = ${text.toUpperCase()}`,
  fragment`invoice_number = ${text}`,
  disputesAbout(text, owner),
]
