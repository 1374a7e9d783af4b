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
  const infoLinks = relations('provide-supporting-info', settings.disputeLinkSpelling)
  const [ours, theirs] = ['"dispute_state":"UNDER_REVIEW"', `"dispute_state":"${dialect.stateUnderReview}"`]
  const item = ({ id, summary, takes_info }: ListedSummary) => {
    const url = JSON.stringify(disputeUrl(publicUrl, id)).slice(1, -1)
    const more = takes_info
      ? infoLinks.map((rel) => `,{"href":"${url}/provide-supporting-info","rel":"${rel}","method":"POST"}`).join('')
      : ''
    const shown = ours === theirs ? summary : summary.replaceAll(ours, theirs)
    return `${shown.slice(0, -1)},"links":[{"href":"${url}","rel":"self","method":"GET"}${more}]}`
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
  const { page: _page, next_page_token: _token, ...filters } = query
  const repeated = printQuery(filters)
  const to = (rel: string, place: { page?: number | undefined; next_page_token?: string | undefined }): Link => {
    const search = [repeated, printQuery(place)].filter((part) => part !== '').join('&')
    return { href: `${publicUrl}/v1/customer/disputes${search && `?${search}`}`, rel, method: 'GET' }
  }
  const numbered = (n: number) => (n <= limits.page ? { page: n } : {})
  const follows = last && (more || after?.backwards)
  return [
    to('self', { page: query.page, next_page_token: query.next_page_token }),
    to('first', {}),
    ...(follows
      ? [to('next', { ...numbered(page + 1), next_page_token: pageToken({ ...last, page: page + 1 }) })]
      : []),
    ...(page > limits.page + 1 && first
      ? [to('prev', { next_page_token: pageToken({ ...first, page: page - 1, backwards: true }) })]
      : page > 1
        ? [to('prev', { page: Math.min(page - 1, limits.page) })]
        : []),
  ]
}

function printQuery(parameters: object): string {
  let text = ''
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) text += `${text && '&'}${name}=${encodeURIComponent(String(value))}`
  return text
}
