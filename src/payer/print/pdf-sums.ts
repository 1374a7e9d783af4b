import type { SheetLine } from '../sheet/totals.ts'
import { BODY, LEAD, SMALL, type Typesetter } from './pdf-type.ts'

/** How wide the sums are. */
export const SUMS = 220
const COLUMN = 85
const GAP = 12
/** Less than this is too narrow for words. */
const LABEL_MIN = 80

/** How wide a column of figures is, with the space before it. */
export const columnOf = (type: Typesetter, figures: readonly string[]): number =>
  Math.max(COLUMN, ...figures.map((text) => type.width(text, BODY, 400) + GAP))

/** How a sum is set: its figures whole, and its label in what they leave, or above them where that is too little. */
export function sumOf(type: Typesetter, { label, value, kind }: SheetLine) {
  const weight = kind === 'total' || kind === 'due' ? (600 as const) : (400 as const)
  const size = kind === 'due' ? 13 : kind === 'aside' ? SMALL : BODY
  const left = SUMS - GAP - type.width(value, size, weight)
  const isAbove = left < LABEL_MIN && type.width(label, size, weight) > left
  const lines = type.broken(label, isAbove ? SUMS : left, size, weight)
  /** What it is higher than a sum whose label is one line. */
  const more = (lines.length - (isAbove ? 0 : 1)) * size * LEAD
  return { value, kind, weight, size, lines, isAbove, more }
}
