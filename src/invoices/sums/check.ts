import { isCurrency, type Money, minorDigits } from '../../kernel/money.ts'
import { type Issue, malformed } from '../../kernel/problem.ts'
import type { InvoiceInput } from '../schema/given.ts'
import type { Discount, Item, Tax } from '../schema/lines.ts'
import { decimalsOf, isBeyondGiven, GIVEN_MAX as MILLION } from './totals.ts'

const QUANTITY_DECIMALS_MAX = 5
/** The most digits before the decimal point, in currencies with and without decimals. */
const WHOLE_DIGITS_MAX = { decimal: 7, integer: 6 }

interface Range {
  readonly min: number
  readonly max: number
}

/** Gathers what is wrong with a request whatever is stored, in the order of the document. */
export class Findings {
  readonly #issues: Issue[] = []

  add(field: string, issue: string, description: string, value?: string): void {
    this.#issues.push({ issue, field, description, ...(value !== undefined && { value }) })
  }

  get issues(): readonly Issue[] {
    return this.#issues
  }

  currency(field: string, code: string | undefined): void {
    if (code !== undefined && !isCurrency(code))
      this.add(field, 'NOT_SUPPORTED', 'This is not a currency of ISO 4217.', code)
  }

  /** Checks decimals and digits against the currency, and the amount against the range of the field. */
  money(field: string, { value, currency_code }: Sound<Money> = {}, range?: Range): void {
    this.currency(`${field}/currency_code`, currency_code)
    if (value === undefined || currency_code === undefined) return
    const decimals = minorDigits(currency_code)
    const [whole = '', fraction = ''] = value.replace('-', '').split('.')
    const digits = whole.replace(/^0+/, '').length
    const most = decimals === 0 ? WHOLE_DIGITS_MAX.integer : WHOLE_DIGITS_MAX.decimal
    const issue = decimals === 0 ? 'INVALID_INTEGER_VALUE' : 'INVALID_DECIMAL_VALUE'
    if (/[^0]/.test(fraction.slice(decimals)) || (decimals === 0 && value.includes('.')))
      this.add(`${field}/value`, issue, `${currency_code} has ${decimals} decimal places.`, value)
    else if (!range && digits > most)
      this.add(`${field}/value`, issue, `At most ${most} digits stand before the decimal point.`, value)
    else if (range && (Number(value) < range.min || Number(value) > range.max))
      this.add(`${field}/value`, issue, `The amount lies between ${range.min} and ${range.max}.`, value)
  }

  percent(field: string, percent: string | undefined): void {
    if (percent !== undefined && (Number(percent) < 0 || Number(percent) > 100))
      this.add(field, 'INVALID_DECIMAL_VALUE', 'A percentage lies between 0 and 100.', percent)
  }
}

const signed: Range = { min: -MILLION, max: MILLION }
const unsigned: Range = { min: 0, max: MILLION }

/** Refuses, telling everything that was found wrong. */
export function refuseWrong(issues: readonly Issue[]): void {
  if (issues.length > 0) throw malformed(...issues.slice(0, 50))
}

/** A document without the parts that break its schema. */
export type Sound<Part> = Part extends object ? { readonly [Key in keyof Part]?: Sound<Part[Key]> | undefined } : Part

/** What is wrong with a document, whatever is stored. */
export function checkInvoice(input: Sound<InvoiceInput>): readonly Issue[] {
  const found = new Findings()
  checkDetail(found, input.detail)
  checkItems(found, '/items', input.items)
  checkAmounts(found, input)
  return found.issues
}

function checkDetail(found: Findings, detail: Sound<InvoiceInput['detail']> = {}, at = '/detail'): void {
  found.currency(`${at}/currency_code`, detail.currency_code)
  if (detail.payment_term?.term_type === 'DUE_ON_DATE_SPECIFIED' && detail.payment_term.due_date === undefined)
    found.add(
      `${at}/payment_term/due_date`,
      'MISSING_REQUIRED_PARAMETER',
      'With DUE_ON_DATE_SPECIFIED the due date must be given.',
    )
}

export function checkItems(found: Findings, at: string, items: Sound<InvoiceInput['items']> = []): void {
  for (const [i, item] of items.entries()) if (item) checkItem(found, `${at}/${i}`, item)
}

function checkItem(found: Findings, at: string, item: Sound<Item>): void {
  const quantity = Number(item.quantity)
  if (quantity < -MILLION || quantity > MILLION || decimalsOf(item.quantity ?? '') > QUANTITY_DECIMALS_MAX)
    found.add(
      `${at}/quantity`,
      'INVALID_DECIMAL_VALUE',
      `A quantity lies between -${MILLION} and ${MILLION} and has at most ${QUANTITY_DECIMALS_MAX} decimals.`,
      item.quantity,
    )
  found.money(`${at}/unit_amount`, item.unit_amount, signed)
  checkTax(found, `${at}/tax`, item.tax)
  checkDiscount(found, `${at}/discount`, item.discount)
}

/** The amounts beside the items, and the least that must be paid at once. */
export function checkAmounts(
  found: Findings,
  input: Sound<Pick<InvoiceInput, 'amount' | 'configuration'>>,
  at = '',
): void {
  found.money(
    `${at}/configuration/partial_payment/minimum_amount_due`,
    input.configuration?.partial_payment?.minimum_amount_due,
  )
  const breakdown = input.amount?.breakdown
  const path = `${at}/amount/breakdown`
  checkDiscount(found, `${path}/discount/invoice_discount`, breakdown?.discount?.invoice_discount)
  found.money(`${path}/shipping/amount`, breakdown?.shipping?.amount, unsigned)
  checkTax(found, `${path}/shipping/tax`, breakdown?.shipping?.tax)
  if (breakdown?.shipping?.tax && !breakdown.shipping.amount)
    found.add(`${path}/shipping/amount`, 'MISSING_REQUIRED_PARAMETER', 'Shipping with a tax needs an amount.')
  found.money(`${path}/custom/amount`, breakdown?.custom?.amount, signed)
}

function checkTax(found: Findings, at: string, tax: Sound<Tax> | undefined): void {
  found.percent(`${at}/percent`, tax?.percent)
}

function checkDiscount(found: Findings, at: string, discount: Sound<Discount> = {}): void {
  const { percent, amount } = discount
  found.percent(`${at}/percent`, percent)
  const isShown = percent !== undefined && amount?.value !== undefined && isBeyondGiven(amount.value)
  found.money(`${at}/amount`, isShown ? undefined : amount, signed)
}
