import fc from 'fast-check'
import type { SearchInput } from '../../src/invoices/search/criteria.ts'
import { recipient, type Seen } from './shop.ts'

/** Invoices and searches at random, and the search once more, as one would write it for a list that one has in hand. */

// Texts of few letters, so that a part of one is often found in others. Some of these mean something to SQL, to the index, or
// to a piece of four letters; some are of two units, or written in two ways.
const letters = [
  ...['a', 'b', 'B', 'ab', 'aba', 'ä', 'a\u0308', 'ß', 'é', '田', '😀', '😁', '-', '1', ' ', '\n'],
  ...["'", '"', '\\', '%', '_', ':*', '&'],
]
const text = (maxLength: number) =>
  fc.array(fc.constantFrom(...letters), { minLength: 1, maxLength }).map((parts) => `x${parts.join('')}`)
const optional = <T>(one: fc.Arbitrary<T>, freq = 2) => fc.option(one, { nil: undefined, freq })

const addresses = ['A@example.com', 'a@example.com', 'ab@example.com', "o'b@example.com", 'ümit@例え.example']
const email = fc.constantFrom(...addresses)

const DAY_MS = 86_400_000
const dayAt = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const FAR_DAYS = ['0001-01-01', '0001-01-02', '1969-12-31', '2023-06-30', '2024-02-29', '2031-01-01', '9999-12-31']
const dayFrom = (first: string, days: number) => fc.nat(days).map((n) => dayAt(Date.parse(first) + n * DAY_MS))
/** Around the time in which the invoices are made, some days more often than others, or far from it. */
const day = fc.oneof(
  { weight: 4, arbitrary: dayFrom('2025-12-22', 200) },
  { weight: 4, arbitrary: dayFrom('2026-07-06', 8) },
  { weight: 1, arbitrary: fc.constantFrom(...FAR_DAYS) },
)

const decimals = { USD: 2, JPY: 0, KWD: 3 }
type Currency = keyof typeof decimals
export const moneyOf = (currency_code: Currency, units: number) => ({
  currency_code,
  value: units.toFixed(decimals[currency_code]),
})

const recipientGiven = fc
  .record({ given_name: text(5), surname: text(5), full_name: optional(text(7)), business_name: text(5), email })
  .map(({ email, business_name, ...name }) => recipient(email, { name, business_name }))

/** An invoice as a merchant writes it. */
export const invoiceGiven = fc
  .record({
    currency_code: fc.constantFrom<Currency>('USD', 'USD', 'JPY', 'KWD'),
    units: fc.nat(12),
    notes: fc.record({ memo: optional(text(12)), reference: optional(text(6)), invoice_date: optional(day) }),
    term_type: fc.constantFrom(undefined, 'NET_10', 'NET_300', 'DUE_ON_RECEIPT'),
    primary_recipients: fc.array(recipientGiven, { maxLength: 3 }),
    additional_recipients: fc.array(email, { maxLength: 2 }),
    item: optional(fc.record({ name: text(6), description: optional(text(30)) }), 8),
  })
  .map(({ currency_code, units, notes, term_type, item, ...parties }) => ({
    ...parties,
    detail: {
      ...{ currency_code, ...notes },
      // There is no day of the year 10000.
      ...(term_type && !notes.invoice_date?.startsWith('9') && { payment_term: { term_type } }),
    },
    items: item ? [{ ...item, quantity: '1', unit_amount: moneyOf(currency_code, units) }] : [],
  }))

/** What becomes of an invoice after it was made: the days on which it is paid, and something that is done with it. */
export const fate = fc.record({
  days: fc.array(day, { maxLength: 3 }).chain((days) => fc.constantFrom(days, [...days, ...days])),
  does: fc.constantFrom('nothing', 'nothing', 'nothing', 'delete', 'replace', 'send', 'unpay', 'refund'),
})

