import { type Fragment, fragment, joined, raw, unseen } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { bySpan } from './by-span.ts'
import { emailQuery, isUnnamed, pieceQueries, type SearchedText } from './columns.ts'
import type { CommonPieces } from './common.ts'
import { type Criteria, conditionsOf, type Put, put } from './conditions.ts'
import { anyMerchant, type Slice } from './slice.ts'

/** Whether nothing but words is looked for, or addresses. */
export const isOfWords = ({ email, texts = {}, ...others }: Criteria): boolean =>
  Object.values(others).every((value) => value === undefined || value === false) &&
  [email, ...Object.values(texts)].some((text) => text !== undefined)

/** The share of all invoices of a merchant who is too large for it to matter whose an invoice is. */
const LARGE = 0.01

/** The slice of a search for words alone. */
export async function byWords(
  ...[db, accountId, criteria, slice, common]: [Reader, string, Criteria, Slice, CommonPieces?]
): Promise<Fragment> {
  const shares = await common?.shares(db)
  // Neither values nor the merchant are seen by the planner: only the index of words will do, and it plans just once.
  const found = fragment`
    select i.id, i.create_time, i.seq from invoices i
    where ${conditionsOf(raw('i.account_id'), criteria, unseen)} and i.account_id || '' = ${accountId}`
  // Where few rows are looked at, it takes longest to begin with a list. So one query goes through all lists together.
  const among = (way: Way) => {
    const words = containing(accountId, criteria, shares, way, unseen)
    return (condition: Fragment) => fragment`${found} ${words} and ${condition}`
  }
  const isLarge = (shares?.get(accountId) ?? 0) > LARGE
  return bySpan({ accountId, isLarge }, slice, { newest: among('together'), all: among('apart') })
}

/** What the index of words is asked, where something in the criteria can be found by it. */
export const containingWords = async (
  db: Reader,
  accountId: string,
  criteria: Criteria,
  common?: CommonPieces,
): Promise<Fragment> => containing(accountId, criteria, await common?.shares(db), 'apart', put)

/** With one query for each piece the index goes through the shortest list and only looks into the others. */
type Way = 'apart' | 'together'

function containing(
  accountId: string,
  { email, texts = {} }: Criteria,
  shares: ReadonlyMap<string, number> | undefined,
  way: Way,
  as: Put,
): Fragment {
  const sought = Object.entries(texts).flatMap(([column, text]) =>
    text === undefined ? [] : [[column as SearchedText, text] as const],
  )
  const has = (query: string) => fragment`i.grams @@ ${as(query, 'tsquery')}`
  const conditions: Fragment[] = email === undefined ? [] : [has(emailQuery(email))]
  if (sought.length > 0) {
    const { pieces, before } = pieceQueries(sought, (piece) => shares?.get(piece) ?? 0)
    const named =
      way === 'together'
        ? has(`(${pieces.join(' & ')}) | (${before})`)
        : fragment`(${joined(pieces.map(has), ' and ')}) or ${has(before)}`
    // With the merchant, whose index of these is asked: others may have very many of them.
    const unnamed = fragment`${raw(isUnnamed)} and i.account_id = ${anyMerchant(accountId)}`
    conditions.push(fragment`(${named} or ${unnamed})`)
  }
  return joined(
    conditions.map((condition) => fragment`and ${condition}`),
    ' ',
  )
}
