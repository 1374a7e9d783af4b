import { addDays, type Day, dayIn, type Instant, instantOf } from '../../kernel/clock.ts'

/** This many days of a zone; the last is that of the given instant. */
export function daysUntil(now: Instant, zone: string, count: number): Day[] {
  const today = dayIn(now, zone)
  return Array.from({ length: count }, (_, i) => addDays(today, i + 1 - count))
}

export const startOf = (day: Day, zone: string): Instant => instantOf(day, zone, { hour: 0 })

/** Rows by the day of a zone that each belongs to; a minute is the beginning of an instant, as `2026-03-01T09:41`. */
export function byDay<Row extends { readonly minute: string }>(
  rows: readonly Row[],
  zone: string,
): ReadonlyMap<Day, readonly Row[]> {
  const days = new Map<Day, Row[]>()
  for (const row of rows) {
    const day = dayIn(`${row.minute}:00.000Z` as Instant, zone)
    const found = days.get(day)
    if (found) found.push(row)
    else days.set(day, [row])
  }
  return days
}
