import { stampOf } from '../../database/recall.ts'
import { type Fragment, fragment, type Query, raw, unseen } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { END, type Place } from '../../http/keyset.ts'
import type { Invoice } from '../schema/invoice.ts'
import { byDay, byPaymentDay, isListed } from './by-day.ts'
import { inNewestMonths, newestOrAll } from './by-span.ts'
import { hasWholePieces } from './columns.ts'
import type { CommonPieces } from './common.ts'
import { type Criteria, conditionsOf, type Days } from './conditions.ts'
import { type InvoiceSummary, type Look, summary, wholeDocument } from './look.ts'
import { amongInvoices, countPaid } from './paid.ts'
import { anyMerchant, hasMoreThan, newestFirst, type Slice, window } from './slice.ts'
import { byWords, containingWords, isOfWords } from './words.ts'

/**
 * So many of the newest invoices are read one by one before an index over all of them is asked. More are read only if they
 * are likely to fill the page: if they would hold so many times as many as it has room for.
 */
const GLANCES = {
  /** An index keeps the order of time within each day, so that asking it is cheap. */
  ofDays: { counts: [], likely: 0 },
  ofManyDays: { counts: [125], likely: 0 },
  /** So it is with words, of the newest days. */
  ofWords: { counts: [125, 625], likely: 1.5 },
  /** Not so with a few letters, with which too many pieces begin. */
  ofLetters: { counts: [125, 2_500, 10_000], likely: 0.75 },
  ofOthers: { counts: [2_500, 10_000], likely: 0.75 },
} as const

/** At most so many of the newest months' invoices of an amount are sorted. If there are more, some show up among the newest. */
const OF_AMOUNT = 2_000

interface Ways {
  /** How common pieces of words are. Without it, all count as equally common. */
  readonly common?: CommonPieces
  /** Only a test chooses how many of the newest are read one by one. */
  readonly glances?: { readonly counts: readonly number[]; readonly likely: number }
}

/** The invoices of a slice, newest first. */
export async function findInvoices(
  ...[db, accountId, criteria, slice, ways]: [Reader, string, Criteria, Slice, Ways?]
): Promise<Invoice[]> {
  return [...(await find(db, wholeDocument, new Map(), { accountId, criteria, slice, ...ways })).values()]
}

/** What is made of each invoice, by its stamp and in the order of the list. */
export type Made<One> = ReadonlyMap<string, One>

/**
 * The same, but made of summaries: only what a list shows by default is read. Invoices that are known already are not read
 * at all.
 */
export const findSummaries = <One>(
  db: Reader,
  make: (summary: InvoiceSummary) => One,
  known: Made<One>,
  wanted: Wanted,
): Promise<Made<One>> => find(db, { ...summary, from: (shown) => make(summary.from(shown)) }, known, wanted)

interface Wanted extends Ways {
  readonly accountId: string
  readonly criteria: Criteria
  readonly slice: Slice
}

/**
 * Takes the first of these ways that fits. All of them find the same, which `test/stored/search-random.test.ts` compares; each is
 * the cheapest for its kind of search.
 *
 * - The newest, at most of one currency or of some statuses, or the one with a number: an index has them in their order.
 * - Of an amount: the index of the newest months, or of all.
 * - What most have: it shows up when the newest are read one by one.
 * - By days alone (`by-day.ts`) or by words alone (`words.ts`): a few looks into an index, the newest first.
 * - Everything else: all that the narrowest criterion leaves is sorted.
 */
async function find<Found>(
  db: Reader,
  look: Look<Found>,
  known: Made<Found>,
  wanted: Wanted,
): Promise<Map<string, Found>> {
  const { accountId, criteria, slice, glances = GLANCES[kindOf(criteria)] } = wanted
  if (criteria.nothing) return new Map()
  const stamps = [...known.keys()]
  const run = async (bodies: Fragment): Promise<Map<string, Found>> => {
    const { statement, values } = unpacked(look, bodies, stamps).toQuery()
    const rows = await db.rows<{ stamp: string; shown: unknown }>(statement, values)
    return new Map(rows.map(({ stamp, shown }) => [stamp, shown === null ? known.get(stamp)! : look.from(shown)]))
  }
  const where = conditionsOf(accountId, criteria)
  if (isOfTheNewest(criteria))
    return run(fragment`
      select ${read} from invoices i where ${conditionsOf(anyMerchant(accountId), criteria)}
      ${newestFirst} ${window(slice)}`)
  const ordered = inOrder(accountId, criteria, slice, where)
  if (ordered) return run(documentsOf(accountId, ordered))
  const ofAmount = byAmount(accountId, criteria)
  if (ofAmount && !(await hasMoreThan(db, OF_AMOUNT, ofAmount.newest)))
    return run(documentsOf(accountId, newestOrAll(slice, ofAmount.newest, ofAmount.all)))

  // What matches often shows up among the newest, and what does not is rare enough to be sorted. So neither needs to read
  // everything.
  // As one value, of which the planner expects every other row to have it: by the criteria it expects so few that it would rather
  // sort all invoices of a merchant who has some thousands of them.
  const recently = fragment`coalesce(${conditionsOf(accountId, criteria, unseen)}, false)`
  const newest = fragment`
    select *, xmin from invoices where account_id = ${anyMerchant(accountId)} order by create_time desc, seq desc`
  for (const [i, count] of glances.counts.entries()) {
    const recent = await run(fragment`
      select ${read} from (${newest} ${raw(`limit ${count}`)}) i
      where ${recently} ${newestFirst} ${window(slice)}`)
    if (recent.size === slice.limit || !(await hasMoreThan(db, count, newest))) return recent
    const seen = recent.size === 0 ? 0 : slice.offset + recent.size
    const following = glances.counts[i + 1] ?? 0
    if ((seen / count) * following < (slice.offset + slice.limit) * glances.likely) break
  }
  return run(documentsOf(accountId, await amongAll(db, wanted)))
}

