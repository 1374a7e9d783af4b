import type { Reader } from '../../database/transaction.ts'
import { RawJson } from '../../http/route.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { Link } from '../../kernel/links.ts'
import { readScopes, type Sight, seenIn, sightOf, viewerOf } from '../access.ts'
import { disputeUrl, relations } from '../links.ts'
import { type Print, presentDispute } from '../present.ts'
import { type Listing, type ListQuery, pageToken, readListQuery } from './query.ts'
import { countDisputes, listDisputes, listSummaries } from './statements.ts'

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
  const { items, last } = await page(db, sight, listing, print)
  const token = last && pageToken(last.at, last.id)
  const total = query.total_required ? await countDisputes(db, sight, listing) : undefined
  const rest = {
    links: pageLinks(query, listing.page, token, print.publicUrl),
    ...(total !== undefined && { total_items: total, total_pages: Math.ceil(total / listing.size) }),
  }
  return new RawJson(`{"items":[${items}],${JSON.stringify(rest).slice(1)}`)
}

/** The items of a page as JSON text, and where the next one begins if there is one. */
interface PrintedPage {
  readonly items: string
  readonly last: { readonly at: string; readonly id: string } | undefined
}

async function summaryPage(db: Reader, sight: Sight, listing: Listing, print: Print): Promise<PrintedPage> {
  const { dialect, publicUrl, settings } = print
  const links = relations('provide-supporting-info', settings.disputeLinkSpelling).map(
    (rel) => `,{"href":"@/provide-supporting-info","rel":"${rel}","method":"POST"}`,
  )
  const { items, found, at, id } = await listSummaries(db, sight, listing, {
    base: JSON.stringify(disputeUrl(publicUrl, '')).slice(1, -1),
    infoLinks: links.join(''),
    underReview: dialect.stateUnderReview === 'UNDER_REVIEW' ? undefined : dialect.stateUnderReview,
  })
  const more = found > BigInt(listing.size) && at !== null && id !== null
  return { items: items ?? '', last: more ? { at, id } : undefined }
}

async function wholePage(db: Reader, sight: Sight, listing: Listing, print: Print): Promise<PrintedPage> {
  const rows = await listDisputes(db, sight, listing)
  const shown = rows.slice(0, listing.size)
  const items = shown.map(({ body: dispute, side }) => {
    return JSON.stringify(presentDispute(dispute, viewerOf(seenIn(sight, dispute, side)), print))
  })
  return { items: items.join(','), last: rows.length > listing.size ? shown.at(-1) : undefined }
}

/** Links repeat every filter; the next one carries the page and the token, whichever a client prefers. */
function pageLinks(query: ListQuery, page: number, token: string | undefined, publicUrl: string): Link[] {
  const { page: _page, next_page_token: _token, ...filters } = query
  const repeated = printQuery(filters)
  const to = (rel: string, place: Place): Link => {
    const search = [repeated, printQuery(place)].filter((part) => part !== '').join('&')
    return { href: `${publicUrl}/v1/customer/disputes${search && `?${search}`}`, rel, method: 'GET' }
  }
  return [
    to('self', { page: query.page, next_page_token: query.next_page_token }),
    to('first', {}),
    ...(token === undefined ? [] : [to('next', { page: page < 50 ? page + 1 : undefined, next_page_token: token })]),
    ...(page > 1 ? [to('prev', { page: page - 1 })] : []),
  ]
}

interface Place {
  readonly page?: number | undefined
  readonly next_page_token?: string | undefined
}

function printQuery(parameters: object): string {
  let text = ''
  for (const [name, value] of Object.entries(parameters))
    if (value !== undefined) text += `${text && '&'}${name}=${encodeURIComponent(String(value))}`
  return text
}
