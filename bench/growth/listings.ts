import { searches } from '../invoices/searches.ts'
import type { Listing, Sized } from './listing.ts'

const DAY_MS = 86_400_000
const ago = ({ newest }: Sized, days: number) => new Date(Date.parse(newest) - days * DAY_MS).toISOString()
/** What lists hold besides invoices and disputes goes back so far. */
const SPREAD_DAYS = 30
/** So long that so many of them lie in it. */
const daysOf = ({ size }: Sized, count: number) => (SPREAD_DAYS / size) * count

type Filter = string | ((sized: Sized) => string)
const lists =
  (operation: string, url: string, who?: string) =>
  (what: string, filter: Filter = what): Listing => ({
    what: `${operation}: ${what || 'all'}`,
    ...(who !== undefined && { who }),
    request: (sized) => ({ path: `${url}?${typeof filter === 'string' ? filter : filter(sized)}` }),
  })

const disputes = lists('list-disputes', '/v1/customer/disputes')
const ofBuyer = lists('list-disputes, buyer', '/v1/customer/disputes', 'sandbox-buyer')
const suggestions = lists('suggest-dispute-searches', '/v1/customer/disputes/search-suggestions')
const suggestedToBuyer = lists(
  'suggest-dispute-searches, buyer',
  '/v1/customer/disputes/search-suggestions',
  'sandbox-buyer',
)
const referred = lists('list-referred-disputes', '/v1/customer/referred-disputes', 'sandbox-partner')
const transactions = lists('list-transactions', '/v1/reporting/transactions')
const balances = lists('list-balances', '/v1/reporting/balances')
const events = lists('list-events', '/v1/notifications/webhooks-events')
const transmissions = lists('list-transmissions', '/v1/notifications/webhooks-transmissions')
const webhooks = lists('list-webhooks', '/v1/notifications/webhooks')
const lookups = lists('list-webhook-lookups', '/v1/notifications/webhooks-lookup')
const eventTypes = lists('list-event-types', '/v1/notifications/webhooks-event-types')
const templates = lists('list-templates', '/v2/invoicing/templates')
const mail = lists('list-sandbox-mail', '/sandbox/mail')
const due = lists('list-sandbox-due', '/sandbox/due')
const requests = lists('list-sandbox-requests', '/sandbox/requests')
const timeline = lists('list-sandbox-timeline', '/sandbox/timeline')
const audit = lists('list-audit-log', '/v1/operator/audit', 'sandbox-merchant-2')

/** A window that holds as many, whatever there is: the answer counts all that lie in it. */
const within = (m: Sized, count: number) =>
  `create_time_after=${ago(m, 10 + daysOf(m, count))}&create_time_before=${ago(m, 10)}`

