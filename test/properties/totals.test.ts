import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AmountSummary, Item } from '../../src/invoices/schema/lines.ts'
import { type Totals, totalsOf } from '../../src/invoices/sums/totals.ts'
import { toMoney } from '../../src/kernel/money.ts'

type Line = readonly [quantity: string, unit: string, rate?: string, discount?: string]

/** A discount is written as on the invoice: `5%` or `5.00`. */
const discountFrom = (text: string | undefined, currency: string) => {
  if (text === undefined) return undefined
  return text.endsWith('%') ? { percent: text.slice(0, -1) } : { amount: { currency_code: currency, value: text } }
}

interface Example {
  readonly currency?: string
  readonly before?: boolean
  readonly inclusive?: boolean
  readonly lines: readonly Line[]
  readonly discount?: string
  readonly shipping?: readonly [amount: string, rate?: string]
  readonly custom?: string
}

function work({ currency = 'USD', before = false, inclusive = false, lines, ...other }: Example): Totals {
  const money = (value: string) => ({ currency_code: currency, value })
  const taxed = (percent: string | undefined) => (percent === undefined ? {} : { tax: { name: 'VAT', percent } })
  const discounted = (text: string | undefined) => {
    const discount = discountFrom(text, currency)
    return discount ? { discount } : {}
  }
  const items: Pick<Item, 'quantity' | 'unit_amount' | 'discount' | 'tax'>[] = lines.map(
    ([quantity, unit, rate, discount]) => ({
      quantity,
      unit_amount: money(unit),
      ...taxed(rate),
      ...discounted(discount),
    }),
  )
  const invoice_discount = discountFrom(other.discount, currency)
  const breakdown: NonNullable<AmountSummary['breakdown']> = {
    ...(invoice_discount && { discount: { invoice_discount } }),
    ...(other.shipping && { shipping: { amount: money(other.shipping[0]), ...taxed(other.shipping[1]) } }),
    ...(other.custom && { custom: { label: 'Packing', amount: money(other.custom) } }),
  }
  return totalsOf({ currency, items, breakdown, taxAfterDiscount: !before, taxInclusive: inclusive })
}

const shown = (totals: Totals, currency = 'USD') => ({
  item_total: toMoney(totals.itemTotal, currency).value,
  item_discount: toMoney(-totals.itemDiscount, currency).value,
  invoice_discount: toMoney(-totals.invoiceDiscount, currency).value,
  taxes: [...totals.lines.map(({ tax }) => tax), totals.shippingTax].map((tax) => toMoney(tax, currency).value),
  tax_total: toMoney(totals.taxTotal, currency).value,
  total: toMoney(totals.total, currency).value,
})

