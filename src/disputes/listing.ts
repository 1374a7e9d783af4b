import { type Fragment, fragment, joined, type Statement } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import type { ListColumn, Listing, SortColumn } from './list-query.ts'
import type { Dispute, Side } from './schema.ts'

/** Whose disputes are listed: of these merchants, of this buyer, or both. */
export interface Scope {
  readonly sellers: readonly string[]
  readonly buyer?: string | undefined
}

/** What a list shows of a dispute, without reading its document. */
export interface SummaryRow {
  readonly id: string
  readonly account_id: string
  readonly side: Side
  readonly reason: string
  readonly status: string
  readonly stage: string
  readonly channel: string
  readonly state: string
  readonly currency: string
  readonly amount: bigint
  readonly due_time: string | null
  readonly outcome_code: string | null
  readonly transactions: readonly { readonly buyer_transaction_id: string; readonly seller_transaction_id: string }[]
  readonly takes_info: boolean
  readonly create_time: string
  readonly update_time: string
  readonly body: Dispute | null
}

// Column names are ours, never the caller's.
const raw = (text: string) => fragment([text] as unknown as TemplateStringsArray)

/**
 * One page and one row more. The list is put together from branches, each of which walks one index in the order of the
 * list and stops early: one branch for every account and for every value of the first any-of filter.
 */
export async function listDisputes(db: Reader, scope: Scope, listing: Listing, whole: boolean): Promise<SummaryRow[]> {
  const { size, page, after, sort, descending } = listing
  const offset = after ? 0 : (page - 1) * size
  const most = offset + size + 1
  const order = raw(`${sort} ${descending ? 'desc' : 'asc'}, id ${descending ? 'desc' : 'asc'}`)
  const branches = branchesOf(scope, listing).map(
    ({ side, conditions }) =>
      fragment`(select ${columns(side, whole)} from disputes where ${joined(conditions, ' and ')} order by ${order} limit ${most})`,
  )
  const [only] = branches
  if (!only) return []
  const source = branches.length === 1 && offset === 0 ? only : joined(branches, ' union all ')
  const isSimple = branches.length === 1 && offset === 0
  const query = isSimple
    ? source
    : fragment`select * from (${source}) page order by ${order} limit ${size + 1} offset ${offset}`
  return run<SummaryRow>(db, query, listing)
}

/** How many disputes the list holds in all. */
export async function countDisputes(db: Reader, scope: Scope, listing: Listing): Promise<number> {
  const counts = branchesOf(scope, { ...listing, after: undefined }).map(
    ({ conditions }) => fragment`select count(*) as n from disputes where ${joined(conditions, ' and ')}`,
  )
  if (counts.length === 0) return 0
  const rows = await run<{ n: bigint }>(db, joined(counts, ' union all '), listing)
  return Number(rows.reduce((sum, { n }) => sum + n, 0n))
}

/**
 * A range can hold almost everything or almost nothing, and only the values tell which index is the better one: such a
 * list is planned anew each time. The others always walk the same index and are planned once.
 */
function run<Row>(db: Reader, query: Fragment, { from, before, amountMin, amountMax, searchText, name }: Listing) {
  const { statement, values } = query.toQuery()
  const ranged = [from, before].some((bounds) => Object.keys(bounds).length > 0)
  const varies =
    ranged || amountMin !== undefined || amountMax !== undefined || searchText !== undefined || name !== undefined
  const unnamed: Statement = { name: '', text: statement.text }
  return db.rows<Row>(varies ? unnamed : statement, values)
}

const columns = (side: Side, whole: boolean) =>
  raw(
    `id, account_id, '${side}' as side, reason, status, stage, channel, ${side}_state as state, currency, amount, due_time,
     outcome_code, transactions, takes_info, create_time, update_time, ${whole ? 'body' : 'null::jsonb as body'}`,
  )

interface Branch {
  readonly side: Side
  readonly conditions: readonly Fragment[]
}

