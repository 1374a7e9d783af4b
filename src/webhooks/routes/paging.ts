import { after, type Instant, parseInstant } from '../../kernel/clock.ts'
import type { Link } from '../../kernel/links.ts'
import { breaches } from '../../kernel/problem.ts'
import type { Page } from '../events/page.ts'
import { LISTED_DAYS, PAGE_SIZE_DEFAULT } from '../schema.ts'

export interface PageQuery {
  readonly page_size?: number
  readonly start_time?: string
  readonly end_time?: string
  readonly move_to?: 'next' | 'previous'
  readonly index_time?: string
  readonly index_id?: string
}

function instant(name: string, text: string | undefined): Instant | undefined {
  if (text === undefined) return undefined
  const parsed = parseInstant(text)
  if (!parsed) throw breaches('INVALID_TIME', 'Send an RFC 3339 date and time, for example 2026-03-01T09:00:00Z.', name)
  return parsed
}

/** Reads a span of time that must not run backwards. */
export function readSpan(start: string | undefined, end: string | undefined, now: Instant) {
  const to = instant('end_time', end) ?? now
  const from = instant('start_time', start) ?? after(to, -LISTED_DAYS * 86_400)
  if (from > to) throw breaches('INVALID_TIME_RANGE', 'start_time must not be later than end_time.', 'start_time')
  return { from, to }
}

export function readPage(query: PageQuery, now: Instant): Page {
  const time = instant('index_time', query.index_time)
  const { index_id: id, move_to: move = 'next', page_size: size = PAGE_SIZE_DEFAULT } = query
  return {
    size,
    ...readSpan(query.start_time, query.end_time, now),
    ...(time !== undefined && id !== undefined && { index: { time, id, move } }),
  }
}

/** Cuts what was read down to the page, newest first, and links the pages beside it. */
export function pageOf<Item>(
  read: readonly Item[],
  page: Page,
  { url, query, keyOf }: { url: string; query: object; keyOf: (item: Item) => { time: Instant; id: string } },
): { items: Item[]; links: Link[] } {
  const backwards = page.index?.move === 'previous'
  const hasMore = read.length > page.size
  const kept = read.slice(0, page.size)
  const items = backwards ? kept.reverse() : kept
  const link = (rel: 'next' | 'previous', item: Item): Link => {
    const { time, id } = keyOf(item)
    const parameters = new URLSearchParams({
      ...Object.fromEntries(Object.entries(query).map(([name, value]) => [name, String(value)])),
      // The span is written out, so that the next page is cut from the same list.
      start_time: page.from,
      end_time: page.to,
      page_size: String(page.size),
      move_to: rel,
      index_time: time,
      index_id: id,
    })
    return { href: `${url}?${parameters}`, rel, method: 'GET' }
  }
  const first = items[0]
  const last = items.at(-1)
  const hasNext = backwards || hasMore
  const hasPrevious = backwards ? hasMore : page.index !== undefined
  return {
    items,
    links: [
      ...(last !== undefined && hasNext ? [link('next', last)] : []),
      ...(first !== undefined && hasPrevious ? [link('previous', first)] : []),
    ],
  }
}
