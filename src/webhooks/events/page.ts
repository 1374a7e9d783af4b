import { type Fragment, fragment, raw, unseen } from '../../database/sql.ts'
import type { Instant } from '../../kernel/clock.ts'

/** Where a page begins, and how far the list reaches. */
export interface Page {
  readonly size: number
  readonly from: Instant
  readonly to: Instant
  readonly index?: { readonly time: Instant; readonly id: string; readonly move: 'next' | 'previous' }
}

/**
 * The limit is part of the statement's text, because there are few page sizes. As a parameter, it would have every list
 * planned anew.
 */
export const oneMoreThan = ({ size }: Page): Fragment => raw(`limit ${size + 1}`)

/** Whether a page is read from its end, the oldest first. */
export const isBackwards = ({ index }: Page): boolean => index?.move === 'previous'

/** How rows of the same time are told apart. */
interface Places {
  readonly least: Fragment
  readonly most: Fragment
  of(id: string): Fragment
}

/**
 * The times and places that a page lies between. There is only one bound at each end: either the end of the list or the
 * beginning of the page. With two bounds at one end, the server might enter an index at the one that is further away.
 */
export function boundsOf({ from, to, index }: Page, { least, most, of }: Places) {
  const bound = (time: Instant, place: Fragment) => fragment`${unseen(time, 'text')}, ${place}`
  const begin = index && bound(index.time, of(index.id))
  return {
    after: begin && index.move === 'previous' && index.time >= from ? begin : bound(from, least),
    before: begin && index.move === 'next' && index.time <= to ? begin : bound(to, most),
  }
}
