import { type Fragment, fragment, raw, unseen } from '../../database/sql.ts'
import type { Instant } from '../../kernel/clock.ts'

/** Where a page begins, and how far the list reaches. */
export interface Page {
  readonly size: number
  readonly from: Instant
  readonly to: Instant
  readonly index?: { readonly time: Instant; readonly id: string; readonly move: 'next' | 'previous' }
}

/** As text of the statement, since there are few sizes: as a parameter it would have every list planned anew. */
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
 * The times and places that a page lies between. There is one bound at each end, whether the list ends there or the page begins:
 * of two, an index could be entered at the one that is further away.
 */
export function boundsOf({ from, to, index }: Page, { least, most, of }: Places) {
  const bound = (time: Instant, place: Fragment) => fragment`${unseen(time, 'text')}, ${place}`
  const begin = index && bound(index.time, of(index.id))
  return {
    after: begin && index.move === 'previous' && index.time >= from ? begin : bound(from, least),
    before: begin && index.move === 'next' && index.time <= to ? begin : bound(to, most),
  }
}