/** How a criterion is made of an invoice that exists, so that it has something to find. */
interface Aim {
  readonly of: number
  readonly from: number
  readonly length: number
  readonly days: number
  readonly isUpper: boolean
  readonly isWrong: boolean
}
const aim: fc.Arbitrary<Aim> = fc.record({
  of: fc.nat(10_000),
  from: fc.nat(20),
  length: fc.constantFrom(1, 2, 3, 4, 5, 6, 8, 30),
  days: fc.constantFrom(0, 0, 1, 3, 4, 5, 30, 35, 70, 200, 998, 999, 1000, 1001, 5_000),
  isUpper: fc.boolean(),
  isWrong: fc.constantFrom(false, false, false, true),
})

type Make = (aim: Aim, one: Seen, all: readonly Seen[]) => Partial<SearchInput>

/** A part of one of these texts, in whatever case, which nothing need contain. */
const part =
  (name: keyof SearchInput, textsOf: (one: Seen) => Texts): Make =>
  (aim, one) => {
    const whole = [...(textsOf(one).find((value) => value !== undefined) ?? 'xab')]
    const from = aim.from % whole.length
    const cut = whole.slice(from, from + aim.length).join('') + (aim.isWrong ? 'b' : '')
    return { [name]: aim.isUpper ? cut.toUpperCase().replaceAll('SS', 'ß') : cut }
  }

/** A range in which such a day lies, at its end or some way into it. */
const range =
  (name: keyof SearchInput, daysOf: (one: Seen) => Texts, first = '0001-01-01'): Make =>
  (aim, one) => {
    const middle = Date.parse(daysOf(one).find((value) => value !== undefined) ?? '2026-03-20')
    const before = Math.min(aim.days, aim.from * (aim.isUpper ? 1 : 50))
    const within = (ms: number) => dayAt(Math.max(Date.parse(first), Math.min(Date.parse('9999-12-31'), ms)))
    return { [name]: { start: within(middle - before * DAY_MS), end: within(middle + (aim.days - before) * DAY_MS) } }
  }

const statuses = [['DRAFT'], ['SENT'], ['DRAFT', 'PARTIALLY_PAID'], ['UNPAID', 'MARKED_AS_PAID', 'SENT']] as const

const byDays: readonly Make[] = [
  range('invoice_date_range', ({ detail }) => [detail.invoice_date]),
  range('due_date_range', ({ detail }) => [detail.payment_term.due_date]),
  range('payment_date_range', (one) => daysPaid(one), '0000-01-01'),
]
const byWords: readonly Make[] = [
  (aim, one) => ({ recipient_email: emailsOf(one)[aim.from % 3] ?? addresses[aim.of % addresses.length]! }),
  part('recipient_first_name', (one) => namesOf(one, 'given_name')),
  part('recipient_last_name', (one) => namesOf(one, 'surname')),
  part('recipient_business_name', (one) => businessesOf(one)),
  part('reference', ({ detail }) => [detail.reference]),
  part('memo', ({ detail }) => [detail.memo]),
  part('item_description', (one) => itemTextsOf(one)),
]
const byAmount: Make = (aim, { amount }) => {
  const [currency, units] = [amount.currency_code as Currency, Number(amount.value)]
  return {
    total_amount_range: {
      lower_amount: moneyOf(currency, units),
      upper_amount: moneyOf(currency, units + (aim.days % 7)),
    },
  }
}
const byOthers: readonly Make[] = [
  (_, { detail }) => ({ invoice_number: detail.invoice_number }),
  (aim) => ({ status: [...statuses[aim.of % statuses.length]!] }),
  (_, { detail }) => ({ currency_code: detail.currency_code }),
  () => ({ archived: false }),
  (aim, one, all) => {
    const [start, end] = [createdAt(one), createdAt(all[(aim.of * 7) % all.length]!)].sort() as [string, string]
    return { creation_date_range: aim.isUpper ? { start: start.slice(0, 10), end: end.slice(0, 10) } : { start, end } }
  },
]

const oneOf = (makes: readonly Make[], maxLength = 1) =>
  fc.array(fc.tuple(fc.constantFrom(...makes), aim), { minLength: 1, maxLength })