/** The columns of a row `i` that are needed to unpack it. */
const read = raw('i.body, i.create_time, i.seq, i.xmin, i.version')

/**
 * Each document is unpacked once, by adding nothing to it: everything that is read of it would unpack it again. One whose stamp is
 * known stays as it is.
 */
const unpacked = (look: Look<unknown>, bodies: Fragment, known: readonly string[]): Fragment => fragment`
  select i.stamp, ${look.column} from (
    select i.stamp, case when i.stamp = any(${known}::text[]) then null else i.body || '{}' end as body, i.create_time, i.seq
    from (select i.*, ${raw(`i.seq || '/' || ${stampOf('i')}`)} as stamp from (${bodies}) i offset 0) i
    ${newestFirst} offset 0) i
  ${newestFirst}`

/**
 * The documents, each by its id alone. While the server has no statistics on a merchant, it takes every index that begins
 * with the account for as good as the one with the id, and would step through all of the merchant's invoices for each
 * document. So the account is kept out of its choice, and the lookup out of any join.
 */
const documentsOf = (accountId: string, ids: Fragment): Fragment => fragment`
  select i.body, found.create_time, found.seq, i.xmin, i.version from (${ids}) found cross join lateral (
    select body, xmin, version from invoices where id = found.id and account_id || '' = ${accountId} limit 1) i`

/** The names of all criteria but the time of creation, by which lists are ordered anyway. */
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

/**
 * Those of an amount, where nothing else is asked for: of the newest months and of all, each in the order of its index, so
 * that no other will do.
 */
function byAmount(accountId: string, criteria: Criteria) {
  const { amount } = criteria
  if (!amount || givenOf(criteria).length > 1) return undefined
  const all = (condition: Fragment) => fragment`
    select i.id, i.create_time, i.seq from invoices i
    where ${conditionsOf(anyMerchant(accountId), criteria, unseen)} and ${condition} order by i.amount_minor`
  return { newest: inNewestMonths(accountId, all), all }
}

/** Asks the index of the narrowest criterion, and sorts what it finds. */
async function amongAll(db: Reader, { accountId, criteria, slice, common }: Wanted): Promise<Fragment> {
  if (onlyDays(criteria)) {
    const { issued, due, paid } = criteria
    if (issued) return byDay(accountId, 'invoice_date', issued, slice)
    if (due) return byDay(accountId, 'due_date', due, slice)
    if (paid) return byPaymentDay(accountId, paid, slice)
  }
  if (isOfWords(criteria)) return byWords(db, accountId, criteria, slice, common)
  const invoices = await amongInvoices(db, accountId, criteria)
  const words = await containingWords(db, accountId, criteria, common)
  return fragment`
    select i.id, i.create_time, i.seq from (
      with candidates as materialized (
        select i.id, i.create_time, i.seq from ${invoices} ${words})
      select * from candidates) i
    ${newestFirst} ${window(slice)}`
}

/** The range of days that is the only criterion, if one is. */
function onlyDays(criteria: Criteria): Days | undefined {
  const { issued, due, paid } = criteria
  return givenOf(criteria).length === 1 ? (issued ?? due ?? paid) : undefined
}

function kindOf(criteria: Criteria): keyof typeof GLANCES {
  const days = onlyDays(criteria)
  if (days) return isListed(days) ? 'ofDays' : 'ofManyDays'
  if (!isOfWords(criteria)) return 'ofOthers'
  return criteria.email !== undefined || hasWholePieces(Object.values(criteria.texts ?? {})) ? 'ofWords' : 'ofLetters'
}

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
export async function countInvoices(
  db: Reader,
  accountId: string,
  criteria: Criteria,
  common?: CommonPieces,
): Promise<number> {
  if (criteria.nothing) return 0
  if (criteria.paid && onlyDays(criteria)) return countPaid(db, accountId, criteria.paid)
  const invoices = await amongInvoices(db, accountId, criteria)
  const words = await containingWords(db, accountId, criteria, common)
  const { statement, values } = fragment`select count(*)::int as count from ${invoices} ${words}`.toQuery()
  return (await db.row<{ count: number }>(statement, values))!.count
}

/** The names of the criteria that are given. */
function givenOf({ texts = {}, ...others }: Criteria): string[] {
  return [...Object.entries(others), ...Object.entries(texts)].flatMap(([name, value]) =>
    value === undefined || value === false ? [] : [name],
  )
}
