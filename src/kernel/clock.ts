import { DateTime, Duration, IANAZone } from 'luxon'

/** An instant in UTC with milliseconds: `2026-03-01T09:00:00.000Z`. Fixed width, so text order is time order. */
export type Instant = string & { readonly __brand: 'Instant' }

/** A calendar day without a zone: `2026-03-01`. */
export type Day = string & { readonly __brand: 'Day' }

/** Where every `now` comes from. Live goes by the database's clock; a sandbox has one that can be moved. */
export interface Clock {
  now(): Instant
}

let printedMs = Number.NaN
let printed = '' as Instant

/**
 * The instant so many milliseconds after 1970 began. The text for the latest value is kept, because every request asks
 * repeatedly.
 */
export function instantAt(ms: number): Instant {
  if (ms !== printedMs) {
    printed = toInstant(new Date(ms))
    printedMs = ms
  }
  return printed
}

/** The present instant of this machine moved by so many milliseconds. */
export const nowMovedBy = (milliseconds: number): Instant => instantAt(Date.now() + milliseconds)

/** Seconds since 1970 on the machine's own clock, for receivers who compare them with theirs. */
export const realSeconds = (): number => Math.floor(Date.now() / 1000)

export const systemClock: Clock = { now: () => nowMovedBy(0) }

export function toInstant(date: Date): Instant {
  // The cast is the brand: toISOString always prints the fixed-width form.
  return date.toISOString() as Instant
}

/** Reads any RFC 3339 date-time with seconds and a zone; undefined when it is not one. */
export function parseInstant(text: string): Instant | undefined {
  if (!/^\d{4}-\d{2}-\d{2}[Tt]\d{2}:\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/.test(text)) return undefined
  const parsed = DateTime.fromISO(text.toUpperCase(), { zone: 'utc' })
  return parsed.isValid && parsed.year > 0 && parsed.year < 10000 ? toInstant(parsed.toJSDate()) : undefined
}

/** Reads an ISO 8601 duration such as `P20D` or `PT36H`. Undefined if it is not one. Months and days are kept as such. */
export function parseDuration(text: string): Duration | undefined {
  // The library takes a P or a T with nothing behind it for an empty duration.
  if (text.length > 64 || !/\d[A-Z]$/.test(text)) return undefined
  const parsed = Duration.fromISO(text)
  return parsed.isValid ? parsed : undefined
}

export function after(instant: Instant, seconds: number): Instant {
  return toInstant(new Date(Date.parse(instant) + Math.round(seconds * 1000)))
}

export function addDuration(instant: Instant, duration: Duration): Instant {
  return toInstant(DateTime.fromISO(instant, { zone: 'utc' }).plus(duration).toJSDate())
}

/** Whole seconds, as the parts of the contract that print no fraction want it: `2026-03-01T09:00:00Z`. */
export function toSeconds(instant: Instant): string {
  return `${instant.slice(0, 19)}Z`
}

// Making a formatter costs a hundred times as much as using it, and the number of zones is limited.
const dayFormats = new Map<string, Intl.DateTimeFormat>()

/** The calendar day it is in `zone` at `instant`. */
export function dayIn(instant: Instant, zone: string): Day {
  let format = dayFormats.get(zone)
  if (!format) {
    format = new Intl.DateTimeFormat('en-CA', { timeZone: zone, year: 'numeric', month: '2-digit', day: '2-digit' })
    dayFormats.set(zone, format)
  }
  // Years before 1000 come without their zeros.
  return format.format(Date.parse(instant)).padStart(10, '0') as Day
}

export function parseDay(text: string): Day | undefined {
  return /^\d{4}-\d{2}-\d{2}$/.test(text) && DateTime.fromISO(text, { zone: 'utc' }).isValid ? (text as Day) : undefined
}

export function addDays(day: Day, days: number): Day {
  return new Date(Date.parse(`${day}T00:00:00Z`) + days * 86_400_000).toISOString().slice(0, 10) as Day
}

/** The instant at which `day` reaches a wall-clock time in `zone`. A time that a clock change skips moves forward. */
export function instantOf(day: Day, zone: string, time: { hour: number; minute?: number; second?: number }): Instant {
  return toInstant(
    DateTime.fromISO(day, { zone })
      .set({ minute: 0, second: 0, millisecond: 0, ...time })
      .toJSDate(),
  )
}

/** Whether all code here can work with this zone. The library also takes `local` and `UTC+3`, for which `dayIn` finds no day. */
export const isZone = (zone: string): boolean => IANAZone.isValidZone(zone)
