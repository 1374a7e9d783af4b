import { Links } from '../../kernel/links.ts'
import { Money } from '../../kernel/money.ts'
import { Type } from '../../kernel/type.ts'
import { statuses } from './enums.ts'
import { InvoiceInput, Payment, Refund, TRANSACTIONS_MAX } from './given.ts'
import { Computed } from './lines.ts'

/** An invoice as it is shown. */
export const InvoiceView = Type.Object(
  {
    id: Type.String({ maxLength: 30 }),
    parent_id: Type.Optional(Type.String({ maxLength: 30 })),
    status: Type.Enum(statuses),
    ...InvoiceInput.properties,
    due_amount: Computed,
    gratuity: Computed,
    payments: Type.Optional(
      Type.Object({ paid_amount: Money, transactions: Type.Array(Payment, { maxItems: TRANSACTIONS_MAX }) }),
    ),
    refunds: Type.Optional(
      Type.Object({ refund_amount: Money, transactions: Type.Array(Refund, { maxItems: TRANSACTIONS_MAX }) }),
    ),
    unilateral: Type.Optional(Type.Boolean()),
    links: Links,
  },
  { $id: 'Invoice', description: 'An invoice with its computed amounts, its payments and refunds, and its links.' },
)
