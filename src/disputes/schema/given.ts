import { exactMoney, Money } from '../../kernel/money.ts'
import { type Static, type TSchema, Type } from '../../kernel/type.ts'
import { acknowledgementEvidenceTypes, evidenceTypes, itemTypes, reasons } from './enums.ts'

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)
const text = (maxLength: number, pattern?: string) =>
  Type.String({ minLength: 1, maxLength, ...(pattern && { pattern }) })

/** Free text that people write to each other: a note, a message, notes. */
export const Note = text(2000)
export const EnumText = text(255, '^[0-9A-Z_]+$')

/** The values of an enum, in both dialects. */
export const eitherDialect = (values: readonly string[]): string[] => [
  ...new Set([...values, ...values.map((value) => brandedTwins.get(value) ?? value)]),
]
const brandedTwins = new Map([
  ['PROOF_OF_REFUND_OUTSIDE_SERVICE', 'PROOF_OF_REFUND_OUTSIDE_PAYPAL'],
  ['CANCELLED_SERVICE_BILLING_AGREEMENT', 'CANCELLED_PAYPAL_BILLING_AGREEMENT'],
  ['SERVICE', 'PAYPAL'],
])

export const Address = Type.Object(
  {
    address_line_1: optional(Type.String({ maxLength: 300 })),
    address_line_2: optional(Type.String({ maxLength: 300 })),
    address_line_3: optional(Type.String({ maxLength: 100 })),
    admin_area_4: optional(Type.String({ maxLength: 100 })),
    admin_area_3: optional(Type.String({ maxLength: 100 })),
    admin_area_2: optional(Type.String({ maxLength: 120 })),
    admin_area_1: optional(Type.String({ maxLength: 300 })),
    postal_code: optional(Type.String({ maxLength: 60 })),
    country_code: Type.String({ pattern: '^([A-Z]{2}|C2)$', maxLength: 2 }),
    address_details: optional(
      Type.Object(
        Object.fromEntries(
          ['street_number', 'street_name', 'street_type', 'delivery_service', 'building_name', 'sub_building'].map(
            (name) => [name, optional(Type.String({ maxLength: 100 }))],
          ),
        ),
      ),
    ),
  },
  { $id: 'DisputeAddress', description: 'A postal address that is the same everywhere in the world.' },
)
export type Address = Static<typeof Address>

/**
 * A return address as it is sent. Its own shape is checked with the rules of the operation, because the contract has a
 * name of its own for a breach.
 */
export const ReturnAddress = Type.Unsafe<unknown>({ 'x-printed': Address })
export const ReturnAddressInfo = Type.Object({
  save_to_profile: optional(Type.Boolean()),
  address: optional(ReturnAddress),
})

export const TrackingInput = Type.Object({
  carrier_name: optional(EnumText),
  carrier_name_other: optional(Note),
  tracking_number: optional(text(255)),
  tracking_url: optional(Type.String({ maxLength: 4000 })),
})

export const DocumentInput = Type.Object({ name: text(2000) })
const Documents = (maxItems: number) => Type.Array(DocumentInput, { maxItems })

export const EvidenceInput = Type.Object({
  evidence_type: optional(Type.Enum(eitherDialect(evidenceTypes))),
  evidence_info: optional(
    Type.Object({
      tracking_info: optional(Type.Array(TrackingInput, { maxItems: 10 })),
      refund_ids: optional(Type.Array(text(255), { maxItems: 100 })),
    }),
  ),
  documents: optional(Documents(100)),
  notes: optional(Note),
  item_id: optional(text(255)),
})
export type EvidenceInput = Static<typeof EvidenceInput>

export const EvidenceBody = Type.Object({
  evidences: optional(Type.Array(EvidenceInput, { maxItems: 100 })),
  return_shipping_address: optional(ReturnAddress),
  return_shipping_address_info: optional(ReturnAddressInfo),
})

export const AcknowledgementEvidence = Type.Object({
  evidence_type: optional(Type.Enum([...acknowledgementEvidenceTypes])),
  documents: optional(Documents(100)),
})

/** Details of an item, which are kept and shown as they came. */
const Details = Type.Unsafe<Readonly<Record<string, unknown>>>({ type: 'object', maxProperties: 50 })

export const Item = Type.Object(
  {
    item_id: optional(text(255)),
    item_name: optional(Note),
    item_description: optional(Note),
    item_quantity: optional(text(10, '^[1-9][0-9]{0,9}$')),
    partner_transaction_id: optional(text(255, '^[A-Za-z0-9]+$')),
    reason: optional(Type.Enum([...reasons])),
    dispute_amount: optional(Money),
    notes: optional(Note),
    item_type: optional(Type.Enum([...itemTypes])),
    expected_refund: optional(Money),
    product_details: optional(Details),
    service_details: optional(Details),
    booking_details: optional(Details),
    digital_download_details: optional(Details),
    cancellation_details: optional(Details),
    agreed_refund_details: optional(Details),
  },
  { $id: 'DisputedItem', description: 'One thing of a payment that is in dispute.' },
)
export type Item = Static<typeof Item>

/** Items in the form in which they are kept: amounts with the decimals of their currency. */
export const exactItems = (items: readonly Item[], field: string): Item[] =>
  items.map((item, i) => ({
    ...item,
    ...(item.dispute_amount && { dispute_amount: exactMoney(item.dispute_amount, `${field}/${i}/dispute_amount`) }),
    ...(item.expected_refund && { expected_refund: exactMoney(item.expected_refund, `${field}/${i}/expected_refund`) }),
  }))
