import { KnownParties, type Parties } from '../accounts/parties.ts'
import type { Reader, Tx } from '../database/transaction.ts'
import { Answer, MONEY_REPLAY_HOURS, route, sandboxOnly } from '../http/route.ts'
import { onlyKnown } from '../http/validation/validator.ts'
import { toSeconds } from '../kernel/clock.ts'
import { Links } from '../kernel/links.ts'
import { isCurrency, Money, normalise, toMinor } from '../kernel/money.ts'
import { invalid, notFound, refused } from '../kernel/problem.ts'
import { type Static, Type } from '../kernel/type.ts'
import type { OpenRoom, Service } from '../room.ts'
import { makeLedger } from './ledger.ts'
import { leftOf } from './movements.ts'
import { presentCapture, presentRefund } from './present.ts'
import { reportingRoutes } from './reporting.ts'
import { type PaymentChange, type PaymentTransaction, PurchasedItem, transactionStatuses } from './schema.ts'
import { countRefunds, findPayment, findRefund, findTransaction } from './store.ts'

const tag = 'Payments'
const readScopes = ['payments/refund', 'payments/realtimepayment', 'payments/payment/authcapture']

const Id = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255 }) })

const Names = {
  invoice_id: Type.Optional(Type.String({ maxLength: 127 })),
  custom_id: Type.Optional(Type.String({ maxLength: 2000 })),
}
const Capture = Type.Object(
  {
    id: Type.String(),
    status: Type.Enum([...transactionStatuses]),
    amount: Money,
    final_capture: Type.Boolean(),
    ...Names,
    create_time: Type.String(),
    update_time: Type.String(),
    links: Links,
  },
  { $id: 'Capture', additionalProperties: true, description: 'A payment to a seller.' },
)
const RefundOut = Type.Object(
  {
    id: Type.String(),
    status: Type.String(),
    amount: Money,
    ...Names,
    note_to_payer: Type.Optional(Type.String()),
    create_time: Type.String(),
    update_time: Type.String(),
    links: Links,
  },
  { $id: 'Refund', additionalProperties: true, description: 'Money given back to a payer.' },
)
const RefundRequest = Type.Object({
  amount: Type.Optional(Money),
  invoice_id: Type.Optional(Type.String({ minLength: 1, maxLength: 127 })),
  custom_id: Type.Optional(Type.String({ minLength: 1, maxLength: 127 })),
  note_to_payer: Type.Optional(Type.String({ minLength: 1, maxLength: 255 })),
})

const NewTransaction = Type.Object({
  amount: Money,
  buyer_email: Type.Optional(Type.String({ minLength: 3, maxLength: 254 })),
  seller_email: Type.Optional(Type.String({ minLength: 3, maxLength: 254 })),
  items: Type.Optional(Type.Array(PurchasedItem, { maxItems: 100 })),
  invoice_number: Type.Optional(Type.String({ minLength: 1, maxLength: 127, pattern: '^[A-Za-z0-9:\\-|]+$' })),
  custom: Type.Optional(Type.String({ minLength: 1, maxLength: 2000 })),
})
const Transaction = Type.Object({
  buyer_transaction_id: Type.String(),
  seller_transaction_id: Type.String(),
  amount: Money,
  status: Type.String(),
  buyer: Type.Object({ email: Type.Optional(Type.String()), name: Type.Optional(Type.String()) }),
  seller: Type.Object({ merchant_id: Type.String(), email: Type.Optional(Type.String()) }),
  create_time: Type.String(),
  links: Links,
})

/** Lets other rooms change what they keep of payments, in the same unit of work as the payments. */
export type FollowPayments = (tx: Tx, changes: readonly PaymentChange[]) => Promise<void>

