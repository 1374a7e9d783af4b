import type { SearchInput } from '../../../invoices/search/criteria.ts'
import { addDays, dayIn, type Instant } from '../../../kernel/clock.ts'
import { minorDigits } from '../../../kernel/money.ts'
import { invalid } from '../../../kernel/problem.ts'
import { type Static, Type } from '../../../kernel/type.ts'
import type { Invoice } from '../../forms/invoice-forms.ts'
import type { Visit } from '../../visit.ts'
import { outstanding } from './figures.ts'

interface View {
  readonly label: string
  readonly statuses?: readonly NonNullable<SearchInput['status']>[number][]
  readonly overdue?: boolean
  readonly none: readonly [title: string, text: string]
}

/** Lists by how invoices stand; each is a search that the API can do. */
export const views: Readonly<Record<string, View>> = {
  all: { label: 'All', none: ['No invoice yet', 'Write one here, or create one through the API.'] },
  drafts: { label: 'Drafts', statuses: ['DRAFT'], none: ['No drafts', 'Invoices stand here until they are sent.'] },
  scheduled: {
    label: 'Scheduled',
    statuses: ['SCHEDULED'],
    none: ['Nothing is scheduled', 'Invoices with an issue date to come wait here.'],
  },
  outstanding: {
    label: 'Outstanding',
    statuses: outstanding,
    none: ['Nothing is outstanding', 'Invoices stand here from being sent until they are paid.'],
  },
  overdue: {
    label: 'Overdue',
    statuses: outstanding,
    overdue: true,
    none: ['Nobody is late', 'Invoices stand here from the day after their due date until they are paid.'],
  },
  paid: {
    label: 'Paid',
    statuses: ['PAID', 'MARKED_AS_PAID'],
    none: ['Nothing was paid yet', 'What is paid in full stands here.'],
  },
  refunded: {
    label: 'Refunded',
    statuses: ['PARTIALLY_REFUNDED', 'REFUNDED', 'MARKED_AS_REFUNDED'],
    none: ['Nothing was refunded', 'What went back, in part or in full, stands here.'],
  },
  cancelled: {
    label: 'Cancelled',
    statuses: ['CANCELLED'],
    none: ['Nothing was cancelled', 'Withdrawn invoices stand here.'],
  },
}

/** Where a text of the search field is looked for, by the name of the criterion. A name of several words takes two criteria. */
export const places = {
  recipient_email: 'e-mail address',
  invoice_number: 'number',
  recipient_business_name: 'business name',
  recipient_name: 'name',
  recipient_last_name: 'last name',
  recipient_first_name: 'first name',
  reference: 'reference',
  item_description: 'item',
} as const
export type SearchPlace = keyof typeof places

/** Where a text of the search field can stand, the likeliest place first. */
export function placesFor(q: string): readonly SearchPlace[] {
  if (q.includes('@')) return ['recipient_email']
  const words: SearchPlace[] = [
    'recipient_business_name',
    ...(/\S\s+\S/.test(q) ? (['recipient_name'] as const) : []),
    ...(['recipient_last_name', 'recipient_first_name', 'reference', 'item_description'] as const),
  ]
  return /^[A-Za-z]{0,6}[-#]?\d[\w-]*$/.test(q) && q.length <= NUMBER_MAX ? ['invoice_number', 'reference'] : words
}

/**
 * Somebody is found by the first and the last word, whatever stands between them and whichever of their names each is part of.
 */
function criteriaFor(place: SearchPlace, q: string): SearchInput {
  if (place !== 'recipient_name') return { [place]: q }
  const words = q.split(/\s+/)
  return { recipient_first_name: words[0]!, recipient_last_name: words.at(-1)! }
}

const NUMBER_MAX = 25
export const PAGES_MAX = 40
const FIRST_DAY = '2000-01-01'
const LAST_DAY = '9999-12-31'

/** A field of the filter that was left empty is sent as an empty text. */
const day = Type.Optional(Type.String({ maxLength: 10, pattern: '^([0-9]{4}-[0-9]{2}-[0-9]{2})?$' }))
const sum = Type.Optional(Type.String({ maxLength: 16, pattern: '^([0-9]{1,12}([.][0-9]{1,3})?)?$' }))

export const Query = Type.Object({
  view: Type.Optional(Type.Enum(Object.keys(views))),
  q: Type.Optional(Type.String({ maxLength: 254 })),
  in: Type.Optional(Type.Enum(Object.keys(places))),
  from: day,
  to: day,
  currency: Type.Optional(Type.String({ maxLength: 3, pattern: '^([A-Z]{3})?$' })),
  least: sum,
  most: sum,
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: PAGES_MAX })),
})

