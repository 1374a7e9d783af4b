import { toMinor } from '../../kernel/money.ts'
import type { AmountSummary, Discount, Item, Tax } from '../schema/lines.ts'

/** What totals are worked out from: the lines and the settings of an invoice or a template. */
export interface TotalsInput {
  readonly currency: string
  readonly items: readonly Pick<Item, 'quantity' | 'unit_amount' | 'discount' | 'tax'>[]
  readonly breakdown?: AmountSummary['breakdown']
  /** Whether discounts lower the base of the tax. */
  readonly taxAfterDiscount: boolean
  /** Whether prices already contain their tax. */
  readonly taxInclusive: boolean
}

export interface LineTotals {
  readonly gross: bigint
  readonly discount: bigint
  readonly tax: bigint
}

/** Every amount in the currency's smallest unit. Discounts are positive here; the wire shows them negative. */
export interface Totals {
  readonly lines: readonly LineTotals[]
  readonly itemTotal: bigint
  readonly itemDiscount: bigint
  readonly invoiceDiscount: bigint
  readonly shipping: bigint
  readonly shippingTax: bigint
  readonly custom: bigint
  readonly taxTotal: bigint
  readonly total: bigint
  /** Taxes added up by name and rate, in the order in which they first appear. */
  readonly taxes: readonly { readonly name: string; readonly percent: string; readonly amount: bigint }[]
}

/** Works out all amounts exactly. Only a line, a discount and a tax are rounded, each once, half away from zero. */
export function totalsOf(input: TotalsInput): Totals {
  const gross = input.items.map(lineOf)
  const discounts = input.items.map(({ discount }, i) => discountOf(discount, gross[i]!))
  const nets = gross.map((amount, i) => amount - discounts[i]!)
  const net = sum(nets)

  const { discount, shipping, custom } = input.breakdown ?? {}
  const invoiceDiscount = discountOf(discount?.invoice_discount, net)
  const left = shareLeft(discount?.invoice_discount, invoiceDiscount, net)
  const taxes = input.items.map(({ tax }, i) =>
    taxOf(tax, input.taxAfterDiscount ? product(left, nets[i]!) : whole(gross[i]!), input.taxInclusive),
  )

  const shippingAmount = shipping?.amount ? toMinor(shipping.amount) : 0n
  const shippingTax = taxOf(shipping?.tax, whole(shippingAmount), input.taxInclusive)
  const customAmount = custom ? toMinor(custom.amount) : 0n
  const taxTotal = sum(taxes) + shippingTax
  return {
    lines: gross.map((amount, i) => ({ gross: amount, discount: discounts[i]!, tax: taxes[i]! })),
    itemTotal: sum(gross),
    itemDiscount: sum(discounts),
    invoiceDiscount,
    shipping: shippingAmount,
    shippingTax,
    custom: customAmount,
    taxTotal,
    total: net - invoiceDiscount + (input.taxInclusive ? 0n : taxTotal) + shippingAmount + customAmount,
    taxes: byNameAndRate([
      ...input.items.map(({ tax }, i) => [tax, taxes[i]!] as const),
      [shipping?.tax, shippingTax] as const,
    ]),
  }
}

/** The amount of a line before discounts and taxes. */
export const lineOf = ({ quantity, unit_amount }: Pick<Item, 'quantity' | 'unit_amount'>): bigint =>
  times(toMinor(unit_amount), ratio(quantity))

/** The base of an invoice discount: the lines less their own discounts, which are shown as negative amounts. */
export function netOf(summary: AmountSummary | undefined): bigint {
  const { item_total, discount } = summary?.breakdown ?? {}
  return sum([item_total, discount?.item_discount].map((money) => (money ? toMinor(money) : 0n)))
}

/** Whether the amount shown for a discount is what its percentage leads to. Without a discount, that is true. */
export function isByPercent({ percent = '0', amount }: Discount, of: bigint): boolean {
  return amount === undefined || discountOf({ percent }, of) === -toMinor(amount)
}

/** The largest amount that can be given beside an item or in it. */
export const GIVEN_MAX = 1_000_000

/**
 * The amount that was given for a discount. Beside a percentage, an amount larger than can be given is one that we worked
 * out and that a client sends back.
 */