/** Payments and refunds of money that moved through the service. */
export const openLedger =
  (followIn: (service: Service) => FollowPayments): OpenRoom =>
  (service) => {
    const ledger = makeLedger(service)
    const known = new KnownParties()
    const follow = followIn(service)
    return {
      routes: [
        ...reportingRoutes(service),
        route({
          method: 'GET',
          url: '/v2/payments/captures/:id',
          operation: 'showCapture',
          summary: 'Show a payment',
          tag,
          scopes: readScopes,
          params: Id,
          success: { 200: Capture },
          reads: true,
          async handle({ db, caller, params }) {
            const payment = await findPayment(db, caller.accountId, params.id)
            if (!payment) throw notFound('The payment')
            return presentCapture(service, payment)
          },
        }),
        route({
          method: 'POST',
          url: '/v2/payments/captures/:id/refund',
          operation: 'refundCapture',
          summary: 'Refund a payment, in full or in part',
          tag,
          scopes: readScopes,
          params: Id,
          body: RefundRequest,
          bodyOptional: true,
          replayHours: MONEY_REPLAY_HOURS,
          success: { 201: RefundOut },
          async handle({ tx, caller, params, body }) {
            if (body.amount) checkAmount(body.amount)
            const found = await findTransaction(tx, caller.accountId, params.id)
            if (!found) throw notFound('The payment')
            refusePartWhileDisputed(found.transaction, body.amount)
            await refuseTooManyParts(tx, found.transaction, body.amount)
            const change = ledger.refund(tx, found, {
              kind: 'refund',
              ...(body.amount && { amount: normalise(body.amount) }),
              ...(body.note_to_payer !== undefined && { note_to_payer: body.note_to_payer }),
              ...(body.invoice_id !== undefined && { invoice_number: body.invoice_id }),
              ...(body.custom_id !== undefined && { custom: body.custom_id }),
            })
            await follow(tx, [change])
            const { refund, transaction } = change
            const location = `${service.publicUrl}/v2/payments/refunds/${refund.id}`
            return new Answer(201, presentRefund(service, refund, transaction), { location })
          },
        }),
        route({
          method: 'GET',
          url: '/v2/payments/refunds/:id',
          operation: 'showRefund',
          summary: 'Show a refund',
          tag,
          scopes: readScopes,
          params: Id,
          success: { 200: RefundOut },
          reads: true,
          async handle({ db, caller, params }) {
            const found = await findRefund(db, caller.accountId, params.id)
            if (!found) throw notFound('The refund')
            return presentRefund(service, found.refund, found.transaction)
          },
        }),
        route({
          method: 'POST',
          url: '/sandbox/transactions',
          operation: 'createSandboxTransaction',
          summary: 'Make a captured payment',
          ...sandboxOnly,
          recognises: true,
          body: NewTransaction,
          success: { 201: Transaction },
          async handle({ tx, caller, body }) {
            checkAmount(body.amount)
            const found = await known.find(tx, caller.accountId, { seller: body.seller_email, buyer: body.buyer_email })
            const { seller, buyer } = partiesOf(found, body)
            const { amount, items, invoice_number, custom } = onlyKnown(NewTransaction, body)
            const transaction = ledger.capture(tx, {
              status: 'COMPLETED',
              seller,
              buyer,
              gross: normalise(amount),
              ...(items && { items }),
              ...(invoice_number !== undefined && { invoice_number }),
              ...(custom !== undefined && { custom }),
              ...(tx.appId !== undefined && { app_id: tx.appId }),
            })
            return presentTransaction(service, transaction)
          },
        }),
      ],
    }
  }

function checkAmount(amount: Money): void {
  if (!isCurrency(amount.currency_code))
    throw invalid('/amount/currency_code', 'Use a currency of ISO 4217.', 'NOT_SUPPORTED')
  if (toMinor(amount, '/amount/value') <= 0n)
    throw invalid('/amount/value', 'An amount is more than nothing.', 'VALUE_CANNOT_BE_ZERO')
}

/** While a dispute holds money of a payment, the seller may refund all of it or wait for the outcome. */
function refusePartWhileDisputed(transaction: PaymentTransaction, amount: Money | undefined): void {
  if (toMinor(transaction.held) === 0n || amount === undefined) return
  if (toMinor(amount) < leftOf(transaction))
    throw refused(
      'CAPTURE_DISPUTED_PARTIAL_REFUND_NOT_ALLOWED',
      'A dispute holds money of this payment: refund all that is left, or answer the dispute.',
    )
}

/** The invoice and the disputes of a payment show every refund of it, and so does every event about them. */
const REFUNDS_MAX = 100

/** All that is left can always be given back at once. In parts, refunds are limited in number. */
async function refuseTooManyParts(db: Reader, payment: PaymentTransaction, amount: Money | undefined): Promise<void> {
  if (amount === undefined || toMinor(amount) >= leftOf(payment)) return
  if ((await countRefunds(db, payment, REFUNDS_MAX)) < REFUNDS_MAX) return
  throw refused(
    'MAX_NUMBER_OF_REFUNDS_EXCEEDED',
    `A payment is refunded in at most ${REFUNDS_MAX} parts; refund all that is left of it.`,
  )
}

/** Who pays whom: as the request says, otherwise the caller and the sandbox's own people. */
function partiesOf(found: Parties, { seller_email, buyer_email }: Static<typeof NewTransaction>) {
  const { caller } = found
  const seller = !seller_email && caller?.kind === 'BUSINESS' ? caller : found.seller
  if (seller?.kind !== 'BUSINESS')
    throw refused('SELLER_NOT_FOUND', 'Name the e-mail address of a business account.', '/seller_email')
  const buyer = !buyer_email && caller?.kind === 'PERSONAL' ? caller : found.buyer
  if (buyer?.id === seller.id)
    throw refused('PAYER_IS_PAYEE', 'Nobody can pay themselves; name another buyer.', '/buyer_email')
  return {
    seller: { account_id: seller.id, email: seller.email, name: seller.name },
    buyer: buyer
      ? { account_id: buyer.id, email: buyer.email, name: buyer.name }
      : { ...(buyer_email !== undefined && { email: buyer_email, name: buyer_email.split('@')[0]! }) },
  }
}

const presentTransaction = (service: Service, transaction: PaymentTransaction) => ({
  buyer_transaction_id: transaction.buyer_transaction_id,
  seller_transaction_id: transaction.id,
  amount: transaction.gross,
  status: transaction.status,
  buyer: { email: transaction.buyer.email, name: transaction.buyer.name },
  seller: { merchant_id: transaction.seller.account_id, email: transaction.seller.email },
  create_time: toSeconds(transaction.create_time as Parameters<typeof toSeconds>[0]),
  links: [{ href: `${service.publicUrl}/v2/payments/captures/${transaction.id}`, rel: 'capture', method: 'GET' }],
})
