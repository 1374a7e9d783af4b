import { onlyKnown } from '../../http/validation/validator.ts'
import { exactMoney, type Money } from '../../kernel/money.ts'
import type { Static } from '../../kernel/type.ts'
import { AdjudicationInfo, ReferBody, RefundInfo } from './schema.ts'

/*
 * What other marketplaces tell, as it is kept: nothing that nobody knows, least of all what only a later event may say, and
 * amounts with the decimals of their currency.
 */

interface Priced {
  readonly amount?: Money
}

const withPrices = <Item extends Priced>(items: readonly Item[], field: string): Item[] =>
  items.map((item, i) => (item.amount ? { ...item, amount: exactMoney(item.amount, `${field}/${i}/amount`) } : item))

export function keptReferral(told: Static<typeof ReferBody>): Static<typeof ReferBody> {
  const body = onlyKnown(ReferBody, told)
  const { items, gross_amount } = body.transaction
  return {
    ...body,
    transaction: {
      ...body.transaction,
      ...(items && { items: withPrices(items, '/transaction/items') }),
      ...(gross_amount && { gross_amount: exactMoney(gross_amount, '/transaction/gross_amount') }),
    },
  }
}

export function keptRefund(told: Static<typeof RefundInfo>): Static<typeof RefundInfo> {
  const body = onlyKnown(RefundInfo, told)
  return { ...body, amount: exactMoney(body.amount, '/amount') }
}

export function keptDecision(told: Static<typeof AdjudicationInfo>): Static<typeof AdjudicationInfo> {
  const body = onlyKnown(AdjudicationInfo, told)
  const { items, dispute_amount } = body
  return {
    ...body,
    ...(items && { items: withPrices(items, '/items') }),
    ...(dispute_amount && { dispute_amount: exactMoney(dispute_amount, '/dispute_amount') }),
  }
}