function givenAmount({ percent, amount }: Discount): Discount['amount'] {
  return percent !== undefined && amount && isBeyondGiven(amount.value) ? undefined : amount
}

export const isBeyondGiven = (value: string): boolean => Math.abs(Number(value)) > GIVEN_MAX

/**
 * An amount given by the caller wins over a percentage, and its sign does not matter. But an amount that equals what the
 * percentage leads to was shown that way, and has the percentage's sign: on a negative line, a discount adds.
 */
function discountOf(discount: Discount | undefined, of: bigint): bigint {
  const byPercent = discount?.percent === undefined ? 0n : round(product(hundredths(discount.percent), of))
  const given = discount && givenAmount(discount)
  if (!given) return byPercent
  const amount = absolute(toMinor(given))
  return amount === absolute(byPercent) ? byPercent : amount
}

const absolute = (amount: bigint): bigint => (amount < 0n ? -amount : amount)

/**
 * The part of a line that the invoice discount leaves, not rounded. If the amount is what the percentage leads to, the line
 * is shared out by the percentage: clients send both back as shown, and that must change nothing.
 */
function shareLeft(discount: Discount | undefined, amount: bigint, net: bigint): Ratio {
  if (discount?.percent !== undefined) {
    const { over, under } = hundredths(discount.percent)
    if (amount === round(product({ over, under }, net))) return { over: under - over, under }
  }
  return amount === 0n || net === 0n ? whole(1n) : { over: net - amount, under: net }
}

function taxOf(tax: Tax | undefined, base: Ratio, inclusive: boolean): bigint {
  if (!tax) return 0n
  const { over, under } = hundredths(tax.percent)
  return round({ over: base.over * over, under: base.under * (inclusive ? under + over : under) })
}

function byNameAndRate(rows: readonly (readonly [Tax | undefined, bigint])[]): Totals['taxes'] {
  const groups = new Map<string, { name: string; percent: string; amount: bigint }>()
  for (const [tax, amount] of rows) {
    if (!tax) continue
    const key = taxKey(tax)
    const group = groups.get(key)
    if (group) group.amount += amount
    else groups.set(key, { name: tax.name, percent: tax.percent, amount })
  }
  return [...groups.values()]
}

/** The same name and rate make one tax, however the rate is written: `7.5` and `7.50` are the same. */
export const taxKey = ({ name, percent }: Pick<Tax, 'name' | 'percent'>): string =>
  `${name}\u0000${plainDecimal(percent)}`

/** A decimal without digits and signs that do not change it: `07.50` is `7.5`, `-0` is `0`. */
function plainDecimal(text: string): string {
  const [head = '', fraction = ''] = text.replace('-', '').split('.')
  const digits = fraction.replace(/0+$/, '')
  const plain = `${head.replace(/^0+(?=\d)/, '') || '0'}${digits && `.${digits}`}`
  return text.startsWith('-') && plain !== '0' ? `-${plain}` : plain
}

/** How many decimals a number is written with. */
export const decimalsOf = (text: string): number => text.split('.')[1]?.length ?? 0

/** An exact fraction. */
interface Ratio {
  readonly over: bigint
  readonly under: bigint
}

const whole = (amount: bigint): Ratio => ({ over: amount, under: 1n })
const sum = (amounts: readonly bigint[]): bigint => amounts.reduce((total, amount) => total + amount, 0n)
const product = ({ over, under }: Ratio, factor: bigint): Ratio => ({ over: over * factor, under })
const times = (amount: bigint, factor: Ratio): bigint => round(product(factor, amount))

function ratio(decimal: string): Ratio {
  const digits = decimalsOf(decimal)
  return { over: BigInt(decimal.replace('.', '').replace(/^(-?)$/, '$10')), under: 10n ** BigInt(digits) }
}

function hundredths(percent: string): Ratio {
  const { over, under } = ratio(percent)
  return { over, under: under * 100n }
}

/** The nearest whole number; halves go away from zero. */
function round({ over, under }: Ratio): bigint {
  const negative = over < 0n !== under < 0n
  const n = over < 0n ? -over : over
  const d = under < 0n ? -under : under
  const nearest = (2n * n + d) / (2n * d)
  return negative ? -nearest : nearest
}
