import { onlyKnown } from '../../http/validation/validator.ts'
import { parseInstant } from '../../kernel/clock.ts'
import { type Dialect, neutralLiteral } from '../../kernel/dialect.ts'
import { amountPattern, exactMoney, Money } from '../../kernel/money.ts'
import { type Static, type TSchema, Type } from '../../kernel/type.ts'
import { transactionStatuses } from './enums.ts'
import { Address, eitherDialect, Note } from './given.ts'

const optional = <Schema extends TSchema>(schema: Schema) => Type.Optional(schema)
const flag = optional(Type.Boolean())
const time = optional(Type.String({ minLength: 20, maxLength: 64, format: 'date-time' }))
const text = (maxLength: number, pattern?: string) =>
  optional(Type.String({ minLength: 1, maxLength, ...(pattern && { pattern }) }))
const oneOf = (...values: string[]) => optional(Type.Enum(values))
const someOf = (...values: string[]) => optional(Type.Array(Type.Enum(values), { minItems: 1, maxItems: 10 }))
const url = optional(Type.String({ format: 'uri', maxLength: 4000 }))
const issueType = oneOf('PRODUCT', 'SERVICE')

/** An amount of a coin that is not the currency of a country. */
const Asset = Type.Object({
  asset_symbol: Type.Enum(['BTC', 'ETH', 'BCH', 'LTC', 'PYUSD', 'LINK', 'SOL', 'MATIC']),
  quantity: Type.String({ minLength: 1, maxLength: 40, pattern: amountPattern }),
})

const cancellation = optional(
  Type.Object({
    cancellation_date: time,
    cancellation_number: text(127, '^[A-Za-z0-9]+$'),
    cancelled: flag,
    cancellation_mode: optional(
      Type.Enum(
        eitherDialect(['CANCELLED_SERVICE_BILLING_AGREEMENT', 'WEBSITE', 'PHONE', 'EMAIL', 'WRITTEN', 'IN_PERSON']),
      ),
    ),
  }),
)

const product = optional(
  Type.Object({
    description: optional(Note),
    product_received: oneOf('YES', 'NO', 'RETURNED'),
    product_received_time: time,
    expected_delivery_date: time,
    sub_reasons: someOf('DAMAGED', 'DIFFERENT', 'MISSING_PARTS', 'OTHER'),
    purchase_url: url,
    return_details: optional(
      Type.Object({
        return_time: time,
        mode: oneOf('SHIPPED', 'IN_PERSON'),
        receipt: flag,
        return_confirmation_number: text(255, '^[A-Za-z0-9:\\-]+$'),
        returned: flag,
      }),
    ),
  }),
)

const service = optional(
  Type.Object({
    description: optional(Note),
    service_started: oneOf('YES', 'NO', 'CANCELLED'),
    note: optional(Note),
    sub_reasons: someOf('DAMAGED', 'DIFFERENT', 'INCOMPLETE', 'OTHER'),
    purchase_url: url,
  }),
)

/** The payment that was made twice, as the buyer tells it. */
const originalTransaction = Type.Object({
  buyer_transaction_id: text(255, '^[A-Za-z0-9-]+$'),
  seller_transaction_id: text(255, '^[A-Za-z0-9-]+$'),
  reference_id: text(255, '^[A-Za-z0-9-]+$'),
  create_time: time,
  transaction_status: oneOf(...transactionStatuses),
  gross_amount: optional(Money),
  gross_asset: optional(Asset),
  invoice_number: text(127, '^[A-Za-z0-9:\\-|]+$'),
  custom: optional(Note),
  buyer: optional(Type.Object({ name: optional(Note) })),
  seller: optional(
    Type.Object({
      merchant_id: text(255, '^[0-9A-Za-z]+$'),
      name: optional(Note),
      email: optional(Type.String({ format: 'email', minLength: 3, maxLength: 254 })),
    }),
  ),
})

const methods = ['CASH', 'CREDIT_CARD', 'CHECK', 'SERVICE', 'DEBIT_CARD', 'GIFT_CARD', 'BANK_TRANSFER']
const methodsWithFourDigits = ['CREDIT_CARD', 'DEBIT_CARD', 'GIFT_CARD', 'BANK_TRANSFER']

