import { findAccount } from '../../accounts/store.ts'
import type { Tx } from '../../database/transaction.ts'
import type { UploadedFile } from '../../http/body/multipart.ts'
import { onlyKnown } from '../../http/validation/validator.ts'
import type { Caller } from '../../kernel/caller.ts'
import { allocate, Money, toMinor, toMoney } from '../../kernel/money.ts'
import { breaches, forbidden, invalid, refused } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import type { PurchasedItem } from '../../ledger/schema.ts'
import { findTransactionsByEitherId, type StoredTransaction } from '../../ledger/store.ts'
import { receiveFiles } from '../documents.ts'
import type { House } from '../house.ts'
import { requireDisputable } from '../machine/amounts.ts'
import { attach } from '../machine/attachments.ts'
import type { Opening } from '../machine/opening.ts'
import type { Dispute } from '../schema/dispute.ts'
import { itemTypes, reasons } from '../schema/enums.ts'
import { Extensions, readExtensions } from '../schema/extensions.ts'
import { DocumentInput, exactItems, Item, Note } from '../schema/given.ts'
import { findDisputed } from '../store.ts'
import { ineligibility } from './eligibility.ts'
import { fileDispute } from './file.ts'
import { registerPayments } from './made-up-payment.ts'

const TransactionInput = Type.Object({
  buyer_transaction_id: Type.Optional(Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9-]+$' })),
  items: Type.Optional(Type.Array(Item, { maxItems: 100 })),
})

export const CreateBody = Type.Object({
  disputed_transactions: Type.Optional(Type.Array(TransactionInput, { maxItems: 1000 })),
  reason: Type.Optional(Type.Enum([...reasons])),
  dispute_amount: Type.Optional(Money),
  extensions: Type.Optional(Extensions),
  evidences: Type.Optional(
    Type.Array(
      Type.Object({
        notes: Type.Optional(Note),
        documents: Type.Optional(Type.Array(DocumentInput, { maxItems: 100 })),
      }),
      { maxItems: 10 },
    ),
  ),
  messages: Type.Optional(Type.Array(Type.Object({ content: Note }), { maxItems: 10 })),
})
export type CreateBody = Static<typeof CreateBody>

/** Opens a dispute: the buyer of a payment, or, in the sandbox, anybody who plays the buyer. */
export async function createDispute(
  tx: Tx,
  house: House,
  caller: Caller,
  given: CreateBody,
  files: readonly UploadedFile[],
  /** The payment whose buyer this is known to be by other means than an account. */
  buyerOf?: string,
): Promise<Dispute> {
  const body = onlyKnown(CreateBody, given)
  const { reason, disputed_transactions: named = [] } = body
  const ids = named.flatMap(({ buyer_transaction_id }) => buyer_transaction_id ?? [])
  if (ids.length === 0 || ids.length < named.length)
    throw breaches(
      'MANDATORY_PARAMETER_MISSING',
      'Name the payment that is disputed.',
      '/disputed_transactions/0/buyer_transaction_id',
    )
  if (reason === undefined) throw breaches('MISSING_REASON_CODE', 'Say why the payment is disputed.', '/reason')
  if (ids.length > 1 && reason !== 'UNAUTHORISED')
    throw invalid('/disputed_transactions', 'Only UNAUTHORISED can dispute several payments at once.')
  if (new Set(ids).size < ids.length) throw namedTwice()

  const payments = await payable(tx, house, caller, ids, body, buyerOf)
  // Each side has an id of its own for the same payment.
  if (new Set(payments.map(({ transaction }) => transaction.id)).size < ids.length) throw namedTwice()
  const { seller, buyer, gross } = payments[0]!.transaction
  const strange = payments.find(
    ({ transaction }) =>
      transaction.seller.account_id !== seller.account_id || transaction.gross.currency_code !== gross.currency_code,
  )
  if (strange) throw unknownPayment(strange.transaction.buyer_transaction_id)

  const amounts = disputedAmounts(payments, body.dispute_amount)
  const account = await findAccount(tx, seller.account_id)
  const uploads = receiveFiles(tx, files)
  const evidences = body.evidences ?? (uploads.stored.length > 0 ? [{}] : [])
  const documents = attach(
    evidences.map(({ documents: list = [] }) => list),
    uploads.stored,
    '/evidences',
  )
  const opening: Opening = {
    reason,
    channel: 'INTERNAL',
    seller,
    buyer,
    inquiryOptOut: account?.inquiry_opt_out ?? false,
    transactions: payments.map(({ transaction }, i) => ({
      buyer_transaction_id: transaction.buyer_transaction_id,
      seller_transaction_id: transaction.id,
      create_time: transaction.create_time as Dispute['create_time'],
      gross_amount: transaction.gross,
      ...(transaction.invoice_number !== undefined && { invoice_number: transaction.invoice_number }),
      ...(transaction.custom !== undefined && { custom: transaction.custom }),
      ...itemsOf(exactItems(named[i]?.items ?? [], `/disputed_transactions/${i}/items`), transaction.items),
      disputed: amounts[i]!,
      refunded_before: transaction.refunded,
    })),
    extensions: body.extensions && readExtensions(body.extensions),
    statements: evidences.map(({ notes }, i) => ({ text: notes, documents: documents[i]! })),
    messages: (body.messages ?? []).map(({ content }) => content),
  }
  return fileDispute(tx, house, opening, payments, uploads)
}