describe('The worked examples', () => {
  it('1: discounts on lines and on the invoice, taxed shipping and a custom amount', () => {
    const totals = work({
      lines: [
        ['1', '50.00', '7.25', '5%'],
        ['1', '10.00', '7.25', '5.00'],
      ],
      discount: '5%',
      shipping: ['10.00', '7.25'],
      custom: '10.00',
    })
    expect(shown(totals)).toEqual({
      item_total: '60.00',
      item_discount: '-7.50',
      invoice_discount: '-2.63',
      taxes: ['3.27', '0.34', '0.73'],
      tax_total: '4.34',
      total: '74.21',
    })
  })

  it('2: tax before any discount', () => {
    const totals = work({
      before: true,
      lines: [['4', '25.00', '5', '5%']],
      discount: '5.00',
      shipping: ['10.00'],
      custom: '3.00',
    })
    expect(shown(totals)).toMatchObject({
      item_total: '100.00',
      item_discount: '-5.00',
      invoice_discount: '-5.00',
      tax_total: '5.00',
      total: '108.00',
    })
  })

  // biome-ignore format: a table reads best as a table
  const examples: readonly (readonly [number: number, what: string, Example, taxes: string[], total: string])[] = [
    [3,  'a tenth of a percent after discount',  { lines: [['1', '15', '0.1', '5.00']] }, ['0.01', '0.00'], '10.01'],
    [4,  'a tenth of a percent before discount', { before: true, lines: [['1', '15', '0.1', '5.00']] }, ['0.02', '0.00'], '10.02'],
    [5,  'an invoice discount shared by net price', { lines: [['1', '10', '10'], ['1', '0.75', '3.6']], discount: '6.00' }, ['0.44', '0.01', '0.00'], '5.20'],
    [6,  'the same with tax inside',             { inclusive: true, lines: [['1', '10', '10'], ['1', '0.75', '3.6']], discount: '6.00' }, ['0.40', '0.01', '0.00'], '4.75'],
    [7,  'three taxed lines',                    { lines: [['2', '10', '10'], ['1', '3', '10'], ['1', '0.75', '3.6']] }, ['2.00', '0.30', '0.03', '0.00'], '26.08'],
    [8,  'three lines with tax inside',          { inclusive: true, lines: [['2', '10', '10'], ['1', '3', '10'], ['1', '0.75', '3.6']] }, ['1.82', '0.27', '0.03', '0.00'], '23.75'],
    [9,  'halves of a cent go up, line by line', { lines: [['0.5', '0.05'], ['0.5', '0.05']] }, ['0.00', '0.00', '0.00'], '0.06'],
    [10, 'less than half a cent goes down',      { lines: [['0.45', '0.05'], ['0.45', '0.05']] }, ['0.00', '0.00', '0.00'], '0.04'],
    [11, 'a rate with fifteen decimals',         { lines: [['1', '1.00', '8.749999850988388'], ['1', '1.75', '8.749999850988388']] }, ['0.09', '0.15', '0.00'], '2.99'],
    [12, 'one tax name with two rates',          { lines: [['1', '15', '0.1', '5.00'], ['1', '15', '0.2', '5.00']] }, ['0.01', '0.02', '0.00'], '20.03'],
    [13, 'tax inside is only shown',             { inclusive: true, lines: [['2', '10', '10']] }, ['1.82', '0.00'], '20.00'],
    [14, 'taxed shipping before discount',       { before: true, lines: [['24', '12.99', '8.25'], ['12', '18.50', '8.25']], shipping: ['18.00', '8.25'] }, ['25.72', '18.32', '1.49'], '597.29'],
    [15, 'five lines, one untaxed',              { lines: [['20', '200', '6.25'], ['35', '175', '6.25'], ['12', '45', '6.25'], ['3', '120'], ['1', '1500', '6.25']], discount: '5%' }, ['237.50', '363.67', '32.06', '0.00', '89.06', '0.00'], '12621.04'],
    [16, 'a currency without decimals',          { currency: 'JPY', lines: [['3', '333', '10'], ['1.5', '101', '8', '10%']], discount: '3%', shipping: ['500', '10'] }, ['97', '11', '50'], '1760'],
    [17, 'a currency with three decimals',       { currency: 'TND', lines: [['2.5', '10.125', '19'], ['1', '0.999', '7']], discount: '1.000' }, ['4.627', '0.067', '0.000'], '30.006'],
    [18, 'tax inside, discount and shipping',    { currency: 'EUR', inclusive: true, lines: [['1', '119.00', '19'], ['2', '5.35', '7']], discount: '10%', shipping: ['5.95', '19'] }, ['17.10', '0.63', '0.95'], '122.68'],
    [19, 'tax inside and before discount',       { currency: 'EUR', before: true, inclusive: true, lines: [['1', '119.00', '19', '19.00']], discount: '10.00' }, ['19.00', '0.00'], '90.00'],
    [20, 'a line that takes back',               { lines: [['3', '20.00', '8'], ['-1', '20.00', '8']] }, ['4.80', '-1.60', '0.00'], '43.20'],
    [21, 'tax is rounded line by line',          { lines: [['1', '0.33', '10'], ['1', '0.33', '10'], ['1', '0.33', '10']] }, ['0.03', '0.03', '0.03', '0.00'], '1.08'],
    [22, 'a quantity with five decimals',        { lines: [['1.33333', '9.99', '8.875']] }, ['1.18', '0.00'], '14.50'],
  ]

  for (const [number, what, example, taxes, total] of examples)
    it(`${number}: ${what}`, () => {
      expect(shown(work(example), example.currency)).toMatchObject({ taxes, total })
    })

  it('12 shows the two rates of one name as two taxes', () => {
    const totals = work({
      lines: [
        ['1', '15', '0.1', '5.00'],
        ['1', '15', '0.2', '5.00'],
      ],
    })
    expect(totals.taxes).toEqual([
      { name: 'VAT', percent: '0.1', amount: 1n },
      { name: 'VAT', percent: '0.2', amount: 2n },
    ])
  })
})