const otherMeans = Type.Object(
  {
    charge_different_from_original: flag,
    received_duplicate: flag,
    payment_method: optional(Type.Enum(eitherDialect(methods))),
    payment_instrument_suffix: optional(Type.String({ minLength: 2, maxLength: 4 })),
  },
  {
    if: { properties: { payment_method: { not: { enum: methodsWithFourDigits } } } },
    else: { properties: { payment_instrument_suffix: { minLength: 4, maxLength: 4 } } },
  },
)

const billing = Type.Object({
  duplicate_transaction: optional(
    Type.Object({ received_duplicate: flag, original_transaction: optional(originalTransaction) }),
  ),
  incorrect_transaction_amount: optional(
    Type.Object({
      correct_transaction_amount: optional(Money),
      correct_transaction_asset: optional(Asset),
      correct_transaction_time: time,
    }),
  ),
  payment_by_other_means: optional(otherMeans),
  credit_not_processed: optional(
    Type.Object({
      issue_type: issueType,
      expected_refund: optional(Money),
      cancellation_details: cancellation,
      product_details: product,
      service_details: service,
      agreed_refund_details: optional(Type.Object({ merchant_agreed_refund: flag, merchant_agreed_refund_time: time })),
    }),
  ),
  canceled_recurring_billing: optional(
    Type.Object({ expected_refund: optional(Money), cancellation_details: cancellation }),
  ),
})

const merchandise = Type.Object({
  issue_type: issueType,
  product_details: product,
  service_details: service,
  cancellation_details: cancellation,
  return_shipping_address: optional(Address),
})

export const Extensions = Type.Object(
  {
    merchant_contacted: flag,
    merchant_contacted_outcome: oneOf('NO_RESPONSE', 'FIXED', 'NOT_FIXED', 'RESPONDED'),
    merchant_contacted_time: time,
    merchant_contacted_mode: oneOf('WEBSITE', 'PHONE', 'EMAIL', 'WRITTEN', 'IN_PERSON'),
    buyer_contacted_time: time,
    buyer_contacted_channel: text(255),
    reported_source: oneOf('EMAIL', 'WEB', 'CHAT', 'IVR', 'PHONE', 'MOBILE_APP', 'MOBILE_WEB', 'API'),
    billing_dispute_properties: optional(billing),
    merchandize_dispute_properties: optional(merchandise),
  },
  { $id: 'DisputeExtensions', description: 'What the buyer told about the matter when the dispute was opened.' },
)
export type Extensions = Static<typeof Extensions>

/**
 * Extensions as they are kept: only what the contract knows, brand words in their neutral spelling, times in UTC and
 * amounts with the decimals of their currency.
 */
export function readExtensions(given: Extensions): Extensions {
  const known = onlyKnown(Extensions, given)
  return rewrite(known, '/extensions', (name, value, field) => {
    if (typeof value === 'string' && /_(time|date)$/.test(name)) return parseInstant(value)
    if (isMoney(value)) return exactMoney(value, field)
    return brandWord(name, value, neutralLiteral)
  }) as Extensions
}

/** Extensions in the wording of this deployment. */
export const printExtensions = (kept: Extensions, dialect: Dialect) =>
  rewrite(kept, '/extensions', (name, value) => brandWord(name, value, dialect.literal)) as Extensions

const brandWord = (name: string, value: unknown, respell: (word: string) => string): unknown =>
  typeof value === 'string' && (name === 'payment_method' || name === 'cancellation_mode') ? respell(value) : undefined

const isMoney = (value: unknown): value is Money =>
  typeof value === 'object' && value !== null && 'currency_code' in value && 'value' in value

/** A copy in which `change` replaces members. If it gives nothing for a member, the members inside of that are looked at. */
function rewrite(
  node: unknown,
  pointer: string,
  change: (name: string, value: unknown, pointer: string) => unknown,
): unknown {
  if (Array.isArray(node)) return node.map((item, i) => rewrite(item, `${pointer}/${i}`, change))
  if (typeof node !== 'object' || node === null) return node
  const members = Object.entries(node).map(([name, value]) => {
    const at = `${pointer}/${name}`
    return [name, change(name, value, at) ?? rewrite(value, at, change)] as const
  })
  return Object.fromEntries(members)
}