const namedTwice = () => invalid('/disputed_transactions', 'Name each payment once.')

const unknownPayment = (id: string) =>
  breaches('INVALID_TRANSACTION_ID', `There is no payment ${id} that you could dispute.`, '/disputed_transactions')

/** The payments to be disputed, if this caller may dispute them. A sandbox makes up those it does not know. */
async function payable(
  tx: Tx,
  { rules }: House,
  caller: Caller,
  ids: readonly string[],
  body: CreateBody,
  buyerOf?: string,
): Promise<StoredTransaction[]> {
  const found = await findTransactionsByEitherId(tx, ids)
  const known = [...found.values()].map(({ transaction: { seller, id } }) => ({ accountId: seller.account_id, id }))
  const disputed = known.length === 0 ? new Set<string>() : await findDisputed(tx, known)
  const unknown = ids.filter((id) => !found.has(id))
  if (unknown.length > 0 && !rules.autoRegisterTransactions) throw unknownPayment(unknown[0]!)
  const madeUp = unknown.length === 0 ? new Map() : await registerPayments(tx, caller, unknown, body)
  return ids.map((id) => {
    const payment = found.get(id)
    if (!payment) return madeUp.get(id)!
    const { transaction } = payment
    const isBuyer = transaction.buyer.account_id === caller.accountId || buyerOf === transaction.id
    const isSeller = transaction.seller.account_id === caller.accountId
    if (!isBuyer && !isSeller) throw unknownPayment(id)
    if (!isBuyer && !rules.sandbox) throw forbidden('Only the customer can open a dispute; a merchant answers it.')
    const why = ineligibility(transaction, disputed.has(transaction.id), tx.now)
    if (why === 'DISPUTE_ALREADY_EXISTS') throw alreadyDisputed()
    if (why) throw breaches('DISPUTE_REASON_NOT_ELIGIBLE', `This payment cannot be disputed: ${why}.`, '/reason')
    return payment
  })
}

export const alreadyDisputed = () =>
  refused('DISPUTE_ALREADY_EXISTS', 'This payment was disputed before, and can be only once.')

/** All that is left of each payment, or what the buyer says, in proportion to what is left. */
function disputedAmounts(payments: readonly StoredTransaction[], wanted: Money | undefined): Money[] {
  const left = payments.map(({ transaction: { gross, refunded } }) => toMinor(gross) - toMinor(refunded))
  const currency = payments[0]!.transaction.gross.currency_code
  const money = (minor: bigint) => toMoney(minor, currency)
  if (wanted === undefined) return left.map(money)
  const total = left.reduce((sum, amount) => sum + amount, 0n)
  requireDisputable(wanted, money(total), '/dispute_amount')
  const each = money(BigInt(payments.length))
  if (toMinor(wanted) < toMinor(each))
    throw breaches(
      'INVALID_DISPUTE_AMOUNT',
      `Something of each payment is disputed: ${each.value} ${currency} at least.`,
      '/dispute_amount',
    )
  return sharedOut(toMinor(wanted), left).map(money)
}

/**
 * In proportion, and something to each: a payment of which nothing is disputed would count as disputed all the same, and
 * be all that is left of the case once the others are taken out.
 */
function sharedOut(total: bigint, left: readonly bigint[]): bigint[] {
  const shares = allocate(total, left)
  for (const [i, share] of shares.entries()) {
    if (share > 0n) continue
    const largest = shares.reduce((best, one, at) => (one > shares[best]! ? at : best), 0)
    shares[largest] = shares[largest]! - 1n
    shares[i] = 1n
  }
  return shares
}

/** The items the buyer names, with what the payment knows of them; all of the payment's when none is named. */
function itemsOf(told: readonly Item[], purchased: readonly PurchasedItem[] = []): { items?: readonly Item[] } {
  const known = purchased.map(({ item_type, ...item }): Item => {
    const type = itemTypes.find((name) => name === item_type)
    return { ...item, ...(type && { item_type: type }) }
  })
  if (told.length === 0) return known.length > 0 ? { items: known } : {}
  return {
    items: told.map((item) => ({ ...known.find(({ item_id }) => item_id && item_id === item.item_id), ...item })),
  }
}
