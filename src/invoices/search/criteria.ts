import { type Instant, parseDay, parseInstant } from '../../kernel/clock.ts'
import { type Money, toMinor } from '../../kernel/money.ts'
import type { Issue } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { foreignStatuses, statuses } from '../schema/enums.ts'
import { INVOICE_NUMBER_MAX } from '../schema/given.ts'
import { Amount, CalendarDay, CurrencyCode } from '../schema/lines.ts'
import { Findings, refuseWrong, type Sound } from '../sums/check.ts'
import { numberKey } from '../sums/numbering.ts'
import { searchable } from './columns.ts'
import type { Criteria } from './conditions.ts'

const text = (maxLength: number) => Type.Optional(Type.String({ maxLength, 'x-numeric': true }))
const moment = Type.String({ maxLength: 40 })
const days = Type.Optional(Type.Object({ start: CalendarDay, end: CalendarDay }))
const moments = Type.Optional(Type.Object({ start: moment, end: moment }))

/** What a search may ask for; everything given must match. */
export const SearchInput = Type.Object({
  recipient_email: text(254),
  recipient_first_name: text(140),
  recipient_last_name: text(140),
  recipient_business_name: text(300),
  invoice_number: text(INVOICE_NUMBER_MAX),
  status: Type.Optional(Type.Array(Type.Enum([...statuses, ...foreignStatuses]), { maxItems: 5 })),
  reference: text(120),
  currency_code: Type.Optional(CurrencyCode),
  memo: text(500),
  item_description: text(1000),
  total_amount_range: Type.Optional(Type.Object({ lower_amount: Amount, upper_amount: Amount })),
  invoice_date_range: days,
  due_date_range: days,
  payment_date_range: moments,
  creation_date_range: moments,
  archived: Type.Optional(Type.Boolean()),
  fields: Type.Optional(Type.Array(Type.String({ maxLength: 100 }), { maxItems: 20 })),
})
export type SearchInput = Static<typeof SearchInput>

/** What is wrong with a search whatever is stored. */
export function checkSearch(input: Sound<SearchInput>): readonly Issue[] {
  const found = new Findings()
  checkAmounts(found, '/total_amount_range', input.total_amount_range)
  for (const name of ['invoice_date_range', 'due_date_range'] as const) {
    const { start, end } = input[name] ?? {}
    if (start !== undefined && end !== undefined && start > end) notInOrder(found, `/${name}`)
  }
  checkMoments(found, '/payment_date_range', input.payment_date_range)
  checkMoments(found, '/creation_date_range', input.creation_date_range)
  return found.issues
}

/** Reads the criteria of a request. Everything that is wrong with them is refused at once. */
export function criteriaOf(input: SearchInput): Criteria {
  refuseWrong(checkSearch(input))
  const { total_amount_range: amounts, payment_date_range: paid, creation_date_range: created } = input
  const within = (value: string | undefined) => (value === undefined ? undefined : searchable(value))
  return {
    email: within(input.recipient_email),
    number: input.invoice_number === undefined ? undefined : numberKey(input.invoice_number),
    // An empty list names no status to look for, just as an empty text names nothing.
    statuses: input.status?.length ? input.status : undefined,
    currency: input.currency_code,
    texts: {
      first_names: within(input.recipient_first_name),
      last_names: within(input.recipient_last_name),
      business_names: within(input.recipient_business_name),
      reference: within(input.reference),
      memo: within(input.memo),
      item_text: within(input.item_description),
    },
    amount: amounts && {
      currency: amounts.lower_amount.currency_code,
      least: toMinor(amounts.lower_amount),
      most: toMinor(amounts.upper_amount),
    },
    issued: input.invoice_date_range,
    due: input.due_date_range,
    paid: paid && daysAsWritten(paid),
    created: created && { start: startOf(created.start)!, end: lastOf(endOf(created.end)!) },
    nothing: input.archived === true,
  }
}

/** Payments have days in the merchant's zone. So an instant stands for the day that was written in it, not for its day in UTC. */
const daysAsWritten = ({ start, end }: { start: string; end: string }) => ({
  start: start.slice(0, 10),
  end: end.slice(0, 10),
})

/** What a total can be before taxes. */
const ANY_AMOUNT = { min: -1e14, max: 1e14 }

const notInOrder = (found: Findings, field: string) =>
  found.add(field, 'INVALID_PARAMETER_VALUE', 'The start of a range cannot lie after its end.')

function checkAmounts(found: Findings, at: string, range: Sound<SearchInput['total_amount_range']> = {}): void {
  const { lower_amount: lower, upper_amount: upper } = range
  const before = found.issues.length
  found.money(`${at}/lower_amount`, lower, ANY_AMOUNT)
  found.money(`${at}/upper_amount`, upper, ANY_AMOUNT)
  if (lower?.currency_code === undefined || upper?.currency_code === undefined) return
  if (lower.currency_code !== upper.currency_code)
    found.add(`${at}/upper_amount/currency_code`, 'INVALID_PARAMETER_VALUE', 'Both ends must be in one currency.')
  if (found.issues.length > before || lower.value === undefined || upper.value === undefined) return
  if (toMinor(lower as Money) > toMinor(upper as Money)) notInOrder(found, at)
}

function checkMoments(found: Findings, at: string, range: Sound<SearchInput['creation_date_range']> = {}): void {
  const unreadable = 'Write a date-time such as 2026-03-01T09:00:00Z, or a day.'
  const start = range.start === undefined ? undefined : startOf(range.start)
  const end = range.end === undefined ? undefined : endOf(range.end)
  if (range.start !== undefined && !start) found.add(`${at}/start`, 'INVALID_PARAMETER_SYNTAX', unreadable, range.start)
  if (range.end !== undefined && !end) found.add(`${at}/end`, 'INVALID_PARAMETER_SYNTAX', unreadable, range.end)
  if (start && end && start > end) notInOrder(found, at)
}

// A date-time, or a plain day, which stands for all of its hours.
const startOf = (told: string) => (parseDay(told) ? (`${told}T00:00:00.000Z` as Instant) : parseInstant(told))
const endOf = (told: string) => (parseDay(told) ? (`${told}T23:59:59.999Z` as Instant) : parseInstant(told))

/** Times are shown in whole seconds, so all of the second that ends the range belongs to it. */
const lastOf = (end: Instant): Instant => (end.endsWith('.000Z') ? (`${end.slice(0, 19)}.999Z` as Instant) : end)
