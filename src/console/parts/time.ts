import { DateTime } from 'luxon'
import { type Html, html } from '../../http/html.ts'

/** Writes instants for somebody in a zone. */
export interface Times {
  /** `5 Dec, 09:41`, exact in the title. */
  at(instant: string): Html
  /** `Saturday 5 December, 09:41`. */
  fully(instant: string): Html
  /** `09:41:07.118`. */
  clock(instant: string): string
  /** `09:41`, exact in the title. */
  hour(instant: string): Html
  /** `Saturday, 5 December 2026`. */
  day(instant: string): string
  /** A day of the calendar, which has no zone: `5 Dec 2026`. */
  date(day: string): Html
  /** `December`. */
  month(day: string): string
  /** `in 2 d 22 h`, `3 d ago`. */
  away(instant: string): Html
  /** `3 d ago`, for something that has happened, even if only just now. */
  ago(instant: string): Html
  /** `in 2 d 22 h`, and `now` once it is time: what is still to be done was not done 2 s ago. */
  ahead(instant: string): Html
}

const english = { locale: 'en-GB' }

export function timesIn(zone: string, now: string): Times {
  const read = (instant: string) => DateTime.fromISO(instant, { zone, ...english })
  const marked = (instant: string, text: string) => html`<time datetime="${instant}" title="${instant}">${text}</time>`
  const year = read(now).year
  return {
    at: (instant) =>
      marked(instant, read(instant).toFormat(read(instant).year === year ? 'd LLL, HH:mm' : 'd LLL yyyy, HH:mm')),
    fully: (instant) => marked(instant, read(instant).toFormat('cccc d LLLL, HH:mm')),
    clock: (instant) => read(instant).toFormat('HH:mm:ss.SSS'),
    hour: (instant) => marked(instant, read(instant).toFormat('HH:mm')),
    day: (instant) => read(instant).toFormat('cccc, d LLLL yyyy'),
    date: (day) =>
      html`<time class="nowrap" datetime="${day}">${DateTime.fromISO(day, { zone: 'utc', ...english }).toFormat('d LLL yyyy')}</time>`,
    month: (day) => DateTime.fromISO(day, { zone: 'utc', ...english }).toFormat('LLLL'),
    away: (instant) =>
      html`<time datetime="${instant}" title="${instant}" data-away>${away(Date.parse(instant) - Date.parse(now))}</time>`,
    ago: (instant) =>
      html`<time datetime="${instant}" title="${instant}" data-away="ago">${span(Math.max(0, Date.parse(now) - Date.parse(instant)))} ago</time>`,
    ahead: (instant) =>
      html`<time datetime="${instant}" title="${instant}" data-away="ahead">${instant <= now ? 'now' : away(Date.parse(instant) - Date.parse(now))}</time>`,
  }
}

/** The reading of a clock: `Sat 5 Dec 2026`, and `09:41:07`. */
export const reading = (instant: string): readonly [day: string, time: string] => [
  DateTime.fromISO(instant, { zone: 'utc', ...english }).toFormat('ccc d LLL yyyy'),
  instant.slice(11, 19),
]

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1_000],
] as const

/** A span in its two largest units. */
export function span(milliseconds: number): string {
  const first = units.findIndex(([, size]) => milliseconds >= size)
  if (first < 0) return '0 s'
  const [unit, size] = units[first]!
  const whole = Math.floor(milliseconds / size)
  const next = units[first + 1]
  const rest = next && whole < 10 ? Math.floor((milliseconds % size) / next[1]) : 0
  return `${whole} ${unit}${rest > 0 ? ` ${rest} ${next![0]}` : ''}`
}

const away = (milliseconds: number) => (milliseconds >= 0 ? `in ${span(milliseconds)}` : `${span(-milliseconds)} ago`)
