import type { Instant } from '../../kernel/clock.ts'
import { Money } from '../../kernel/money.ts'
import { type Static, Type } from '../../kernel/type.ts'
import type {
  AcknowledgementType,
  AdjudicationType,
  Channel,
  EvidenceSource,
  Finality,
  Flow,
  OfferType,
  OutcomeCode,
  Reason,
  Stage,
  Status,
  TimerName,
  TransactionStatus,
} from './enums.ts'
import type { Extensions } from './extensions.ts'
import type { Address, Item } from './given.ts'

/** Where a dispute stands. Only the lifecycle table writes these four. */
export interface DisputeNode {
  readonly dispute_life_cycle_stage: Stage
  readonly status: Status
  /** What a waiting party is expected to do. Clients do not see it. */
  readonly flow: Flow
  readonly finality: Finality
}

/** The two sides of the table. */
export type Side = 'seller' | 'buyer'

/** A stored file: the `n`th of the upload `document_id`. Its address is printed when it is shown. */
export interface StoredDocument {
  readonly name: string
  readonly document_id: string
  readonly n: number
}

export interface TrackingInfo {
  readonly carrier_name?: string
  readonly carrier_name_other?: string
  readonly tracking_number?: string
  readonly tracking_url?: string
}

export interface Evidence {
  readonly evidence_type: string
  readonly evidence_info?: { readonly tracking_info?: readonly TrackingInfo[]; readonly refund_ids?: readonly string[] }
  readonly documents?: readonly StoredDocument[]
  readonly notes?: string
  readonly source: EvidenceSource
  readonly date: Instant
  readonly item_id?: string
  readonly item_type?: string
  readonly action_info?: { readonly action: string; readonly response_option?: AcknowledgementType }
  readonly dispute_life_cycle_stage: Stage
}

export interface Message {
  readonly posted_by: 'BUYER' | 'SELLER' | 'ARBITER'
  readonly time_posted: Instant
  readonly content: string
  readonly documents?: readonly StoredDocument[]
}

export interface OfferEvent {
  readonly offer_time: Instant
  readonly actor: 'BUYER' | 'SELLER'
  readonly event_type: 'PROPOSED' | 'ACCEPTED' | 'DENIED'
  readonly offer_type: OfferType
  readonly offer_amount?: Money
  readonly notes?: string
  /** True when only the side that wrote the note may read it. */
  readonly private?: boolean
  readonly dispute_life_cycle_stage: Stage
}

export interface Offer {
  readonly buyer_requested_amount: Money
  readonly seller_offered_amount?: Money
  readonly offer_type?: OfferType
  readonly history?: readonly OfferEvent[]
}

export interface Adjudication {
  readonly type: AdjudicationType
  readonly adjudication_time: Instant
  readonly reason: string
  readonly dispute_life_cycle_stage: Stage
}

export type MovementReason = 'DISPUTE_SETTLEMENT' | 'DISPUTE_FEE' | 'CHARGEBACK_FEE' | 'HOLD_PLACED' | 'HOLD_RELEASED'

export interface FundMovement {
  readonly party: 'SELLER' | 'BUYER'
  readonly type: 'DEBIT' | 'CREDIT'
  readonly amount: Money
  readonly initiated_time: Instant
  readonly reason: MovementReason
}

export interface DisputedTransaction {
  readonly buyer_transaction_id: string
  readonly seller_transaction_id: string
  readonly reference_id?: string
  readonly create_time: Instant
  readonly transaction_status: TransactionStatus
  readonly gross_amount: Money
  readonly invoice_number?: string
  readonly custom?: string
  readonly items?: readonly Item[]
  /** The part of the disputed amount that belongs to this payment. */
  readonly disputed: Money
  /** What is kept back from the seller for this payment. */
  readonly held: Money
  /** What refunds of this dispute gave back to the buyer. */
  readonly refunded: Money
  /** What was given back of the payment before this dispute or in another one. */
  readonly refunded_before: Money
  /** The part of both that decisions took from the seller and that the seller still bears. */
  readonly reversed?: Money
  /** The part of both that the service bears, since the decision behind it was overturned. */
  readonly covered?: Money
}

/** A refund of a disputed payment: ordered in the dispute, or made by the seller beside it since it was opened. */
export interface DisputeRefund {
  readonly id: string
  /** The seller's id of the payment. */
  readonly transaction: string
  readonly gross_amount: Money
  readonly create_time: Instant
  readonly invoice_id?: string
  /** Whether a decision of this dispute ordered it. */
  readonly reversal?: boolean
  /** Whether that decision was overturned. */
  readonly cancelled?: boolean
}

export interface SupportingInfo {
  readonly notes: string
  readonly documents?: readonly StoredDocument[]
  readonly source: 'SUBMITTED_BY_BUYER' | 'SUBMITTED_BY_SELLER' | 'SUBMITTED_BY_PARTNER'
  readonly provided_time: Instant
  readonly dispute_life_cycle_stage: Stage
}

