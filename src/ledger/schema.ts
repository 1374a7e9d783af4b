import type { Money } from '../kernel/money.ts'
import { type Static, Type } from '../kernel/type.ts'

/**
 * The books of an account. `balance` is the seller's to spend, `hold` is kept back for disputes, `pending` has not
 * cleared; `payer`, `fees` and `service` are the other ends: what payers gave and got back, what the service charged,
 * and what it paid of its own.
 */
export type Book = 'balance' | 'hold' | 'pending' | 'payer' | 'fees' | 'service'

export const transactionStatuses = ['COMPLETED', 'PENDING', 'DECLINED', 'PARTIALLY_REFUNDED', 'REFUNDED'] as const
export type TransactionStatus = (typeof transactionStatuses)[number]

/** One thing that was paid for, in the words of a dispute. */
export const PurchasedItem = Type.Object({
  item_id: Type.Optional(Type.String({ maxLength: 255 })),
  item_name: Type.Optional(Type.String({ maxLength: 2000 })),
  item_description: Type.Optional(Type.String({ maxLength: 2000 })),
  item_quantity: Type.Optional(Type.String({ maxLength: 10, pattern: '^[1-9][0-9]{0,9}$' })),
  item_type: Type.Optional(Type.String({ maxLength: 255 })),
})
export type PurchasedItem = Static<typeof PurchasedItem>

export interface Party {
  /** Absent for a payer without an account. */
  readonly account_id?: string
  readonly email?: string
  readonly name?: string
}

/** A payment to a seller, from the moment it was made. `id` is the seller's transaction id and the id of the capture. */
export interface PaymentTransaction {
  readonly id: string
  readonly buyer_transaction_id: string
  readonly order_id: string
  readonly seller: Party & { readonly account_id: string }
  readonly buyer: Party
  readonly status: TransactionStatus
  /** Everything the payer gave, the tip included. */
  readonly gross: Money
  readonly tip?: Money
  readonly fee: Money
  readonly refunded: Money
  /** The part of `refunded` that the service took back from the seller by a decision. */
  readonly reversed?: Money
  /** The part of `refunded` that the service bears, because a decision to take it back was overturned. */
  readonly covered?: Money
  /** Kept back from the seller while a dispute is open. */
  readonly held: Money
  readonly items?: readonly PurchasedItem[]
  readonly invoice_number?: string
  readonly custom?: string
  readonly invoice_id?: string
  /** The gateway's name for the charge; absent in the sandbox. */
  readonly gateway_charge?: string
  /** The app that made the resource this pays for; it hears of what happens later. */
  readonly app_id?: string
  readonly create_time: string
  readonly update_time: string
}

/** Money given back to a payer. */
export interface Refund {
  readonly id: string
  readonly transaction_id: string
  /** A reversal was decided by the service, a refund by the seller. */
  readonly kind: 'refund' | 'reversal'
  /** A reversal is cancelled when the decision behind it is overturned: the payer keeps it, at the service's cost. */
  readonly status: 'COMPLETED' | 'CANCELLED'
  readonly amount: Money
  /** Everything refunded of this payment so far, this included. */
  readonly total_refunded: Money
  readonly note_to_payer?: string
  readonly invoice_number?: string
  readonly custom?: string
  /** The dispute that caused it. */
  readonly dispute_id?: string
  readonly create_time: string
}

export interface NewPayment {
  readonly seller: Party & { readonly account_id: string }
  readonly buyer: Party
  readonly gross: Money
  readonly status: 'COMPLETED' | 'PENDING' | 'DECLINED'
  /** The part of `gross` that is a tip. */
  readonly tip?: Money
  readonly items?: readonly PurchasedItem[]
  readonly invoice_number?: string
  readonly custom?: string
  readonly invoice_id?: string
  readonly order_id?: string
  readonly gateway_charge?: string
  readonly app_id?: string
  /** Ids to use instead of new ones, for payments that somebody already named. */
  readonly id?: string
  readonly buyer_transaction_id?: string
  /** Kept back from the seller from the start. */
  readonly hold?: { readonly amount: Money; readonly reference: string }
  /** Tells no subscriber. */
  readonly silent?: boolean
}

/** What a movement left behind: the payment as it is then, and the refund that was made or turned. */
export interface PaymentChange {
  readonly transaction: PaymentTransaction
  readonly refund: Refund
}

export interface RefundRequest {
  /** An id to use instead of a new one, where it was written down before. */
  readonly id?: string
  readonly amount?: Money
  /** Ordered by a decision: happens whatever the seller's balance, which may go below zero and is then a debt. */
  readonly forced?: boolean
  readonly kind: Refund['kind']
  readonly note_to_payer?: string
  readonly invoice_number?: string
  readonly custom?: string
  readonly dispute_id?: string
}
