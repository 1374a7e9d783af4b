import { keysetQuery, pageOf, placeOf } from '../http/keyset.ts'
import { type AnyRoute, route } from '../http/route.ts'
import { type Instant, parseInstant, toSeconds } from '../kernel/clock.ts'
import { Links } from '../kernel/links.ts'
import { Money, toMoney } from '../kernel/money.ts'
import { invalid } from '../kernel/problem.ts'
import { Type } from '../kernel/type.ts'
import type { Service } from '../room.ts'
import { type Balances, findMerchantBalances, findMovements, type Movement } from './statements.ts'

const tag = 'Reporting'
const scopes = ['reporting/search/read']
const transactionsUrl = '/v1/reporting/transactions'
const PAGE_SIZE_DEFAULT = 100
const PAGE_SIZE_MAX = 500

const BalanceOut = Type.Object(
  {
    currency: Type.String(),
    primary: Type.Boolean({ description: 'Whether it is the currency of the account.' }),
    total_balance: Money,
    available_balance: Money,
    withheld_balance: Money,
    pending_balance: Money,
  },
  {
    $id: 'Balance',
    description: 'The total is what is available and what is withheld; what is pending has not cleared.',
  },
)
const BalancesOut = Type.Object({
  account_id: Type.String(),
  as_of_time: Type.String(),
  balances: Type.Array(BalanceOut),
})

const maybe = (description: string) => Type.Optional(Type.String({ description }))
const change = Type.Optional(Money)

const TransactionOut = Type.Object(
  {
    transaction_id: Type.String(),
    transaction_type: Type.String({ description: 'CAPTURE, REFUND, REVERSAL, HOLD_PLACED, HOLD_RELEASED and others.' }),
    transaction_initiation_date: Type.String(),
    transaction_amount: Money,
    fee_amount: Type.Optional(Money),
    available_change: change,
    withheld_change: change,
    pending_change: change,
    payment_id: maybe('The capture that was moved.'),
    refund_id: maybe('The refund that moved it.'),
    dispute_id: maybe('The dispute it was moved for.'),
    invoice_id: maybe('The invoice that the payment paid.'),
  },
  { $id: 'TransactionInfo', description: 'One movement of money; minus is money that left.' },
)
const Page = Type.Object({
  account_id: Type.String(),
  transaction_details: Type.Array(Type.Object({ transaction_info: TransactionOut })),
  links: Links,
})

const aboutText = (description: string) => Type.Optional(Type.String({ minLength: 1, maxLength: 64, description }))
const instantText = (description: string) => Type.Optional(Type.String({ maxLength: 64, description }))

/** What a merchant has, and how it came to that. */
export const reportingRoutes = (service: Service): AnyRoute[] => [
  route({
    method: 'GET',
    url: '/v1/reporting/balances',
    operation: 'listBalances',
    summary: 'Show what the account has, by currency',
    tag,
    scopes,
    query: Type.Object({
      currency_code: Type.Optional(
        Type.String({
          maxLength: 3,
          pattern: '^([A-Z]{3}|ALL)$',
          description: 'Only this currency; ALL, or nothing, is every one.',
        }),
      ),
    }),
    success: { 200: BalancesOut },
    reads: true,
    fromReplica: true,
    async handle({ db, caller, query: { currency_code = 'ALL' }, now }) {
      const balances = await findMerchantBalances(db, caller.accountId)
      return {
        account_id: caller.accountId,
        as_of_time: toSeconds(now),
        balances: balances
          .filter(({ currency }) => currency_code === 'ALL' || currency === currency_code)
          .map(presentBalance),
      }
    },
  }),
  route({
    method: 'GET',
    url: transactionsUrl,
    operation: 'listTransactions',
    summary: 'List what moved money of the account, newest first',
    tag,
    scopes,
    query: Type.Object({
      start_date: instantText('Only what was booked at this instant or later.'),
      end_date: instantText('Only what was booked at this instant or before.'),
      invoice_id: aboutText(
        'Only payments of this invoice, what was given back of them, and what disputes about them moved; not with dispute_id.',
      ),
      dispute_id: aboutText('Only what this dispute moved.'),
      ...keysetQuery(PAGE_SIZE_DEFAULT, PAGE_SIZE_MAX),
    }),
    success: { 200: Page },
    reads: true,
    fromReplica: true,
    async handle({ db, caller, query }) {
      const { page_size: size = PAGE_SIZE_DEFAULT, page_token } = query
      if (query.invoice_id !== undefined && query.dispute_id !== undefined)
        throw invalid('dispute_id', 'Send invoice_id or dispute_id, not both.')
      const filter = {
        from: instant('start_date', query.start_date),
        to: instant('end_date', query.end_date),
        invoiceId: query.invoice_id,
        disputeId: query.dispute_id,
      }
      const read = await findMovements(db, caller.accountId, filter, size + 1, placeOf(page_token))
      const { rows, links } = pageOf(read, size, { url: `${service.publicUrl}${transactionsUrl}`, query })
      return {
        account_id: caller.accountId,
        transaction_details: rows.map((movement) => ({ transaction_info: presentMovement(movement) })),
        links,
      }
    },
  }),
]

const presentBalance = ({ currency, is_primary: primary, available, withheld, pending }: Balances) => ({
  currency,
  primary,
  total_balance: toMoney(available + withheld, currency),
  available_balance: toMoney(available, currency),
  withheld_balance: toMoney(withheld, currency),
  pending_balance: toMoney(pending, currency),
})

/** What a kind of movement names as its reference. Kinds that are not listed are about a dispute. */
const namedAfter: Readonly<Record<string, 'payment' | 'refund' | 'account'>> = {
  OPENING_BALANCE: 'account',
  CAPTURE: 'payment',
  CAPTURE_PENDING: 'payment',
  CAPTURE_CLEARED: 'payment',
  CAPTURE_DENIED: 'payment',
  REFUND: 'refund',
  REVERSAL: 'refund',
  REVERSAL_CANCELLED: 'refund',
  REVERSAL_REINSTATED: 'refund',
}

function presentMovement(movement: Movement) {
  const { kind, currency, available, withheld, pending, fee, reference, payment_id, invoice_id } = movement
  const named = namedAfter[kind] ?? 'dispute'
  const dispute_id = named === 'dispute' ? reference : movement.dispute_id
  const changed = (name: string, amount: bigint) => (amount === 0n ? {} : { [name]: toMoney(amount, currency) })
  return {
    transaction_id: movement.transaction_id,
    transaction_type: kind,
    transaction_initiation_date: toSeconds(movement.create_time),
    transaction_amount: toMoney(available + withheld + fee, currency),
    ...changed('fee_amount', -fee),
    ...changed('available_change', available),
    ...changed('withheld_change', withheld),
    ...changed('pending_change', pending),
    ...(payment_id !== null && { payment_id }),
    ...(named === 'refund' && { refund_id: reference }),
    ...(dispute_id !== null && { dispute_id }),
    ...(invoice_id !== null && { invoice_id }),
  }
}

function instant(name: string, text: string | undefined): Instant | undefined {
  if (text === undefined) return undefined
  const parsed = parseInstant(text)
  if (!parsed) throw invalid(name, 'Send an instant, for example 2026-03-01T09:00:00Z.', 'INVALID_PARAMETER_SYNTAX')
  return parsed
}