/** What a list is asked for. Every such query is an address. */
export type ListQuery = Static<typeof Query>

export const filters = ['from', 'to', 'currency', 'least', 'most'] as const

export const isFiltered = (query: ListQuery): boolean => filters.some((name) => query[name])

type Asked = Pick<Visit, 'now' | 'who'> & { readonly query: ListQuery }

/** Puts the larger of the two ends last, in whichever order they were typed. */
const inOrder = (a: string, b: string, isBefore: boolean) => (isBefore ? { start: a, end: b } : { start: b, end: a })

/** A list, as the search of the API is asked for it. */
export function searchOf({ query, now, who }: Asked): SearchInput {
  const { statuses, overdue } = views[query.view ?? 'all']!
  const yesterday = addDays(dayIn(now as Instant, who.accountZone), -1)
  const q = query.q?.trim()
  const { currency, least, most } = query
  // A filter that was silently dropped would match every invoice, and a bulk reminder would go to all of them.
  if ((least || most) && !currency) throw invalid('currency', 'Choose the currency of the totals.')
  const [from, to] = [query.from || FIRST_DAY, query.to || LAST_DAY]
  // The amount is cut to the digits of the currency, because no total has more.
  const money = (value: string) => ({ currency_code: currency!, value: cut(value, minorDigits(currency!)) })
  const ends = inOrder(least || '0', most || AMOUNT_MAX, Number(least || 0) <= Number(most || AMOUNT_MAX))
  return {
    ...(statuses && { status: [...statuses] }),
    ...(overdue && { due_date_range: { start: FIRST_DAY, end: yesterday } }),
    ...((query.from || query.to) && { invoice_date_range: inOrder(from, to, from <= to) }),
    ...(currency && { currency_code: currency }),
    ...(currency &&
      (least || most) && { total_amount_range: { lower_amount: money(ends.start), upper_amount: money(ends.end) } }),
    ...(q && criteriaFor((query.in as SearchPlace | undefined) ?? placesFor(q)[0]!, q)),
  }
}
const cut = (value: string, digits: number) =>
  value.replace(/[.](.*)$/, (_, rest: string) => (digits > 0 ? `.${rest.slice(0, digits)}` : ''))
const AMOUNT_MAX = '99999999999'

export type Shown = { items: Invoice[]; links: { rel: string }[] }

export const search = (
  visit: Asked & Pick<Visit, 'look'>,
  { page, size }: { page: number; size: number },
): Promise<Shown> => visit.look<Shown>('searchInvoices', { query: { page, page_size: size }, body: searchOf(visit) })

/** The same for a text that may stand in several places: what is found in the first place where there is something. */
export async function searchAnywhere(
  visit: Asked & Pick<Visit, 'look'>,
  slice: { page: number; size: number },
): Promise<Shown & { readonly query: ListQuery }> {
  const { query } = visit
  const q = query.q?.trim()
  if (!q || query.in) return { ...(await search(visit, slice)), query }
  let found: (Shown & { readonly query: ListQuery }) | undefined
  for (const place of placesFor(q)) {
    const asked = { ...query, in: place }
    found = { ...(await search({ ...visit, query: asked }, slice)), query: asked }
    if (found.items.length > 0) break
  }
  return found!
}

/** The address of a list, with what is asked for in it. */
export function addressOf({ view, page, ...asked }: ListQuery, at = '/console/invoices'): string {
  const query = new URLSearchParams({
    ...(view && view !== 'all' && { view }),
    ...Object.fromEntries(Object.entries(asked).filter(([, value]) => value)),
    ...(page && page > 1 && { page: String(page) }),
  })
  return `${at}${query.size > 0 ? `?${query}` : ''}`
}
