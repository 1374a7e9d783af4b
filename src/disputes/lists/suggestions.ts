import { type Fragment, fragment, joined, raw, unseen } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Caller } from '../../kernel/caller.ts'
import { Type } from '../../kernel/type.ts'
import { figureScopes, fullySeen, type Sight, sightOf } from '../access.ts'

export const searchFields = ['NAME', 'EMAIL', 'DISPUTE_ID', 'DISPUTED_TRANSACTION_ID', 'INVOICE_NUMBER', 'ALL'] as const

export const SuggestionsQuery = Type.Object({
  search_text: Type.String({ minLength: 2, maxLength: 255 }),
  search_field: Type.Optional(Type.Enum([...searchFields])),
})

const MOST = 10
const END = '\u{10ffff}'

/** What somebody might be looking for, by its beginning. Only text that the caller may see is ever suggested. */
export async function suggest(
  db: Reader,
  caller: Caller,
  text: string,
  field: (typeof searchFields)[number] = 'ALL',
): Promise<string[]> {
  const sight = await sightOf(db, caller, figureScopes)
  const owners = ownersIn(sight)
  const wanted = (name: string) => field === 'ALL' || field === name
  const [lower, upper] = [text.toLowerCase(), text.toUpperCase()]
  const readsMailOf = fullySeen(sight)
  const sources = [
    ...(wanted('NAME') ? owners.map((of) => begins(of, 'buyer_name', lower, newestSpelling)) : []),
    ...(wanted('EMAIL') && readsMailOf.length > 0 ? [begins(sellers(readsMailOf), 'buyer_email', lower)] : []),
    ...(wanted('DISPUTE_ID') ? owners.map((of) => begins(of, 'id', upper)) : []),
    ...(wanted('INVOICE_NUMBER') ? owners.map((of) => begins(of, 'invoice_number', text)) : []),
    ...(wanted('DISPUTED_TRANSACTION_ID') ? transactions(sight, upper) : []),
  ]
  if (sources.length === 0) return []
  const { statement, values } = fragment`select distinct text from (${joined(sources, ' union all ')}) found
    where text is not null order by text ${raw(`limit ${MOST}`)}`.toQuery()
  return (await db.rows<{ text: string }>(statement, values)).map((row) => row.text)
}

/** Accounts, and the table and column that say which rows are theirs. */
interface Owners {
  readonly ids: readonly string[]
  readonly table: 'disputes' | 'disputed_transactions'
  readonly column: 'account_id' | 'buyer_account_id'
}

const sellers = (ids: readonly string[]): Owners => ({ ids, table: 'disputes', column: 'account_id' })

const ownersIn = (sight: Sight): Owners[] => [
  ...(sight.sellers.size > 0 ? [sellers([...sight.sellers.keys()])] : []),
  ...(sight.buyer === undefined
    ? []
    : [{ ids: [sight.buyer], table: 'disputes', column: 'buyer_account_id' } as const]),
]

/** Names are compared in lower case, and shown as the newest dispute of each has them. */
const newestSpelling = ({ column }: Owners) =>
  raw(`(select d.body->'buyer'->>'name' from disputes d
    where d.${column} = owner.id and d.buyer_name = step.value order by d.create_time desc, d.id desc limit 1)`)

/**
 * The first values of a column that begin with a text, for each owner. The index of owner and column is entered once for
 * each value, so rows with the same value are passed over, however many they are.
 */
function begins(owners: Owners, column: string, text: string, shown?: (owners: Owners) => Fragment): Fragment {
  const disputed = raw(owners.table === 'disputed_transactions' ? 'and not taken_out' : '')
  const next = (from: Fragment) => fragment`
    select ${raw(column)} from ${raw(owners.table)} where ${raw(owners.column)} = owner.id ${disputed}
      and ${raw(column)} ${from} and ${raw(column)} < ${unseen(text + END, 'text')} order by ${raw(column)} limit 1`
  return fragment`(
    select ${shown?.(owners) ?? raw('step.value')} as text
    from unnest(${unseen(owners.ids, 'text[]')}) as owner(id) cross join lateral (
      with recursive steps(value) as (
        (${next(fragment`>= ${unseen(text, 'text')}`)})
        union all
        select (${next(raw('> steps.value'))}) from steps where steps.value is not null)
      select value from steps where value is not null limit ${raw(String(MOST))}) step)`
}

/** For what it sold, the caller is told the seller's ids of payments; for what it bought, the buyer's ids. */
function transactions({ sellers: sold, buyer }: Sight, text: string): Fragment[] {
  const bought =
    // The buyer is a column of the dispute. As a value it is looked up row by row, and not for all rows at once.
    fragment`(select t.buyer_transaction_id as text from disputed_transactions t
      where t.buyer_transaction_id >= ${unseen(text, 'text')} and t.buyer_transaction_id < ${unseen(text + END, 'text')}
        and not t.taken_out and (select d.buyer_account_id from disputes d where d.id = t.dispute_id) = ${unseen(buyer, 'text')}
      order by t.buyer_transaction_id ${raw(`limit ${MOST}`)})`
  return [
    ...(sold.size > 0
      ? [begins({ ...sellers([...sold.keys()]), table: 'disputed_transactions' }, 'transaction_id', text)]
      : []),
    ...(buyer === undefined ? [] : [bought]),
  ]
}
