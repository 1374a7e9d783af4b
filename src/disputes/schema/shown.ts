import { Links } from '../../kernel/links.ts'
import { Money } from '../../kernel/money.ts'
import { type TSchema, Type } from '../../kernel/type.ts'
import { PartnerAction } from './dispute.ts'
import {
  acceptClaimTypes,
  acknowledgementTypes,
  adjudicationTypes,
  channels,
  evidenceSources,
  offerTypes,
  outcomeCodes,
  reasons,
  stages,
  statuses,
  transactionStatuses,
} from './enums.ts'
import { Extensions } from './extensions.ts'
import { Item, TrackingInput } from './given.ts'

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)
const Time = Type.String({ format: 'date-time', maxLength: 64 })
const Text = (maxLength = 2000) => Type.String({ maxLength })
const list = <Schema extends TSchema>(schema: Schema, maxItems: number) => optional(Type.Array(schema, { maxItems }))

const Document = Type.Object(
  { name: Text(), url: Text(4000) },
  { $id: 'DisputeDocument', description: 'A file that came with a dispute, and where to download it.' },
)

const Transaction = Type.Object(
  {
    buyer_transaction_id: Text(255),
    seller_transaction_id: optional(Text(255)),
    reference_id: optional(Text(255)),
    create_time: optional(Time),
    transaction_status: optional(Type.Enum([...transactionStatuses])),
    gross_amount: optional(Money),
    invoice_number: optional(Text(127)),
    custom: optional(Text()),
    buyer: optional(Type.Object({ name: optional(Text()), email: optional(Text(254)), payer_id: optional(Text(255)) })),
    seller: optional(
      Type.Object({ merchant_id: optional(Text(255)), name: optional(Text()), email: optional(Text(254)) }),
    ),
    items: list(Item, 100),
    seller_protection_eligible: optional(Type.Boolean()),
    seller_protection_type: optional(Text(255)),
  },
  { $id: 'DisputedTransaction', description: 'A payment that is in dispute.' },
)

const Evidence = Type.Object(
  {
    evidence_type: Text(255),
    evidence_info: optional(Type.Object({ tracking_info: list(TrackingInput, 10), refund_ids: list(Text(255), 100) })),
    documents: list(Document, 100),
    notes: optional(Text()),
    source: Type.Enum([...evidenceSources]),
    date: Time,
    item_id: optional(Text(255)),
    item_type: optional(Text(255)),
    action_info: optional(Type.Object({ action: Text(255), response_option: optional(Text(255)) })),
    dispute_life_cycle_stage: Type.Enum([...stages]),
  },
  { $id: 'DisputeEvidence', description: 'Evidence that was submitted, or is asked for.' },
)

const Offer = Type.Object({
  buyer_requested_amount: optional(Money),
  seller_offered_amount: optional(Money),
  offer_type: optional(Type.Enum([...offerTypes])),
  history: list(
    Type.Object({
      offer_time: Time,
      actor: Type.Enum(['BUYER', 'SELLER']),
      event_type: Type.Enum(['PROPOSED', 'ACCEPTED', 'DENIED']),
      offer_type: Type.Enum([...offerTypes]),
      offer_amount: optional(Money),
      notes: optional(Text()),
      dispute_life_cycle_stage: Type.Enum([...stages]),
    }),
    1000,
  ),
})

const movement = (party: string) =>
  Type.Object({
    [party]: Type.Enum(['SELLER', 'BUYER']),
    type: Type.Enum(['DEBIT', 'CREDIT']),
    amount: Money,
    initiated_time: Time,
    reason: Text(255),
  })

const options = <Name extends string>(name: Name, values: readonly string[]) =>
  optional(Type.Object({ [name]: Type.Array(Type.Enum([...values]), { maxItems: 10 }) }))

