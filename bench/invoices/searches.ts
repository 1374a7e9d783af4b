import type { Listing, Sized } from '../growth/listing.ts'
import { odd, word, YEARS } from './seed.ts'

const SEARCH = '/v2/invoicing/search-invoices'
const DAY_MS = 86_400_000

const search = (what: string, criteria: (merchant: Sized) => object, pageSize = 20): Listing => ({
  what: `search-invoices: ${what}`,
  request: (merchant) => ({ path: `${SEARCH}?page_size=${pageSize}`, json: criteria(merchant) }),
})

const list = (what: string, query: string): Listing => ({
  what: `list-invoices: ${what}`,
  request: () => ({ path: `/v2/invoicing/invoices?${query}` }),
})

const day = ({ newest }: Sized, daysAgo: number) =>
  new Date(Date.parse(newest) - daysAgo * DAY_MS).toISOString().slice(0, 10)
const days = (merchant: Sized, from: number, to: number) => ({ start: day(merchant, from), end: day(merchant, to) })
/** From so long ago on for as long as a merchant takes for `count` invoices. */
const spanOf = ({ newest, size }: Sized, daysAgo: number, count: number) => {
  const start = Date.parse(newest) - daysAgo * DAY_MS
  const end = start + ((YEARS * 365 * DAY_MS) / size) * count
  return { start: new Date(start).toISOString(), end: new Date(end).toISOString() }
}
const amounts = (lower: string, upper: string, currency_code = 'USD') => ({
  total_amount_range: { lower_amount: { currency_code, value: lower }, upper_amount: { currency_code, value: upper } },
})
const oddDay = { start: odd.day, end: odd.day }

/**
 * Every single criterion, where it matches much, some and almost nothing. Where it matches some, the page is so small that few
 * invoices fill it as well.
 */
export const searches: readonly Listing[] = [
  list('first page', 'page=1'),
  list('page 50', 'page=50'),
  list('100 whole invoices', 'page_size=100&fields=all'),
  search('no criterion', () => ({})),
  search('recipient email, five', () => ({ recipient_email: odd.email })),
  search('recipient email, nobody', () => ({ recipient_email: 'nobody@example.com' })),
  search('first name, 1 in 300', () => ({ recipient_first_name: word(150) })),
  search('first name, part of many', () => ({ recipient_first_name: 'ba' })),
  search('first name, five', () => ({ recipient_first_name: odd.name })),
  search('first name, nobody', () => ({ recipient_first_name: 'xyzzy' })),
  search('last name, 1 in 500', () => ({ recipient_last_name: word(350) }), 5),
  search('last name, five', () => ({ recipient_last_name: odd.name })),
  search('business name, everybody', () => ({ recipient_business_name: 'gmbh' })),
  search('business name, five', () => ({ recipient_business_name: odd.business })),
  search('number', () => ({ invoice_number: 'S-5000' })),
  search('number, none', () => ({ invoice_number: 'S-none' })),
  search('status, half of all', () => ({ status: ['MARKED_AS_PAID'] })),
  search('status, five', () => ({ status: [odd.status] })),
  search('status, none', () => ({ status: ['REFUNDED'] })),
  search('five statuses', () => ({ status: ['DRAFT', 'SENT', 'PAID', 'CANCELLED', 'REFUNDED'] })),
  search('reference, everybody', () => ({ reference: 'po' })),
  search('reference, five', () => ({ reference: odd.reference })),
  search('reference, none', () => ({ reference: 'nothing like it' })),
  search('currency, almost all', () => ({ currency_code: 'USD' })),
  search('currency, 1 in 50', () => ({ currency_code: 'EUR' })),
  search('currency, five', () => ({ currency_code: odd.currency })),
  search('currency, none', () => ({ currency_code: 'JPY' })),
  search('memo, 1 in 200', () => ({ memo: word(100) })),
  search('memo, five', () => ({ memo: odd.memo })),
  search('item, everybody', () => ({ item_description: 'yoga' })),
  search('item, 1 in 300', () => ({ item_description: word(200) })),
  search('item, 1 in 2500', () => ({ item_description: `mat ${word(2_500)}` }), 1),
  search('item, five', () => ({ item_description: odd.item })),
  search('amount, wide', () => amounts('100.00', '4000.00')),
  search('amount, 1 in 1000', () => amounts('100.00', '105.00'), 3),
  search('amount, five', () => amounts('1000000.00', '1000000.00', odd.currency)),
  search('amount, none', () => amounts('100000.00', '200000.00')),
  search('invoice date, last week', (m) => ({ invoice_date_range: days(m, 7, 0) })),
  search('invoice date, a month two years ago', (m) => ({ invoice_date_range: days(m, 730, 700) })),
  search('invoice date, all years', (m) => ({ invoice_date_range: days(m, 3_000, 0) })),
  search('invoice date, the first year', (m) => ({ invoice_date_range: days(m, 1_095, 730) })),
  search('invoice date, five', () => ({ invoice_date_range: oddDay })),
  search('due date, a month two years ago', (m) => ({ due_date_range: days(m, 730, 700) })),
  search('due date, the first year', (m) => ({ due_date_range: days(m, 1_095, 730) })),
  search('due date, five', () => ({ due_date_range: oddDay })),
  search('due date, none', () => ({ due_date_range: { start: '2001-01-01', end: '2002-01-01' } })),
  search('payment date, last week', (m) => ({ payment_date_range: days(m, 7, 0) })),
  search('payment date, a month two years ago', (m) => ({ payment_date_range: days(m, 730, 700) })),
  search('payment date, the first year', (m) => ({ payment_date_range: days(m, 1_095, 730) })),
  search('payment date, five', () => ({ payment_date_range: oddDay })),
  search('creation date, a month two years ago', (m) => ({ creation_date_range: days(m, 730, 700) })),
  search('creation date, five', (m) => ({ creation_date_range: spanOf(m, 500, 5) })),
  search('creation date, none', () => ({ creation_date_range: { start: '2001-01-01', end: '2002-01-01' } })),
  search('status and recipient, five', () => ({ status: [odd.status], recipient_email: odd.email })),
  search('name and currency, five', () => ({ recipient_last_name: odd.name, currency_code: odd.currency })),
]
