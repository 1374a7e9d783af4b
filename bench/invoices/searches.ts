import { ORIGINALS_MAX, type SeededMerchant, word } from './seed.ts'

export interface Search {
  readonly what: string
  request(merchant: SeededMerchant): { path: string; json?: object }
}

const SEARCH = '/v2/invoicing/search-invoices'
const DAY_MS = 86_400_000

const search = (what: string, criteria: (merchant: SeededMerchant) => object): Search => ({
  what,
  request: (merchant) => ({ path: SEARCH, json: criteria(merchant) }),
})

const list = (what: string, query: string): Search => ({
  what,
  request: () => ({ path: `/v2/invoicing/invoices?${query}` }),
})

const day = (merchant: SeededMerchant, daysAgo: number) =>
  new Date(Date.parse(merchant.newest) - daysAgo * DAY_MS).toISOString().slice(0, 10)
const days = (merchant: SeededMerchant, from: number, to: number) => ({
  start: day(merchant, from),
  end: day(merchant, to),
})
const amounts = (lower: string, upper: string, currency_code = 'USD') => ({
  total_amount_range: { lower_amount: { currency_code, value: lower }, upper_amount: { currency_code, value: upper } },
})
/** A customer in the middle of those a merchant has. */
const customer = ({ count }: SeededMerchant) => Math.floor(Math.min(count, ORIGINALS_MAX) / 40)

/** Every single criterion, where it matches much, some and almost nothing. */
export const searches: readonly Search[] = [
  list('list, first page', 'page=1'),
  list('list, page 50', 'page=50'),
  list('list, 100 whole invoices', 'page_size=100&fields=all'),
  search('no criterion', () => ({})),
  search('recipient email, 1 in 1000 or fewer', (m) => ({
    recipient_email: `customer-${customer(m)}@${word(customer(m) % 500)}.example`,
  })),
  search('recipient email, nobody', () => ({ recipient_email: 'nobody@example.com' })),
  search('first name, 1 in 300', () => ({ recipient_first_name: word(150) })),
  search('first name, part of many', () => ({ recipient_first_name: 'ba' })),
  search('first name, nobody', () => ({ recipient_first_name: 'xyzzy' })),
  search('last name, rare', () => ({ recipient_last_name: word(350) })),
  search('business name, everybody', () => ({ recipient_business_name: 'gmbh' })),
  search('business name, rare', () => ({ recipient_business_name: `${word(1_500)} ` })),
  search('number', ({ count }) => ({ invoice_number: `S-${Math.floor(Math.min(count, ORIGINALS_MAX) / 2)}` })),
  search('number, none', () => ({ invoice_number: 'S-none' })),
  search('status, half of all', () => ({ status: ['MARKED_AS_PAID'] })),
  search('status, 1 in 5000', () => ({ status: ['PAYMENT_PENDING'] })),
  search('status, none', () => ({ status: ['REFUNDED'] })),
  search('five statuses', () => ({ status: ['DRAFT', 'SENT', 'PAID', 'CANCELLED', 'REFUNDED'] })),
  search('reference, one order', ({ count }) => ({
    reference: `po-${Math.floor(Math.min(count, ORIGINALS_MAX) / 3)}`,
  })),
  search('reference, everybody', () => ({ reference: 'po' })),
  search('reference, none', () => ({ reference: 'nothing like it' })),
  search('currency, almost all', () => ({ currency_code: 'USD' })),
  search('currency, 1 in 50', () => ({ currency_code: 'EUR' })),
  search('currency, none', () => ({ currency_code: 'JPY' })),
  search('memo, 1 in 200', () => ({ memo: word(100) })),
  search('memo, rare', () => ({ memo: word(10_000) })),
  search('item, everybody', () => ({ item_description: 'yoga' })),
  search('item, 1 in 2500', () => ({ item_description: `mat ${word(2_500)}` })),
  search('item, rare', () => ({ item_description: word(45_000) })),
  search('amount, wide', () => amounts('100.00', '4000.00')),
  search('amount, one in a thousand', () => amounts('100.00', '105.00')),
  search('amount, one cent', () => amounts('1234.56', '1234.56')),
  search('amount, none', () => amounts('100000.00', '200000.00')),
  search('invoice date, last week', (m) => ({ invoice_date_range: days(m, 7, 0) })),
  search('invoice date, a month two years ago', (m) => ({ invoice_date_range: days(m, 730, 700) })),
  search('invoice date, all years', (m) => ({ invoice_date_range: days(m, 3_000, 0) })),
  search('invoice date, the first year', (m) => ({ invoice_date_range: days(m, 1_095, 730) })),
  search('due date, a month two years ago', (m) => ({ due_date_range: days(m, 730, 700) })),
  search('due date, none', () => ({ due_date_range: { start: '2001-01-01', end: '2002-01-01' } })),
  search('payment date, last week', (m) => ({ payment_date_range: days(m, 7, 0) })),
  search('payment date, a month two years ago', (m) => ({ payment_date_range: days(m, 730, 700) })),
  search('payment date, the first year', (m) => ({ payment_date_range: days(m, 1_095, 730) })),
  search('creation date, a month two years ago', (m) => ({ creation_date_range: days(m, 730, 700) })),
  search('creation date, none', () => ({ creation_date_range: { start: '2001-01-01', end: '2002-01-01' } })),
]