/** A search of invoices that exist: by days, words or amounts alone, which have ways of their own, or by several things. */
export const searchOf = fc
  .oneof(oneOf(byDays), oneOf(byWords, 2), oneOf([byAmount]), oneOf([...byDays, ...byWords, byAmount, ...byOthers], 3))
  .map(
    (chosen) =>
      (all: readonly Seen[]): SearchInput =>
        Object.assign({}, ...chosen.map(([make, how]) => make(how, all[how.of % all.length]!, all))),
  )

type Texts = readonly (string | undefined)[]

const emailsOf = ({ primary_recipients, additional_recipients }: Seen): string[] => [
  ...primary_recipients.flatMap(({ billing_info }) => billing_info.email_address ?? []),
  ...additional_recipients,
]
const namesOf = (one: Seen, name: string): Texts =>
  one.primary_recipients.flatMap(({ billing_info }) => {
    const { given_name, surname, full_name, [name]: part } = billing_info.name ?? {}
    // One that was only made of the parts to be shown says nothing of its own.
    return [part, full_name === `${given_name} ${surname}` ? undefined : full_name]
  })
const businessesOf = (one: Seen): Texts =>
  one.primary_recipients.map(({ billing_info }) => (billing_info as { business_name?: string }).business_name)
const itemTextsOf = (one: Seen): Texts =>
  one.items.flatMap((item) => [item.name, (item as { description?: string }).description])
const daysPaid = (one: Seen): Texts =>
  (one.payments?.transactions ?? []).map((payment) => (payment as object as { payment_date: string }).payment_date)
const createdAt = ({ detail }: Seen): string => detail.metadata['create_time']!

const folded = (value: string) => value.normalize('NFC').toLowerCase()
const isIn = (values: Texts, sought: string) =>
  values.some((value) => value !== undefined && folded(value).includes(folded(sought)))
const isWithin = (value: string | undefined, { start, end }: { start: string; end: string }) =>
  value !== undefined && start <= value && value <= end

/** Whether an invoice fulfils each criterion of a search. */
export function matches(one: Seen, sought: SearchInput): boolean {
  const { detail, amount } = one
  const fulfils: { [Name in keyof SearchInput]-?: (wanted: SearchInput[Name] & {}) => boolean } = {
    recipient_email: (wanted) => emailsOf(one).some((email) => folded(email) === folded(wanted)),
    recipient_first_name: (wanted) => isIn(namesOf(one, 'given_name'), wanted),
    recipient_last_name: (wanted) => isIn(namesOf(one, 'surname'), wanted),
    recipient_business_name: (wanted) => isIn(businessesOf(one), wanted),
    invoice_number: (wanted) => folded(detail.invoice_number) === folded(wanted),
    status: (wanted) => wanted.some((status) => status === one.status),
    reference: (wanted) => isIn([detail.reference], wanted),
    currency_code: (wanted) => detail.currency_code === wanted,
    memo: (wanted) => isIn([detail.memo], wanted),
    item_description: (wanted) => isIn(itemTextsOf(one), wanted),
    total_amount_range: ({ lower_amount, upper_amount }) =>
      amount.currency_code === lower_amount.currency_code &&
      Number(amount.value) >= Number(lower_amount.value) &&
      Number(amount.value) <= Number(upper_amount.value),
    invoice_date_range: (wanted) => isWithin(detail.invoice_date, wanted),
    due_date_range: (wanted) => isWithin(detail.payment_term.due_date, wanted),
    payment_date_range: (wanted) => daysPaid(one).some((day) => isWithin(day, wanted)),
    // A plain day stands for all of its hours.
    creation_date_range: ({ start, end }) =>
      isWithin(createdAt(one), { start, end: end.length === 10 ? `${end}T23:59:59Z` : end }),
    archived: (wanted) => !wanted,
    fields: () => true,
  }
  return Object.entries(sought).every(([name, wanted]) =>
    (fulfils[name as keyof SearchInput] as (wanted: unknown) => boolean)(wanted),
  )
}
