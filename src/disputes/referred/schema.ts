import { Money } from '../../kernel/money.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { NOT_AS_DESCRIBED, NOT_RECEIVED } from '../schema/enums.ts'

const optional = Type.Optional
const text = (maxLength = 2000) => Type.String({ minLength: 1, maxLength })
const time = Type.String({ minLength: 20, maxLength: 64, format: 'date-time' })

export const referredReasons = [NOT_RECEIVED, NOT_AS_DESCRIBED] as const
export const referredFlows = ['THIRD_PARTY_CLAIM', 'THIRD_PARTY_DISPUTE'] as const
const subReasons = [
  'INCOMPLETE_ORDER',
  'DAMAGED',
  'FAKE',
  'MATERIALLY_DIFFERENT',
  'UNUSABLE',
  'EXCESSIVE_SURCHARGE',
] as const
export const itemCategories = [
  'COMPUTERS',
  'HOME',
  'JEWELRY',
  'ANTIQUES',
  'ENTERTAINMENT',
  'OTHER_TANGIBLES',
  'TRAVEL',
  'SERVICE',
  'VIRTUAL_GOODS',
  'OTHER_INTANGIBLES',
  'TICKETS',
] as const

const Item = Type.Object({
  id: optional(text(255)),
  category: optional(Type.Enum([...itemCategories])),
  description: optional(text()),
  partner_transaction_id: optional(text(255)),
  reason: optional(Type.Enum([...referredReasons])),
  sub_reason: optional(Type.Enum([...subReasons])),
  amount: optional(Money),
  note: optional(text()),
})

const Transaction = Type.Object({
  id: text(255),
  items: optional(Type.Array(Item, { maxItems: 100 })),
  status: optional(
    Type.Enum([
      'COMPLETED',
      'UNCLAIMED',
      'DENIED',
      'FAILED',
      'HELD',
      'PENDING',
      'PARTIALLY_REFUNDED',
      'REFUNDED',
      'REVERSED',
      'CANCELED',
    ]),
  ),
  gross_amount: optional(Money),
  create_time: optional(time),
})

const Evidence = Type.Object({
  evidence_info: optional(
    Type.Object({
      tracking_info: optional(
        Type.Array(
          Type.Object({
            carrier_name: optional(text(255)),
            tracking_url: optional(text()),
            tracking_number: optional(text(255)),
            tracking_status: optional(Type.Enum(['INVALID', 'NO_TRACKING', 'IN_TRANSIT', 'LOST', 'DELIVERED'])),
            note: optional(text()),
            posted_time: optional(time),
          }),
          { maxItems: 10 },
        ),
      ),
    }),
  ),
  documents: optional(
    Type.Array(
      Type.Object({
        id: optional(text(255)),
        name: optional(text()),
        description: optional(text()),
        url: optional(text()),
      }),
      { maxItems: 100 },
    ),
  ),
  notes: optional(text()),
})

const Message = Type.Object({
  posted_by: Type.Enum(['BUYER', 'SELLER', 'ARBITER', 'PARTNER']),
  posted_time: optional(time),
  content: text(),
})

const Extensions = Type.Object({
  transaction_hold_info: optional(
    Type.Object({ hold_required: optional(Type.Boolean()), id: optional(text(255)), reason: optional(text()) }),
  ),
  transaction_risk_info: optional(
    Type.Object({ high_risk: optional(Type.Boolean()), id: optional(text(255)), reason: optional(text()) }),
  ),
})

const ReferenceDispute = Type.Object({ id: text(255), create_time: optional(time) })

export const ReferBody = Type.Object({
  transaction: Transaction,
  reference_dispute: ReferenceDispute,
  dispute_flow: optional(Type.Enum([...referredFlows])),
  reason: optional(Type.Enum([...referredReasons])),
  sub_reason: optional(Type.Enum([...subReasons])),
  evidences: optional(Type.Array(Evidence, { maxItems: 100 })),
  messages: optional(Type.Array(Message, { maxItems: 100 })),
  extensions: optional(Extensions),
})

export const RefundInfo = Type.Object({
  recipient: Type.Enum(['BUYER', 'SELLER']),
  amount: Money,
  create_time: time,
  payout_type: Type.Enum(['REVERSAL', 'COURTESY_CREDIT', 'SELLER_PROTECTION_COVERAGE']),
  seller_protection_eligible: Type.Boolean(),
  transaction_source: Type.Enum(['SERVICE', 'PAYPAL', 'OTHER']),
  transaction_id: optional(text(255)),
})

const Outcome = Type.Object({
  faulty_party: Type.Enum(['BUYER', 'SELLER', 'PARTNER', 'NONE']),
  adjudication_reason: text(),
  resolution_date: optional(time),
})

export const AdjudicationInfo = Type.Object({
  dispute_amount: optional(Money),
  items: optional(Type.Array(Item, { maxItems: 100 })),
  outcome: Outcome,
  extensions: optional(Extensions),
  evidences: optional(Type.Array(Evidence, { maxItems: 100 })),
  dispute_reason: optional(Type.Enum([...referredReasons])),
  closure_reason: optional(text(255)),
  messages: optional(Type.Array(Message, { maxItems: 100 })),
})

/** A dispute that another marketplace decides. It is open until that decision is told. */
export const ReferredDispute = Type.Object(
  {
    id: text(255),
    create_time: time,
    update_time: time,
    dispute_flow: optional(Type.Enum([...referredFlows])),
    reference_disputes: Type.Array(ReferenceDispute, { maxItems: 100 }),
    transaction: Transaction,
    extensions: optional(Extensions),
    reason: optional(Type.Enum([...referredReasons])),
    sub_reason: optional(Type.Enum([...subReasons])),
    status: Type.Enum(['OPEN', 'CLOSED']),
    evidences: optional(Type.Array(Evidence, { maxItems: 200 })),
    refund_info: optional(RefundInfo),
    outcome: optional(Outcome),
    dispute_amount: optional(Money),
    closure_reason: optional(text(255)),
    messages: optional(Type.Array(Message, { maxItems: 200 })),
  },
  { $id: 'ReferredDispute', additionalProperties: true, description: 'A dispute that another marketplace decides.' },
)
export type ReferredDispute = Static<typeof ReferredDispute>
