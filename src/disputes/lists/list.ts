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
import { countDisputes, type ListedDispute, listDisputes, listSummaries } from './statements.ts'

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

/** A page that was read from its end has its first dispute farthest from where reading began. */
const ends = ({ after }: Listing, near: Place | undefined, far: Place | undefined) =>
  after?.backwards ? { first: far, last: near } : { first: near, last: far }

async function summaryPage(db: Reader, sight: Sight, listing: Listing, print: Print): Promise<PrintedPage> {
  const { dialect, publicUrl, settings } = print
  const links = relations('provide-supporting-info', settings.disputeLinkSpelling).map(
    (rel) => `,{"href":"@/provide-supporting-info","rel":"${rel}","method":"POST"}`,
  )
  const { items, found, near_at, near_id, far_at, far_id } = await listSummaries(db, sight, listing, {
    base: JSON.stringify(disputeUrl(publicUrl, '')).slice(1, -1),
    infoLinks: links.join(''),
    underReview: dialect.stateUnderReview === 'UNDER_REVIEW' ? undefined : dialect.stateUnderReview,
  })
  const place = (value: string | null, id: string | null) => (value !== null && id !== null ? { value, id } : undefined)
  const both = ends(listing, place(near_at, near_id), place(far_at, far_id))
  return { items: items ?? '', ...both, more: found > BigInt(listing.size) }
}

async function wholePage(db: Reader, sight: Sight, listing: Listing, print: Print): Promise<PrintedPage> {
  const rows = await listDisputes(db, sight, listing)
  const read = rows.slice(0, listing.size)
  const shown = listing.after?.backwards ? read.toReversed() : read
  const items = shown.map(({ body: dispute, side }) =>
    JSON.stringify(presentDispute(dispute, viewerOf(seenIn(sight, dispute, side)), print)),
  )
  const place = (row: ListedDispute | undefined) => row && { value: row.at, id: row.id }
  const both = ends(listing, place(read.at(0)), place(read.at(-1)))
  return { items: items.join(','), ...both, more: rows.length > listing.size }
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
