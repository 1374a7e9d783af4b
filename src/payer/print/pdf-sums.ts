import type { SheetLine } from '../sheet/totals.ts'
import { BODY, LEAD, SMALL, type Typesetter } from './pdf-type.ts'

/** How wide the sums are. */
export const SUMS = 220
const COLUMN = 85
const GAP = 12
/** A label needs at least this width. */
const LABEL_MIN = 80

/** The width of a column of figures, including the space before it. */
export const columnOf = (type: Typesetter, figures: readonly string[]): number =>
  Math.max(COLUMN, ...figures.map((text) => type.width(text, BODY, 400) + GAP))

/** How a sum is set: its figures on one line, and its label in the remaining width, or above if that is too narrow. */
export function sumOf(type: Typesetter, { label, value, kind }: SheetLine) {
  const weight = kind === 'total' || kind === 'due' ? (600 as const) : (400 as const)
  const size = kind === 'due' ? 13 : kind === 'aside' ? SMALL : BODY
  const left = SUMS - GAP - type.width(value, size, weight)
  const isAbove = left < LABEL_MIN && type.width(label, size, weight) > left
  const lines = type.broken(label, isAbove ? SUMS : left, size, weight)
  /** How much higher it is than a sum with a label of one line. */
  const more = (lines.length - (isAbove ? 0 : 1)) * size * LEAD
  return { value, kind, weight, size, lines, isAbove, more }
}
