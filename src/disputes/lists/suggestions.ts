import { type Fragment, fragment, joined, raw } from '../../database/sql.ts'
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

/** What someone might be looking for, by how it begins. Only text that the caller may see is ever suggested. */
export async function suggest(
  db: Reader,
  caller: Caller,
  text: string,
  field: (typeof searchFields)[number] = 'ALL',
): Promise<string[]> {
  const sight = await sightOf(db, caller, figureScopes)
  const readsMailOf = fullySeen(sight)
  const wanted = (name: string) => field === 'ALL' || field === name
  const whose = ownerOf(sight)
  if (!whose) return []
  const upper = text.toUpperCase()
  const sources = [
    ...(wanted('NAME') ? [begins(whose, `body->'buyer'->>'name'`, 'buyer_name', text.toLowerCase())] : []),
    ...(wanted('EMAIL') && readsMailOf.length > 0
      ? [begins(fragment`account_id = any(${readsMailOf})`, 'buyer_email', 'buyer_email', text.toLowerCase())]
      : []),
    ...(wanted('DISPUTE_ID') ? [begins(whose, 'id', 'id', upper)] : []),
    ...(wanted('INVOICE_NUMBER') ? [begins(whose, 'invoice_number', 'invoice_number', text)] : []),
    ...(wanted('DISPUTED_TRANSACTION_ID') ? [transactions(sight, upper)] : []),
  ]
  if (sources.length === 0) return []
  const { statement, values } = fragment`select distinct text from (${joined(sources, ' union all ')}) found
    where text is not null order by text limit ${MOST}`.toUnpreparedQuery()
  return (await db.rows<{ text: string }>(statement, values)).map((row) => row.text)
}

function ownerOf({ sellers, buyer }: Sight): Fragment | undefined {
  const owners = [
    ...(sellers.size > 0 ? [fragment`account_id = any(${[...sellers.keys()]})`] : []),
    ...(buyer === undefined ? [] : [fragment`buyer_account_id = ${buyer}`]),
  ]
  return owners.length === 0 ? undefined : fragment`(${joined(owners, ' or ')})`
}

const begins = (whose: Fragment, shown: string, column: string, text: string) =>
  fragment`(select distinct ${raw(shown)} as text from disputes
    where ${whose} and ${raw(column)} >= ${text} and ${raw(column)} < ${text + END} limit ${MOST})`

/** A seller is told its own ids of payments, a buyer theirs. */
function transactions({ sellers, buyer }: Sight, text: string): Fragment {
  const column = sellers.size > 0 ? 'transaction_id' : 'buyer_transaction_id'
  const theirs =
    sellers.size > 0
      ? fragment`t.account_id = any(${[...sellers.keys()]})`
      : fragment`exists (select 1 from disputes d where d.id = t.dispute_id and d.buyer_account_id = ${buyer})`
  return fragment`(select t.${raw(column)} as text from disputed_transactions t
    where ${theirs} and t.${raw(column)} >= ${text} and t.${raw(column)} < ${text + END} limit ${MOST})`
}
