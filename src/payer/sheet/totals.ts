import type { DisplayField } from '../../invoices/schema/enums.ts'
import type { Invoice } from '../../invoices/schema/invoice.ts'
import type { Discount } from '../../invoices/schema/lines.ts'
import { settle } from '../../invoices/sums/settlement.ts'
import { isByPercent, netOf } from '../../invoices/sums/totals.ts'
import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import type { Say } from '../words/index.ts'
import type { Format } from './format.ts'

export interface SheetLine {
  readonly label: string
  readonly value: string
  readonly kind: 'line' | 'total' | 'due' | 'aside'
}

/** The lines under the items: what was added and taken off, the total, what was paid and what is due. */
export function totalsOf(invoice: Invoice, say: Say, format: Format): SheetLine[] {
  const { breakdown } = invoice.amount
  const { currency_code } = invoice.amount
  const lines: SheetLine[] = []
  const line = (label: string, money: Money | undefined, kind: SheetLine['kind'] = 'line') => {
    if (money)
      lines.push({
        label,
        value: kind === 'line' || kind === 'aside' ? format.figures(money) : format.money(money),
        kind,
      })
  }
  const unlessZero = (money: Money | undefined) => (money && toMinor(money) !== 0n ? money : undefined)
  const shows = (field: DisplayField) => !invoice.hidden_fields?.includes(field)
  const inclusive = invoice.configuration.tax_inclusive === true
  const discount = breakdown?.discount?.invoice_discount
  const rate = rateOf(discount, netOf(invoice.amount), format)

  line(say('subtotal'), breakdown?.item_total)
  line(say('itemDiscounts'), unlessZero(breakdown?.discount?.item_discount))
  if (shows('DISCOUNT')) line(`${say('discount')}${rate}`, unlessZero(discount?.amount))
  if (!inclusive) for (const tax of taxesOf(invoice, say, format)) line(tax.label, tax.amount)
  if (shows('SHIPPING')) line(say('shipping'), breakdown?.shipping?.amount)
  if (breakdown?.custom && shows('CUSTOM')) line(breakdown.custom.label, breakdown.custom.amount)
  line(say('total'), { currency_code, value: invoice.amount.value }, 'total')
  if (inclusive)
    for (const tax of taxesOf(invoice, say, format)) line(say('includedTax', { tax: tax.label }), tax.amount, 'aside')

  const { paid } = settle(invoice)
  if (paid > 0n) line(say('paid'), toMoney(-paid, currency_code))
  if (invoice.status !== 'CANCELLED') line(say('amountDue'), invoice.due_amount, 'due')
  return lines
}

/** The percentage of a discount, if the amount follows from it. An amount that was given wins over a percentage. */
export const rateOf = (discount: Discount | undefined, of: bigint, format: Format): string =>
  discount?.percent === undefined || Number(discount.percent) === 0 || !isByPercent(discount, of)
    ? ''
    : ` ${format.percent(discount.percent)}`

/** Taxes by name and rate, in the order in which they first appear. The tax on shipping is labelled as such. */
function taxesOf({ items, amount }: Invoice, say: Say, format: Format): { label: string; amount: Money }[] {
  const sums = new Map<string, bigint>()
  for (const { tax } of items) {
    if (!tax?.amount) continue
    const label = `${tax.name} ${format.percent(tax.percent)}`
    sums.set(label, (sums.get(label) ?? 0n) + toMinor(tax.amount))
  }
  const rows = [...sums].map(([label, sum]) => ({ label, amount: toMoney(sum, amount.currency_code) }))
  const shipping = amount.breakdown?.shipping?.tax
  if (!shipping?.amount) return rows
  const label = say('taxOnShipping', { tax: `${shipping.name} ${format.percent(shipping.percent)}` })
  return [...rows, { label, amount: { ...shipping.amount } }]
}
