import { type Html, html } from '../http/html.ts'
import type { Status } from '../invoices/schema/enums.ts'
import type { Money } from '../kernel/money.ts'
import { formatOf } from '../payer/sheet/format.ts'
import { type Disc, disc } from './parts/icons.ts'

const format = formatOf({ language: 'en', tag: 'en-US' })

export const money = (amount: Money): string => format.money(amount)

const standings: Readonly<Record<Status, readonly [disc: Disc, tone: string, label: string]>> = {
  DRAFT: ['draft', '', 'Draft'],
  SCHEDULED: ['scheduled', '', 'Scheduled'],
  SENT: ['sent', '', 'Sent'],
  PAYMENT_PENDING: ['pending', 'wait', 'Payment pending'],
  PARTIALLY_PAID: ['partial', 'wait', 'Partly paid'],
  PAID: ['paid', 'good', 'Paid'],
  MARKED_AS_PAID: ['marked', 'good', 'Marked as paid'],
  PARTIALLY_REFUNDED: ['partial', '', 'Partly refunded'],
  REFUNDED: ['returned', '', 'Refunded'],
  MARKED_AS_REFUNDED: ['returned', '', 'Marked as refunded'],
  CANCELLED: ['cancelled', '', 'Cancelled'],
}

export const standingWords = (status: string): string => standings[status as Status]?.[2] ?? sentence(status)

/** How an invoice stands, as a disc that fills and a word. */
export function standing(status: string): Html {
  const [glyph, tone, label] = standings[status as Status] ?? ['sent', '', sentence(status)]
  return html`<span class="standing">${disc(glyph, tone)}${label}</span>`
}

/** A value of an enum as a reader says it: `PROOF_OF_DELIVERY` is "Proof of delivery". */
export function sentence(value: string): string {
  const words = value.toLowerCase().replaceAll(/[_-]/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Somebody by what they are: "An agent", "A buyer". */
export const oneOf = (name: string): string => `${/^[aeiou]/i.test(name) ? 'An' : 'A'} ${name.toLowerCase()}`

const reasons: Readonly<Record<string, string>> = {
  MERCHANDISE_OR_SERVICE_NOT_RECEIVED: 'Not received',
  MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED: 'Not as described',
  UNAUTHORISED: 'Payment not authorised',
  CREDIT_NOT_PROCESSED: 'Refund not received',
  DUPLICATE_TRANSACTION: 'Charged twice',
  INCORRECT_AMOUNT: 'Wrong amount',
  PAYMENT_BY_OTHER_MEANS: 'Paid in another way',
  CANCELED_RECURRING_BILLING: 'Subscription was cancelled',
  PROBLEM_WITH_REMITTANCE: 'Problem with the transfer',
}
export const reasonWords = (reason: string): string => reasons[reason] ?? sentence(reason)

const outcomes: Readonly<Record<string, string>> = {
  RESOLVED_BUYER_FAVOUR: 'Resolved for the buyer',
  RESOLVED_SELLER_FAVOUR: 'Resolved for the seller',
  CANCELED_BY_BUYER: 'Taken back by the buyer',
  NONE: 'Closed without a decision',
}
export const outcomeWords = (code: string): string => outcomes[code] ?? sentence(code)

/** What is expected of the onlooker, by the state of the dispute as they read it. */
const states: Readonly<Record<string, string>> = {
  OPEN_INQUIRIES: 'The other side may answer',
  REQUIRED_ACTION: 'Waits for you',
  REQUIRED_OTHER_PARTY_ACTION: 'Waits for the other side',
  UNDER_REVIEW: 'An agent decides',
  UNDER_PAYPAL_REVIEW: 'An agent decides',
  APPEALABLE: 'Decided; may be appealed',
  RESOLVED: 'Resolved',
}
export const stateWords = (state: string): string => states[state] ?? sentence(state)

const failures: readonly (readonly [pattern: RegExp, words: string])[] = [
  [/ECONNREFUSED/, 'connection refused'],
  [/ENOTFOUND|EAI_AGAIN/, 'no such host'],
  [/ECONNRESET|EPIPE|socket hang up/, 'connection cut'],
  [/ETIMEDOUT|timed out/i, 'no answer in time'],
]
/** Why there was no answer, as a reader would say it. Other words are told as they are. */
export const failureWords = (error: string): string => failures.find(([pattern]) => pattern.test(error))?.[1] ?? error

const stages: Readonly<Record<string, string>> = {
  INQUIRY: 'an inquiry',
  CHARGEBACK: 'a claim',
  PRE_ARBITRATION: 'a first appeal',
  ARBITRATION: 'a second appeal',
}
const statuses: Readonly<Record<string, string>> = {
  OPEN: 'a new dispute',
  WAITING_FOR_SELLER_RESPONSE: 'the seller’s turn',
  WAITING_FOR_BUYER_RESPONSE: 'the buyer’s turn',
  UNDER_REVIEW: 'a review',
  RESOLVED: 'a resolved dispute',
}
const named = (names: string, nameOf: (name: string) => string) => names.split(' or ').map(nameOf).join(' or ')

/** Of several ways, those that take the fewest steps. */
function nearest(ways: readonly string[]): string {
  const steps = (way: string) => way.split(' and ').length
  const fewest = Math.min(...ways.map(steps))
  return ways.filter((way) => steps(way) === fewest).join(', or ')
}

/** What an action requires at least, with words for the values of the wire. */
export const requirement = (because: string): string =>
  `needs ${nearest(
    because
      .replace(/^requires /, '')
      .replace(/\.$/, '')
      .split(', or '),
  )
    .replace(/\bdispute_life_cycle_stage ([A-Z_]+(?: or [A-Z_]+)*)/g, (_, names: string) =>
      named(names, (name) => stages[name] ?? sentence(name)),
    )
    .replace(/\b(?:base_)?status ([A-Z_]+(?: or [A-Z_]+)*)/g, (_, names: string) =>
      named(names, (name) => statuses[name] ?? `“${standingWords(name).toLowerCase()}”`),
    )}`
