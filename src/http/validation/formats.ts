import { parseInstant } from '../../kernel/clock.ts'

const daysInMonth = (year: number, month: number): number =>
  month === 2
    ? year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
      ? 29
      : 28
    : [4, 6, 9, 11].includes(month)
      ? 30
      : 31

const dateForm = /^(\d{4})-(\d{2})-(\d{2})$/

export function isDate(text: string): boolean {
  const match = text.length === 10 ? dateForm.exec(text) : null
  if (match === null) return false
  const [year, month, day] = [Number(match[1]), Number(match[2]), Number(match[3])]
  return year > 0 && month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month)
}

const timeForm = /^[Tt](\d{2}):(\d{2}):(\d{2})(?:\.\d{1,9})?(?:[Zz]|[+-](\d{2}):(\d{2}))$/

/** RFC 3339 with seconds and a zone. Whatever passes can be read by `parseInstant`. */
export function isDateTime(text: string): boolean {
  if (text.length < 20 || text.length > 35 || !isDate(text.slice(0, 10))) return false
  const match = timeForm.exec(text.slice(10))
  if (match === null) return false
  const [hour, minute, second] = [Number(match[1]), Number(match[2]), Number(match[3])]
  const [zoneHour, zoneMinute] = [Number(match[4] ?? 0), Number(match[5] ?? 0)]
  if (hour > 23 || minute > 59 || second > 59 || zoneHour > 14 || zoneMinute > 59) return false
  // At both ends of the calendar the zone decides whether the instant still has a year of four digits.
  return (!text.startsWith('0001') && !text.startsWith('9999')) || parseInstant(text) !== undefined
}

const localPart = /^[a-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[a-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/i
const label = /^[a-z0-9](?:[a-z0-9-]*[a-z0-9])?$/i

/** An address that mail can be sent to over the public net: ASCII, no comments, no quoted names, a domain with a dot. */
export function isEmail(text: string): boolean {
  const at = text.lastIndexOf('@')
  if (at < 1 || at > 64 || text.length > 254) return false
  const labels = text.slice(at + 1).split('.')
  return (
    labels.length > 1 &&
    labels.every((part) => part.length < 64 && label.test(part)) &&
    localPart.test(text.slice(0, at))
  )
}

const uriForm = /^[a-z][a-z0-9+.-]*:[!#$%&'()*+,./:;=?@[\]_~0-9a-z-]+$/i

/** An absolute URI in ASCII; characters outside it must be percent-encoded. */
export const isUri = (text: string): boolean => text.length <= 8192 && uriForm.test(text) && URL.canParse(text)
