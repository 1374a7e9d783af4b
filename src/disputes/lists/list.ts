import type { Reader } from '../../database/transaction.ts'
import { RawJson } from '../../http/route.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { Link } from '../../kernel/links.ts'
import { readScopes, type Sight, seenIn, sightOf, viewerOf } from '../access.ts'
import { disputeUrl, relations } from '../links.ts'
import { limits } from '../machine/limits.ts'
import { type Print, presentDispute } from '../present.ts'
import { type Listing, type ListQuery, pageToken, readListQuery } from './query.ts'
import { countDisputes, type ListedDispute, type ListedSummary, listDisputes, listSummaries } from './statements.ts'

/** A page of the disputes a caller may see, with links that lead on. */
export async function listFor(
  db: Reader,
  caller: Caller,
  query: ListQuery,
  now: Instant,
  print: Print,
): Promise<RawJson> {
  const listing = readListQuery(query, now)
  const sight = await sightOf(db, caller, readScopes)
  const page = query.fields === 'all' ? wholePage : summaryPage
  const printed = await page(db, sight, listing, print)
  const total = query.total_required ? await countDisputes(db, sight, listing) : undefined
  const rest = {
    links: pageLinks(query, listing, printed, print.publicUrl),
    ...(total !== undefined && { total_items: total, total_pages: Math.ceil(total / listing.size) }),
  }
  return new RawJson(`{"items":[${printed.items}],${JSON.stringify(rest).slice(1)}`)
}

/** The items of a page as JSON text, its first and its last dispute, and whether there is more the way it was read. */
interface PrintedPage {
  readonly items: string
  readonly first: Place | undefined
  readonly last: Place | undefined
  readonly more: boolean
}

interface Place {
  readonly value: string
  readonly id: string
}

async function summaryPage(db: Reader, sight: Sight, listing: Listing, print: Print): Promise<PrintedPage> {
  const { dialect, publicUrl, settings } = print
  const self = JSON.stringify(disputeUrl(publicUrl, '')).slice(1, -1)
  const infoLinks = relations('provide-supporting-info', settings.disputeLinkSpelling).map(
    (rel) => `/provide-supporting-info","rel":"${rel}","method":"POST"}`,
  )
  const [ours, theirs] = ['"dispute_state":"UNDER_REVIEW"', `"dispute_state":"${dialect.stateUnderReview}"`]
  const item = ({ id, summary, takes_info }: ListedSummary) => {
    const href = `{"href":"${self}${id}`
    let links = `${href}","rel":"self","method":"GET"}`
    if (takes_info) for (const link of infoLinks) links += `,${href}${link}`
    const shown = ours === theirs ? summary : summary.replaceAll(ours, theirs)
    return `${shown.slice(0, -1)},"links":[${links}]}`
  }
  return printed(listing, await listSummaries(db, sight, listing), item)
}

async function wholePage(db: Reader, sight: Sight, listing: Listing, print: Print): Promise<PrintedPage> {
  const item = ({ body: dispute, side }: ListedDispute) =>
    JSON.stringify(presentDispute(dispute, viewerOf(seenIn(sight, dispute, side)), print))
  return printed(listing, await listDisputes(db, sight, listing), item)
}

/** A page of rows as they were read, with one more if there are more. */
function printed<Row extends { id: string; at: string }>(
  { size, after }: Listing,
  rows: readonly Row[],
  item: (row: Row) => string,
): PrintedPage {
  const read = rows.slice(0, size)
  const shown = after?.backwards ? read.toReversed() : read
  const place = (row: Row | undefined) => row && { value: row.at, id: row.id }
  return {
    items: shown.map(item).join(','),
    first: place(shown.at(0)),
    last: place(shown.at(-1)),
    more: rows.length > size,
  }
}

/**
 * Links repeat every filter. A page that has a number carries it, because clients count pages; the next one carries a
 * token as well, and pages beyond the last number have tokens alone, forwards and backwards.
 */
function pageLinks(
  query: ListQuery,
  { page, after }: Listing,
  { first, last, more }: PrintedPage,
  publicUrl: string,
): Link[] {
  const list = `${publicUrl}/v1/customer/disputes`
  const repeated = filtersOf(query)
  const to = (rel: string, place = ''): Link => {
    const search = repeated && place ? `${repeated}&${place}` : repeated + place
    return { href: search ? `${list}?${search}` : list, rel, method: 'GET' }
  }
  const follows = last && (more || after?.backwards)
  const links = [to('self', placed(query.page, query.next_page_token)), to('first')]
  if (follows)
    links.push(to('next', placed(page < limits.page ? page + 1 : undefined, pageToken({ ...last, page: page + 1 }))))
  if (page > limits.page + 1 && first)
    links.push(to('prev', placed(undefined, pageToken({ ...first, page: page - 1, backwards: true }))))
  else if (page > 1) links.push(to('prev', placed(Math.min(page - 1, limits.page))))
  return links
}

/** What says where a page lies. */
function placed(page: number | undefined, token?: string): string {
  const numbered = page === undefined ? '' : `page=${page}`
  if (token === undefined) return numbered
  return `${numbered && `${numbered}&`}next_page_token=${encodeURIComponent(token)}`
}

/** What was asked for but the place, as it goes into an address. */
function filtersOf(query: ListQuery): string {
  let text = ''
  for (const name in query) {
    const value = query[name as keyof ListQuery]
    if (value === undefined || name === 'page' || name === 'next_page_token') continue
    text += `${text && '&'}${name}=${encodeURIComponent(String(value))}`
  }
  return text
}