function branchesOf({ sellers, buyer }: Scope, listing: Listing): Branch[] {
  const accounts = [
    ...sellers.map((id) => ({ side: 'seller' as const, condition: fragment`account_id = ${id}` })),
    ...(buyer === undefined ? [] : [{ side: 'buyer' as const, condition: fragment`buyer_account_id = ${buyer}` }]),
  ]
  return accounts.flatMap(({ side, condition }) => {
    const [split, ...rest] = Object.entries(listing.anyOf) as [ListColumn, readonly string[]][]
    const shared = [
      condition,
      ...rest.map(([column, values]) => anyOf(column, values, side)),
      ...filters(listing, side),
    ]
    if (!split) return [{ side, conditions: shared }]
    const [column, values] = split
    return values.map((value) => ({ side, conditions: [condition, anyOf(column, [value], side), ...shared.slice(1)] }))
  })
}

function anyOf(column: ListColumn, values: readonly string[], side: Side): Fragment {
  const name = raw(column === 'dispute_state' ? `${side}_state` : column)
  // Partial indexes leave the usual flow out; saying so again lets the others be found in them.
  const beside = column === 'flow' && !values.includes('NONE') ? fragment` and flow <> 'NONE'` : fragment``
  return values.length === 1 ? fragment`${name} = ${values[0]}${beside}` : fragment`${name} = any(${values})${beside}`
}

/** Longer than any text that begins with the same characters. */
const END = '\u{10ffff}'
const begins = (column: 'buyer_name' | 'id' | 'invoice_number', text: string) =>
  fragment`${raw(column)} >= ${text} and ${raw(column)} < ${text + END}`

function filters(listing: Listing, side: Side): Fragment[] {
  const { after, sort, descending, from, before, amountMin, amountMax, transactionId, searchText } = listing
  const bounds = (limits: Listing['from'], operator: string) =>
    (Object.entries(limits) as [SortColumn, string][]).map(
      ([column, value]) => fragment`${raw(`${column} ${operator}`)} ${value}`,
    )
  return [
    ...(sort === 'due_time' ? [fragment`due_time is not null`] : []),
    ...(after ? [fragment`(${raw(sort)}, id) ${raw(descending ? '<' : '>')} (${after.value}, ${after.id})`] : []),
    ...bounds(from, '>='),
    ...bounds(before, '<'),
    ...(amountMin === undefined ? [] : [fragment`amount >= ${amountMin}`]),
    ...(amountMax === undefined ? [] : [fragment`amount <= ${amountMax}`]),
    ...(transactionId === undefined ? [] : [fragment`id in (${disputesAbout(transactionId, side)})`]),
    ...(listing.invoiceNumber === undefined ? [] : [fragment`invoice_number = ${listing.invoiceNumber}`]),
    ...(listing.email === undefined ? [] : [fragment`buyer_email = ${listing.email}`]),
    ...(listing.name === undefined ? [] : [begins('buyer_name', listing.name)]),
    ...(listing.accountNumber === undefined ? [] : [fragment`buyer_account_id = ${listing.accountNumber}`]),
    ...(searchText === undefined ? [] : [search(searchText, side)]),
  ]
}

/** The buyer knows a payment by one id, the seller by both. */
const disputesAbout = (id: string, side: Side) =>
  side === 'buyer'
    ? fragment`select dispute_id from disputed_transactions where buyer_transaction_id = ${id}`
    : fragment`select dispute_id from disputed_transactions where buyer_transaction_id = ${id}
        union all select dispute_id from disputed_transactions where account_id = disputes.account_id and transaction_id = ${id}`

/** Finds by the beginning of a name, a dispute id or an invoice number, or by a whole transaction id. */
const search = (
  text: string,
  side: Side,
) => fragment`(${begins('buyer_name', text)} or ${begins('id', text.toUpperCase())}
  or ${begins('invoice_number', text.toUpperCase())} or ${begins('invoice_number', text)}
  or id = any(array(${disputesAbout(text.toUpperCase(), side)})))`