const cents = (max: number) => fc.integer({ min: 0, max }).map((n) => (n / 100).toFixed(2))
const rate = fc.constantFrom('0', '3.6', '5', '7', '7.25', '8.875', '19', '21', '100')
const line = fc.tuple(
  fc.constantFrom('1', '2', '0.5', '3', '12.25', '1.33333', '100'),
  cents(100_000),
  fc.option(rate, { nil: undefined }),
  fc.option(fc.constantFrom('0%', '5%', '12.5%', '100%', '0.01'), { nil: undefined }),
)
const example = fc.record(
  {
    before: fc.boolean(),
    inclusive: fc.boolean(),
    lines: fc.array(line, { maxLength: 8 }),
    discount: fc.constantFrom('5%', '33.333%', '0.07', '1.00', '0'),
    shipping: fc.tuple(cents(5000), rate),
    custom: fc.integer({ min: -5000, max: 5000 }).map((n) => (n / 100).toFixed(2)),
  },
  { requiredKeys: ['lines'] },
) as fc.Arbitrary<Example>

describe('For any invoice', () => {
  it('the order of the items does not matter', () => {
    fc.assert(
      fc.property(example, fc.func(fc.integer()), (input, rank) => {
        const shuffled = [...input.lines].sort((a, b) => rank(a) - rank(b))
        expect({ ...work({ ...input, lines: shuffled }), lines: [], taxes: [] }).toEqual({
          ...work(input),
          lines: [],
          taxes: [],
        })
      }),
    )
  })

  it('no amount is created or lost: the parts add up to the total', () => {
    fc.assert(
      fc.property(example, (input) => {
        const t = work(input)
        const added = t.itemTotal - t.itemDiscount - t.invoiceDiscount + t.shipping + t.custom
        expect(t.total).toBe(added + (input.inclusive ? 0n : t.taxTotal))
        expect(t.taxes.reduce((sum, { amount }) => sum + amount, 0n)).toBe(t.taxTotal)
        expect(t.lines.reduce((sum, { tax }) => sum + tax, t.shippingTax)).toBe(t.taxTotal)
        expect(t.lines.reduce((sum, { gross }) => sum + gross, 0n)).toBe(t.itemTotal)
      }),
    )
  })

  it('inclusive and exclusive taxes agree: a price with its tax added contains that tax', () => {
    fc.assert(
      fc.property(cents(1_000_000), rate, (price, percent) => {
        const outside = work({ lines: [['1', price, percent]] })
        const inside = work({ inclusive: true, lines: [['1', toMoney(outside.total, 'USD').value, percent]] })
        expect(inside.total).toBe(outside.total)
        const apart = inside.taxTotal - outside.taxTotal
        expect(apart >= -1n && apart <= 1n).toBe(true)
      }),
    )
  })

  it('a line that takes back mirrors the line that gives', () => {
    fc.assert(
      fc.property(cents(1_000_000), rate, fc.boolean(), (price, percent, inclusive) => {
        const both = work({
          inclusive,
          lines: [
            ['1', price, percent],
            ['-1', price, percent],
          ],
        })
        expect([both.total, both.taxTotal]).toEqual([0n, 0n])
      }),
    )
  })
})
