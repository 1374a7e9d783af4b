import type { Instant } from './clock.ts'

const DAY_MS = 86_400_000

/** Days since 1970 began, in UTC. */
export const dayOf = (instant: Instant): number => Math.floor(Date.parse(instant) / DAY_MS)

/** Four hexadecimal digits, good until 2149. */
const codeOf = (day: number) => day.toString(16).toUpperCase().padStart(4, '0')

/**
 * Ids that carry their day sort after all others as text, and among themselves by their days. So a partition is a range of
 * ids, and whoever has an id knows its partition. An id without a day begins like this once in a trillion.
 */
const EVENT = 'ZZZZZZZZ'
const DELIVERY = 'ffffffffff'

/** The id of an event, with the day on which it was made in it. It has the usual form; the mark of a cell follows the day. */
export function datedEventId(id: string, now: Instant): string {
  const drawn = id.slice('WH-'.length).replace('-', '')
  const text = (EVENT + codeOf(dayOf(now)) + drawn).slice(0, drawn.length)
  return `WH-${text.slice(0, text.length / 2)}-${text.slice(text.length / 2)}`
}

/** The first id that an event of a day can have. Without a day: the first id that any event with a day can have. */
export const firstEventId = (day?: number): string => `WH-${EVENT}${day === undefined ? '' : codeOf(day)}`

/** The same for a delivery. Its day is that of its event. */
export function firstDeliveryId(day = 0): string {
  const code = codeOf(day).toLowerCase()
  const digits = `${DELIVERY}${code.slice(0, 2)}8${code.slice(2)}`.padEnd(32, '0')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The day that the id of an event or a delivery carries. Undefined if it carries none. */
export function dayInId(id: string): number | undefined {
  const [, first, second] = /^(?:WH-Z{8}|f{8}-ff)([0-9A-Fa-f]{2})(?:-8)?([0-9A-Fa-f]{2})/.exec(id) ?? []
  return first === undefined || second === undefined ? undefined : Number.parseInt(first + second, 16)
}

/** SQL for the first digits of a delivery's id, if its event carries a day. They replace the usual first digits. */
export const deliveryPrefix = (eventId: string): string =>
  `'${DELIVERY}' || substr(${eventId}, 12, 2) || '8' || substr(${eventId}, 14, 2)`
