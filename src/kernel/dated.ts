import type { Instant } from './clock.ts'

const DAY_MS = 86_400_000

/** Days since 1970 began, in UTC. */
export const dayOf = (instant: Instant): number => Math.floor(Date.parse(instant) / DAY_MS)

/** Four hexadecimal digits, good until 2149. */
const codeOf = (day: number) => day.toString(16).toUpperCase().padStart(4, '0')

/**
 * Ids that carry their day come after all others in the order of their texts, and among themselves in the order of days, so
 * that a partition is a range of ids and whoever has an id knows the partition. That an id without a day begins like this
 * happens once in a trillion.
 */
const EVENT = 'ZZZZZZZZ'
const DELIVERY = 'ffffffffff'

/** The id of an event with the day of its making in it. It has the same form; the mark of a cell follows the day. */
export function datedEventId(id: string, now: Instant): string {
  const drawn = id.slice('WH-'.length).replace('-', '')
  const text = (EVENT + codeOf(dayOf(now)) + drawn).slice(0, drawn.length)
  return `WH-${text.slice(0, text.length / 2)}-${text.slice(text.length / 2)}`
}

/** The first id that an event of a day can have; without a day, that any event with a day can have. */
export const firstEventId = (day?: number): string => `WH-${EVENT}${day === undefined ? '' : codeOf(day)}`

/** The same for a delivery, whose day is that of its event. */
export function firstDeliveryId(day = 0): string {
  const code = codeOf(day).toLowerCase()
  const digits = `${DELIVERY}${code.slice(0, 2)}8${code.slice(2)}`.padEnd(32, '0')
  return digits.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-')
}

/** The day that an id of either carries; undefined when it carries none. */
export function dayInId(id: string): number | undefined {
  const [, first, second] = /^(?:WH-Z{8}|f{8}-ff)([0-9A-Fa-f]{2})(?:-8)?([0-9A-Fa-f]{2})/.exec(id) ?? []
  return first === undefined || second === undefined ? undefined : Number.parseInt(first + second, 16)
}

/** In SQL: the first digits of the id of a delivery of an event with a day, in place of those that would be there. */
export const deliveryPrefix = (eventId: string): string =>
  `'${DELIVERY}' || substr(${eventId}, 12, 2) || '8' || substr(${eventId}, 14, 2)`