/** A dispute as it is shown. Which fields a caller receives depends on their scopes and their side. */
export const Dispute = Type.Object(
  {
    dispute_id: Text(255),
    create_time: Time,
    update_time: Time,
    disputed_transactions: Type.Array(Transaction, { maxItems: 1000 }),
    reason: Type.Enum([...reasons]),
    status: Type.Enum([...statuses]),
    dispute_state: Text(255),
    dispute_amount: Money,
    fee_policy: optional(Type.Object({ transaction_fee: Text(255), dispute_fee: Text(255) })),
    external_reason_code: optional(Text()),
    dispute_outcome: optional(
      Type.Object({
        outcome_code: Type.Enum([...outcomeCodes]),
        outcome_reason: optional(Text(255)),
        amount_refunded: optional(Money),
      }),
    ),
    adjudications: list(
      Type.Object({
        type: Type.Enum([...adjudicationTypes]),
        adjudication_time: Time,
        reason: optional(Text(255)),
        dispute_life_cycle_stage: Type.Enum([...stages]),
      }),
      10,
    ),
    money_movements: list(movement('affected_party'), 50),
    fund_movements: list(movement('party'), 50),
    dispute_life_cycle_stage: Type.Enum([...stages]),
    dispute_channel: Type.Enum([...channels]),
    messages: list(
      Type.Object({
        posted_by: Type.Enum(['BUYER', 'SELLER', 'ARBITER']),
        time_posted: Time,
        content: Text(),
        documents: list(Document, 10),
      }),
      1000,
    ),
    extensions: optional(Extensions),
    // A party is shown at most a hundred. Whoever decides is shown those of both sides.
    evidences: list(Evidence, 200),
    buyer_response_due_date: optional(Time),
    seller_response_due_date: optional(Time),
    offer: optional(Offer),
    refund_details: optional(
      Type.Object({
        allowed_refund_amount: optional(Money),
        transactions: list(Type.Object({ id: Text(255), gross_amount: Money, create_time: Time }), 100),
      }),
    ),
    communication_details: optional(
      Type.Object({ email: optional(Text(254)), note: optional(Text()), time_posted: Time }),
    ),
    supporting_info: list(
      Type.Object({
        notes: Text(),
        documents: list(Document, 100),
        source: Text(255),
        provided_time: Time,
        dispute_life_cycle_stage: Type.Enum([...stages]),
      }),
      100,
    ),
    partner_actions: list(PartnerAction, 10),
    allowed_response_options: optional(
      Type.Object({
        acknowledge_return_item: options('acknowledgement_types', acknowledgementTypes),
        accept_claim: options('accept_claim_types', acceptClaimTypes),
        make_offer: options('offer_types', offerTypes),
      }),
    ),
    links: Links,
  },
  { $id: 'Dispute', additionalProperties: true, description: 'A dispute about a payment.' },
)

const { dispute_id, reason, status, dispute_state, dispute_amount, create_time, update_time } = Dispute.properties
const Summary = Type.Object(
  {
    dispute_id,
    reason,
    status,
    dispute_state,
    dispute_life_cycle_stage: Dispute.properties.dispute_life_cycle_stage,
    dispute_channel: Dispute.properties.dispute_channel,
    dispute_amount,
    create_time,
    update_time,
    buyer_response_due_date: optional(Time),
    seller_response_due_date: optional(Time),
    disputed_transactions: list(Transaction, 1000),
    outcome: optional(Type.Enum(['WON', 'LOST'])),
    links: Links,
  },
  { $id: 'DisputeSummary', additionalProperties: true, description: 'A dispute in a list.' },
)

export const DisputeList = Type.Object(
  {
    items: Type.Array(Summary, { maxItems: 100 }),
    links: Links,
    total_items: optional(Type.Integer()),
    total_pages: optional(Type.Integer()),
  },
  { $id: 'DisputeList' },
)

export const LinksOnly = Type.Object(
  { links: Links },
  { $id: 'DisputeLinks', description: 'Links to what was changed.' },
)

export const DisputeId = Type.Object({ id: Type.String({ minLength: 1, maxLength: 255, pattern: '^[A-Za-z0-9-]+$' }) })