export const PartnerAction = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9_-]+$' }),
    name: Type.Enum(['PROVIDE_PROVISIONAL_CREDIT', 'DENY_DISPUTE', 'ACCEPT_DISPUTE', 'WRITE_OFF']),
    status: Type.Enum(['PENDING', 'COMPLETED', 'FAILED']),
    create_time: Type.String({ maxLength: 64 }),
    reason: Type.Optional(Type.String({ maxLength: 255, pattern: '^[0-9A-Z_]+$' })),
    update_time: Type.Optional(Type.String({ maxLength: 64 })),
    due_time: Type.Optional(Type.String({ maxLength: 64 })),
    amount: Type.Optional(Money),
    crypto_details: Type.Optional(Type.Object({ trade_id: Type.Optional(Type.String({ maxLength: 255 })) })),
  },
  { $id: 'PartnerAction', description: 'What a partner did, or will do, about a dispute.' },
)
export type PartnerAction = Static<typeof PartnerAction>

export interface Party {
  readonly account_id?: string
  readonly email?: string
  readonly name?: string
}

/** A dispute as it is kept. What of it a caller sees is decided in `present.ts`. */
export interface Dispute extends DisputeNode {
  readonly dispute_id: string
  readonly create_time: Instant
  readonly update_time: Instant
  /** When it ended. What is noted of it afterwards does not change this. */
  readonly resolved_time?: Instant
  readonly reason: Reason
  readonly dispute_channel: Channel
  readonly dispute_amount: Money
  readonly seller: Party & { readonly account_id: string }
  readonly buyer: Party
  readonly disputed_transactions: readonly DisputedTransaction[]
  readonly offer: Offer
  readonly external_reason_code?: string
  /** By when a bank wants the seller's answer, if it says so. */
  readonly answer_by?: Instant
  readonly dispute_outcome?: {
    readonly outcome_code: OutcomeCode
    readonly outcome_reason?: string
  }
  readonly adjudications?: readonly Adjudication[]
  readonly fund_movements?: readonly FundMovement[]
  readonly refunds?: readonly DisputeRefund[]
  readonly messages?: readonly Message[]
  readonly extensions?: Extensions
  readonly evidences?: readonly Evidence[]
  readonly communication_details?: { readonly email?: string; readonly note?: string; readonly time_posted: Instant }
  readonly supporting_info?: readonly SupportingInfo[]
  readonly partner_actions?: readonly PartnerAction[]

  /** The one timer that is running, if any. */
  readonly timer?: { readonly name: TimerName; readonly due: Instant }
  /** What the seller gives back once the item has come back. */
  readonly agreed_return?: {
    readonly amount: Money
    readonly return_shipping_address?: Address
    readonly shipments?: readonly ReturnShipment[]
    readonly invoice_id?: string
  }
  readonly returned_time?: Instant
  /** An address that came with the pending offer, and is needed if the offer is accepted. */
  readonly offered_address?: Address
  readonly offered_invoice_id?: string
  /** How often each side appealed. */
  readonly appeals: Readonly<Record<Side, number>>
  /** The side whose appeal is being looked at. */
  readonly appellant?: Side
  /** The side that lost the last decision that can be appealed. */
  readonly lost_by?: Side
  /** False if the buyer's test address rules appeals out. */
  readonly appeals_open: boolean
  readonly accelerated?: boolean
  readonly escalation?: { readonly by: Side; readonly time: Instant; readonly note?: string; readonly reason?: string }
  readonly cancellation?: { readonly note?: string; readonly reason?: string }
  readonly accept_claim_reason?: string
  readonly acknowledgement?: { readonly type: AcknowledgementType; readonly note?: string }
  readonly fee_charged?: boolean
  readonly refund_preference?: object
  readonly compensation?: Compensation
}

export interface ReturnShipment {
  readonly shipment_label: StoredDocument
  readonly tracking_info: TrackingInfo
}

export interface Compensation {
  readonly status: 'REQUESTED' | 'PAID' | 'DENIED'
  readonly amount: Money
  readonly note?: string
  readonly documents?: readonly StoredDocument[]
  readonly create_time: Instant
}

/** A merchandise dispute is about a thing that can be sent back, unless it says otherwise. */
export function isTangible({
  disputed_transactions,
  extensions,
}: Pick<Dispute, 'disputed_transactions' | 'extensions'>): boolean {
  const types = disputed_transactions.flatMap(({ items = [] }) => items.flatMap(({ item_type }) => item_type ?? []))
  const issue = extensions?.merchandize_dispute_properties?.issue_type
  if (types.length > 0) return types.includes('PRODUCT')
  return issue === undefined || issue === 'PRODUCT'
}

/** The disputed items of all payments. */
export const itemsOf = ({ disputed_transactions }: Pick<Dispute, 'disputed_transactions'>): readonly Item[] =>
  disputed_transactions.flatMap(({ items = [] }) => items)

/** Whether this side submitted it. A partner acts for the seller. */
export const isOf = (side: Side, { source }: Pick<Evidence | SupportingInfo, 'source'>): boolean =>
  side === 'buyer' ? source === 'SUBMITTED_BY_BUYER' : /^SUBMITTED_BY_(SELLER|PARTNER)$/.test(source)

/** How many evidences a side submitted. */
export const submittedBy = ({ evidences = [] }: Pick<Dispute, 'evidences'>, side: Side): number =>
  evidences.filter((evidence) => isOf(side, evidence)).length

/** How many notes a side gave to the agents. */
export const notesOf = ({ supporting_info = [] }: Pick<Dispute, 'supporting_info'>, side: Side): number =>
  supporting_info.filter((info) => isOf(side, info)).length

/** How many messages a side wrote. */
export const messagesOf = ({ messages = [] }: Pick<Dispute, 'messages'>, side: Side): number =>
  messages.filter(({ posted_by }) => posted_by === (side === 'seller' ? 'SELLER' : 'BUYER')).length