/** The first page of every list and search of the API, with each of its filters. */
export const listings: readonly Listing[] = [
  ...searches,
  disputes(''),
  disputes('whole disputes', 'fields=all'),
  disputes('page 50', 'page=50&page_size=50'),
  disputes('dispute_state=REQUIRED_ACTION'),
  disputes('dispute_state=REQUIRED_ACTION,APPEALABLE,UNDER_REVIEW'),
  disputes('dispute_state, five', 'dispute_state=OPEN_INQUIRIES'),
  disputes('statuses=UNDER_REVIEW'),
  disputes('statuses, five', 'statuses=OPEN'),
  disputes('reasons=UNAUTHORISED,OTHER'),
  disputes('reasons, five', 'reasons=PROBLEM_WITH_REMITTANCE'),
  disputes('dispute_channel=EXTERNAL'),
  disputes('dispute_channel, five', 'dispute_channel=ALERT'),
  disputes('dispute_life_cycle_stage=PRE_ARBITRATION'),
  disputes('dispute_life_cycle_stage, five', 'dispute_life_cycle_stage=ARBITRATION'),
  disputes('dispute_flows=RETURN'),
  disputes('dispute_flows, five', 'dispute_flows=EVIDENCE'),
  disputes('dispute_currency=EUR'),
  disputes('dispute_currency, five', 'dispute_currency=CHF'),
  disputes('dispute_currency, none', 'dispute_currency=JPY'),
  disputes('dispute_amount_gte=900.00&dispute_currency=USD'),
  disputes('dispute_amount, 1 in 100', 'dispute_amount_gte=500.00&dispute_amount_lte=510.00'),
  disputes('start_time, a week ago', (m) => `start_time=${ago(m, 7)}`),
  disputes('create_time_after, a day ago', (m) => `create_time_after=${ago(m, 1)}`),
  disputes('create_time_before, 150 days ago', (m) => `create_time_before=${ago(m, 150)}`),
  disputes('update_time_after, a day ago', (m) => `update_time_after=${ago(m, 1)}`),
  disputes('update_time, 20 days', (m) => `update_time_before=${ago(m, 60)}&update_time_after=${ago(m, 80)}`),
  disputes('response_due_date_before', (m) => `response_due_date_before=${ago(m, -11)}`),
  disputes('response_due_date_after', (m) => `response_due_date_after=${ago(m, -9)}`),
  disputes('invoice_number', 'invoice_number=INV-77'),
  disputes('email, five', 'email=buyer77@example.com'),
  disputes('name, five', 'name=buyer%2077'),
  disputes('search_text, name', 'search_text=buyer%2077'),
  disputes('search_text, invoice', 'search_text=INV-77'),
  disputes('search_text, nothing', 'search_text=nothing'),
  disputes('disputed_transaction_id, ours', 'disputed_transaction_id=SLST77'),
  disputes('disputed_transaction_id, theirs', 'disputed_transaction_id=BLST77'),
  disputes('sort_by=UPDATE_TIME'),
  disputes('sort_by=UPDATE_TIME&sort_order=asc'),
  disputes('sort_by=RESPONSE_DUE_DATE&sort_order=asc'),
  disputes('sort_order=asc'),
  disputes('status, reason and currency', 'statuses=WAITING_FOR_SELLER_RESPONSE&reasons=OTHER&dispute_currency=USD'),
  ofBuyer(''),
  ofBuyer('dispute_state=REQUIRED_ACTION'),
  suggestions('NAME', 'search_text=bu&search_field=NAME'),
  suggestions('EMAIL', 'search_text=bu&search_field=EMAIL'),
  suggestions('DISPUTE_ID', 'search_text=PP&search_field=DISPUTE_ID'),
  suggestions('INVOICE_NUMBER', 'search_text=INV-77&search_field=INVOICE_NUMBER'),
  suggestions('DISPUTED_TRANSACTION_ID', 'search_text=SLST&search_field=DISPUTED_TRANSACTION_ID'),
  suggestions('ALL', 'search_text=bu'),
  suggestedToBuyer('NAME', 'search_text=bu&search_field=NAME'),
  suggestedToBuyer('DISPUTE_ID', 'search_text=PP&search_field=DISPUTE_ID'),
  suggestedToBuyer('INVOICE_NUMBER', 'search_text=INV-77&search_field=INVOICE_NUMBER'),
  suggestedToBuyer('DISPUTED_TRANSACTION_ID', 'search_text=BLST&search_field=DISPUTED_TRANSACTION_ID'),
  suggestedToBuyer('ALL', 'search_text=PP'),
  referred('a window of 100', (m) => within(m, 100)),
  referred('a window of 100, status', (m) => `${within(m, 100)}&status=CLOSED`),
  referred('a window of 100, dispute_flows', (m) => `${within(m, 100)}&dispute_flows=THIRD_PARTY_DISPUTE`),
  transactions(''),
  transactions('start_date', (m) => `start_date=${ago(m, 20)}&end_date=${ago(m, 10)}`),
  transactions('invoice_id', 'invoice_id=INV2-S77'),
  transactions('dispute_id', 'dispute_id=PP-R-LST-77'),
  balances(''),
  balances('currency_code=USD'),
  events(''),
  events('start_time', (m) => `start_time=${ago(m, 20)}&end_time=${ago(m, 10)}`),
  events('event_type=INVOICING.INVOICE.CREATED'),
  events('event_type, five', 'event_type=INVOICING.INVOICE.CANCELLED'),
  events('transaction_id', 'transaction_id=INV2-S77'),
  transmissions(''),
  transmissions('start_time', (m) => `start_time=${ago(m, 20)}&end_time=${ago(m, 10)}`),
  transmissions('webhook_id', (m) => `webhook_id=${m.busyWebhook}`),
  transmissions('status=PENDING'),
  transmissions('status=FAILURE'),
  transmissions('status=SUCCESS, five', 'status=SUCCESS'),
  webhooks(''),
  webhooks('anchor_type=ACCOUNT'),
  lookups(''),
  eventTypes(''),
  templates(''),
  templates('fields=none'),
  mail(''),
  mail('to', 'to=person77@example.com'),
  mail('text', 'text=nothing'),
  mail('unread=true'),
  due(''),
  due('subject', 'subject=PP-R-LST-77'),
  // A sandbox keeps ten thousand of these at most.
  requests(''),
  requests('status=422'),
  requests('failed=true'),
  requests('operation=createInvoice'),
  requests('app', 'app=sandbox-merchant'),
  requests('text, none', 'text=nothing'),
  timeline(''),
  timeline('kind=move'),
  timeline('trouble=true'),
  timeline('subject', 'subject=INV2-S77'),
  audit(''),
  audit('start_time', (m) => `start_time=${ago(m, 10)}`),
  audit('account_id', (m) => `account_id=${m.accountId}`),
  audit('account_id, one', 'account_id=ACCOUNTS1000'),
  audit('actor', (m) => `actor=app:${m.appId}`),
  audit('actor, one', 'actor=person:PER-S1000'),
  audit('resource_id', 'resource_id=INV2-S77'),
  audit('resource_id, none', 'resource_id=NOTHING'),
  audit('cause', 'cause=scale77'),
]
