import { findAccount } from '../../accounts/store.ts'
import type { Tx } from '../../database/transaction.ts'
import type { UploadedFile } from '../../http/body/multipart.ts'
import { onlyKnown } from '../../http/validation/validator.ts'
import type { Caller } from '../../kernel/caller.ts'
import { Money } from '../../kernel/money.ts'
import { breaches, invalid } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import type { PaymentTransaction, PurchasedItem } from '../../ledger/schema.ts'
import type { StoredTransaction } from '../../ledger/store.ts'
import { receiveFiles } from '../documents.ts'
import type { House } from '../house.ts'
import { attach } from '../machine/attachments.ts'
import type { Opening } from '../machine/opening.ts'
import type { Dispute, StoredDocument } from '../schema/dispute.ts'
import { itemTypes, type Reason, reasons } from '../schema/enums.ts'
import { Extensions, readExtensions } from '../schema/extensions.ts'
import { DocumentInput, exactItems, Item, Note } from '../schema/given.ts'
import { disputablePayments, unknownPayment } from './disputable-payments.ts'
import { disputedAmounts } from './disputed-amounts.ts'
import { fileDispute } from './file.ts'

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

/** What a buyer says when opening a dispute. */
export interface Filing {
  readonly body: CreateBody
  readonly files: readonly UploadedFile[]
  /** The payment of which the caller is known to be the buyer, by other means than an account. */
  readonly buyerOf?: string
}

/** Opens a dispute for the buyer of a payment or, in the sandbox, for anybody who plays the buyer. */
export async function createDispute(
  tx: Tx,
  house: House,
  caller: Caller,
  { body: given, files, buyerOf }: Filing,
): Promise<Dispute> {
  const body = onlyKnown(CreateBody, given)
  const { ids, reason } = requireNamed(body)
  const payments = await disputablePayments(tx, house, { caller, buyerOf, ids, amount: body.dispute_amount })
  const { seller, buyer } = requireSameSeller(payments)
  const amounts = disputedAmounts(payments, body.dispute_amount)
  const account = await findAccount(tx, seller.account_id)
  const uploads = receiveFiles(tx, files)
  const opening: Opening = {
    reason,
    channel: 'INTERNAL',
    seller,
    buyer,
    inquiryOptOut: account?.inquiry_opt_out ?? false,
    statements: statementsOf(body, uploads.stored),
    transactions: payments.map(({ transaction }, i) => disputedTransaction(transaction, amounts[i]!, body, i)),
    extensions: body.extensions && readExtensions(body.extensions),
    messages: (body.messages ?? []).map(({ content }) => content),
  }
  return fileDispute(tx, house, { opening, payments, uploads })
}

/** The payments and the reason. A dispute cannot be opened without them. */
function requireNamed({ reason, disputed_transactions: named = [] }: CreateBody): { ids: string[]; reason: Reason } {
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
  return { ids, reason }
}

/** All payments of one dispute must be to one seller, in one currency. */
function requireSameSeller(payments: readonly StoredTransaction[]): PaymentTransaction {
  const transactions = payments.map(({ transaction }) => transaction)
  // One payment may have been named by the ids of both sides.
  if (new Set(transactions.map(({ id }) => id)).size < transactions.length) throw namedTwice()
  const [first] = transactions as [PaymentTransaction, ...PaymentTransaction[]]
  const strange = transactions.find(
    ({ seller, gross }) =>
      seller.account_id !== first.seller.account_id || gross.currency_code !== first.gross.currency_code,
  )
  if (strange) throw unknownPayment(strange.buyer_transaction_id)
  return first
}

const namedTwice = () => invalid('/disputed_transactions', 'Name each payment once.')

/** What the buyer says about it. Files without any text count as a statement too. */
function statementsOf({ evidences }: CreateBody, stored: readonly StoredDocument[]): Opening['statements'] {
  const given = evidences ?? (stored.length > 0 ? [{}] : [])
  const documents = attach(
    given.map(({ documents: list = [] }) => list),
    stored,
    '/evidences',
  )
  return given.map(({ notes }, i) => ({ text: notes, documents: documents[i]! }))
}

function disputedTransaction(
  payment: PaymentTransaction,
  disputed: Money,
  { disputed_transactions: named = [] }: CreateBody,
  i: number,
): Opening['transactions'][number] {
  const { invoice_number, custom } = payment
  return {
    buyer_transaction_id: payment.buyer_transaction_id,
    seller_transaction_id: payment.id,
    create_time: payment.create_time as Dispute['create_time'],
    gross_amount: payment.gross,
    ...(invoice_number !== undefined && { invoice_number }),
    ...(custom !== undefined && { custom }),
    ...itemsOf(exactItems(named[i]?.items ?? [], `/disputed_transactions/${i}/items`), payment.items),
    disputed,
    refunded_before: payment.refunded,
  }
}

/** The items that the buyer names, with what the payment knows of them. If none is named, all items of the payment. */
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
