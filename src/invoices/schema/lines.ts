import { amountPattern } from '../../kernel/money.ts'
import { type Static, Type } from '../../kernel/type.ts'

/** Decimal text. A JSON number is accepted in its place and stored as text. */
const decimal = (maxLength: number) => Type.String({ maxLength, pattern: amountPattern, 'x-numeric': true })

export const CurrencyCode = Type.String({
  minLength: 3,
  maxLength: 3,
  description: 'Three letters of ISO 4217.',
})

/** Money as a caller may write it. Decimals, range and currency are checked once the whole document is known. */
export const Amount = Type.Object({ currency_code: CurrencyCode, value: decimal(32) })
export type Amount = Static<typeof Amount>

/** Money that we work out. What a caller writes there is not read. */
export const Computed = Type.Optional(Type.Object(Amount.properties, { readOnly: true }))

export const CalendarDay = Type.String({
  minLength: 10,
  maxLength: 10,
  format: 'date',
})

const percent = decimal(32)

export const Tax = Type.Object({
  id: Type.Optional(Type.String({ maxLength: 30, readOnly: true })),
  name: Type.String({ maxLength: 100 }),
  percent,
  tax_note: Type.Optional(Type.String({ maxLength: 100 })),
  amount: Computed,
})
export type Tax = Static<typeof Tax>

export const Discount = Type.Object({ percent: Type.Optional(percent), amount: Type.Optional(Amount) })
export type Discount = Static<typeof Discount>

export const unitsOfMeasure = ['QUANTITY', 'HOURS', 'AMOUNT'] as const

export const Item = Type.Object({
  id: Type.Optional(Type.String({ maxLength: 22 })),
  name: Type.String({ maxLength: 200 }),
  description: Type.Optional(Type.String({ maxLength: 1000 })),
  quantity: Type.String({
    minLength: 1,
    maxLength: 14,
    pattern: amountPattern,
    'x-numeric': true,
  }),
  unit_amount: Amount,
  tax: Type.Optional(Tax),
  item_date: Type.Optional(CalendarDay),
  discount: Type.Optional(Discount),
  unit_of_measure: Type.Optional(Type.Enum(unitsOfMeasure)),
})
export type Item = Static<typeof Item>

export const ITEMS_MAX = 100
export const Items = Type.Array(Item, { maxItems: ITEMS_MAX })

const ShippingCost = Type.Object({ amount: Type.Optional(Amount), tax: Type.Optional(Tax) })
const CustomAmount = Type.Object({ label: Type.String({ maxLength: 50 }), amount: Amount })

/** Only discount, shipping and the custom amount are read. Everything else in it is computed. */
export const AmountSummary = Type.Object({
  currency_code: Type.Optional(Type.String({ maxLength: 3, readOnly: true })),
  value: Type.Optional(Type.String({ maxLength: 32, readOnly: true })),
  breakdown: Type.Optional(
    Type.Object({
      item_total: Computed,
      discount: Type.Optional(
        Type.Object({
          item_discount: Computed,
          invoice_discount: Type.Optional(Discount),
        }),
      ),
      tax_total: Computed,
      shipping: Type.Optional(ShippingCost),
      custom: Type.Optional(CustomAmount),
    }),
  ),
})
export type AmountSummary = Static<typeof AmountSummary>
