import type { Reader } from '../../database/transaction.ts'
import { RawJson } from '../../http/route.ts'
import type { Caller } from '../../kernel/caller.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { Link } from '../../kernel/links.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Service } from '../../room.ts'
import { readScopes, type Sight, seenIn, sightOf, viewerOf } from '../access.ts'
import { disputeUrl, relations } from '../links.ts'
import { limits } from '../machine/limits.ts'
import { type Print, presentDispute } from '../present.ts'
import { type Listing, type ListQuery, minuteOf, pageToken, readListQuery } from './query.ts'
import {
  countDisputes,
  type ListedDispute,
  type ListedSummary,
  listDisputes,
  summariesOf,
  summariesUnlessKnown,
} from './statements.ts'

/** A page of the disputes a caller may see, with links that lead on. */
export async function listFor(
  db: Reader,
  caller: Caller,
  query: ListQuery,
  now: Instant,
  service: Service,
): Promise<RawJson> {
  const words = JSON.stringify(query)
  const listing = listingOf(query, words, now)
  const sight = await sightOf(db, caller, readScopes)
  const asked = { query, words, listing, sight }
  const page = await (query.fields === 'all' ? wholePage(db, asked, service) : recalledPage(db, asked, service))
  if (!query.total_required) return new RawJson(`${page}}`)
  const total = await countDisputes(db, sight, listing)
  return new RawJson(`${page},"total_items":${total},"total_pages":${Math.ceil(total / listing.size)}}`)
}

/** How many lists are remembered. Understanding a list and putting its statement together takes as long as reading its answer. */
const REMEMBERED_MAX = 200
const understood = new RecentMap<string, { readonly minute: string; readonly listing: Listing }>(REMEMBERED_MAX)
const questions = new RecentMap<string, Question>(REMEMBERED_MAX)

interface Question {
  readonly listing: Listing
  readonly unlessKnown: ReturnType<typeof summariesUnlessKnown>
}

function listingOf(query: ListQuery, words: string, now: Instant): Listing {
  const minute = minuteOf(now)
  const known = understood.get(words)
  if (known?.minute === minute) return known.listing
  const listing = readListQuery(query, now)
  understood.set(words, { minute, listing })
  return listing
}

function questionOf(key: string, { sight, listing }: Asked): Question {
  const known = questions.get(key)
  if (known?.listing === listing) return known
  const question = { listing, unlessKnown: summariesUnlessKnown(sight, listing) }
  questions.set(key, question)
  return question
}

interface Asked {
  readonly query: ListQuery
  /** The query as text. */
  readonly words: string
  readonly listing: Listing
  readonly sight: Sight
}

/** The beginning of the answer: the items of a page and its links. */
const beginningOf = ({ query, listing }: Asked, printed: PrintedPage, { publicUrl }: Print): string =>
  `{"items":[${printed.items}],"links":${JSON.stringify(pageLinks(query, listing, printed, publicUrl))}`

/**
 * The items of a page as JSON text, its first and last dispute, and whether there are more in the direction in which it was
 * read.
 */
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

/**
 * The page as text. It is read and put together only if it differs from the page that was last sent to somebody who sees the
 * same.
 */
async function recalledPage(db: Reader, asked: Asked, service: Service): Promise<string> {
  const { words, listing, sight } = asked
  const make = (summaries: readonly ListedSummary[]) =>
    beginningOf(asked, printed(listing, summaries, summaryItem(service)), service)
  const key = `disputes ${service.publicUrl} ${[...sight.sellers.keys()]} ${sight.buyer} ${words}`
  const { unlessKnown } = questionOf(key, asked)
  if (!unlessKnown) return make([])
  const page = await service.recall.row(db, key, { query: unlessKnown, make: (text) => make(summariesOf(text)) })
  return page!
}

function summaryItem({ dialect, publicUrl, settings }: Print) {
  const self = JSON.stringify(disputeUrl(publicUrl, '')).slice(1, -1)
  const infoLinks = relations('provide-supporting-info', settings.disputeLinkSpelling).map(
    (rel) => `/provide-supporting-info","rel":"${rel}","method":"POST"}`,
  )
  const [ours, theirs] = ['"dispute_state":"UNDER_REVIEW"', `"dispute_state":"${dialect.stateUnderReview}"`]
  return ({ id, summary, takes_info }: ListedSummary) => {
    const href = `{"href":"${self}${id}`
    let links = `${href}","rel":"self","method":"GET"}`
    if (takes_info) for (const link of infoLinks) links += `,${href}${link}`
    const shown = ours === theirs ? summary : summary.replaceAll(ours, theirs)
    return `${shown.slice(0, -1)},"links":[${links}]}`
  }
}

async function wholePage(db: Reader, asked: Asked, print: Print): Promise<string> {
  const { listing, sight } = asked
  const item = ({ body: dispute, side }: ListedDispute) =>
    JSON.stringify(presentDispute(dispute, viewerOf(seenIn(sight, dispute, side)), print))
  return beginningOf(asked, printed(listing, await listDisputes(db, sight, listing), item), print)
}

/** Prints a page from the rows that were read, which are one more than the page if there are more. */
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
 * The links of a page. They repeat every filter. A page with a number keeps it, because clients count pages, and the link to
 * the next page also carries a token. Pages beyond the last number only have tokens, forwards and backwards.
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

/** The parameters that say where a page begins. */
function placed(page: number | undefined, token?: string): string {
  const numbered = page === undefined ? '' : `page=${page}`
  if (token === undefined) return numbered
  return `${numbered && `${numbered}&`}next_page_token=${encodeURIComponent(token)}`
}

/** All parameters except the place, as part of an address. */
function filtersOf(query: ListQuery): string {
  let text = ''
  for (const name in query) {
    const value = query[name as keyof ListQuery]
    if (value === undefined || name === 'page' || name === 'next_page_token') continue
    text += `${text && '&'}${name}=${encodeURIComponent(String(value))}`
  }
  return text
}
