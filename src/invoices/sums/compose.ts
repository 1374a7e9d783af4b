import { addDays, type Day } from '../../kernel/clock.ts'
import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import { type Issue, Problem } from '../../kernel/problem.ts'
import { derivedCode } from '../schema/codes.ts'
import type { InvoiceInput, PaymentTerm } from '../schema/given.ts'
import type { Invoice } from '../schema/invoice.ts'
import type { AmountSummary, Discount, Item, Tax } from '../schema/lines.ts'
import { type Totals, taxKey, totalsOf } from './totals.ts'

const TAXES_MAX = 10

/** What is needed to compose an invoice, besides the document. */
export interface ComposeContext {
  readonly accountId: string
  newId(kind: 'item'): string
  /** Ids of items that exist already. An item that is sent back keeps its id. */
  readonly itemIds?: ReadonlySet<string>
  /** Whether the least to be paid at once came from a template. Then a smaller invoice can be made all the same. */
  readonly isMinimumCopied?: boolean
  /** Whether the items are still to come, as in a template without items. Then nothing can be said about the total. */
  readonly isOpen?: boolean
}

/** The parts of an invoice that follow from what the merchant wrote. */
export type Composed = Pick<
  Invoice,
  'invoicer' | 'primary_recipients' | 'additional_recipients' | 'items' | 'configuration' | 'amount'
> & {
  readonly detail: Omit<Invoice['detail'], 'metadata'>
}

/** Everything a merchant may leave out has been filled in before it comes here, except what has a fixed default. */
export type Complete = Omit<InvoiceInput, 'detail'> & {
  readonly detail: InvoiceInput['detail'] & { readonly invoice_number: string; readonly invoice_date: string }
}

type Attached = Pick<InvoiceInput['detail'], 'attachments'>

/** The files with the time since when each is there. A file keeps its time if it stays or was copied. */
export const attachedSince = ({ attachments }: Attached, before: Attached | undefined, now: string): Attached =>
  attachments === undefined
    ? {}
    : {
        attachments: attachments.map((file) => {
          const isSame = ({ id, reference_url }: typeof file) => id === file.id && reference_url === file.reference_url
          return { ...file, create_time: before?.attachments?.find(isSame)?.create_time ?? file.create_time ?? now }
        }),
      }

/** Works out totals, due date and ids, and refuses what contradicts itself. */
export function compose(input: Complete, context: ComposeContext): Composed {
  const { term, terms_and_conditions = term, metadata: _, ...detail } = input.detail
  const payment_term = paymentTerm(detail.payment_term, detail.invoice_date)
  const parts = composeLines(input, context)
  const problems = [...parts.problems]
  // Years of more than four digits are written with a sign in front.
  if (payment_term.due_date?.startsWith('+'))
    problems.unshift({
      issue: 'INVALID_DUE_DATE',
      field: '/detail/payment_term/term_type',
      description: `${payment_term.term_type} from ${detail.invoice_date} leads beyond 9999-12-31, the last day there is.`,
    })
  // Nobody can tell which of the two is meant. With other terms, the date may simply be what they lead to.
  else if (detail.payment_term?.due_date !== undefined && payment_term.term_type === 'NO_DUE_DATE')
    problems.unshift({
      issue: 'INVALID_DUE_DATE',
      field: '/detail/payment_term/due_date',
      description: 'NO_DUE_DATE stands beside no date: leave it out, or say DUE_ON_DATE_SPECIFIED.',
      value: detail.payment_term.due_date,
    })
  else if (payment_term.due_date !== undefined && payment_term.due_date < detail.invoice_date)
    problems.unshift({
      issue: 'INVALID_DUE_DATE',
      field: '/detail/payment_term/due_date',
      description: `The due date cannot lie before the invoice date ${detail.invoice_date}.`,
    })
  if (problems.length > 0) throw new Problem(422, 'UNPROCESSABLE_ENTITY', problems)
  return {
    detail: {
      ...detail,
      ...(terms_and_conditions !== undefined && { terms_and_conditions }),
      category_code: detail.category_code ?? 'SHIPPABLE',
      payment_term,
      viewed_by_recipient: false,
      group_draft: false,
      archived: false,
    },
    invoicer: input.invoicer ?? {},
    primary_recipients: input.primary_recipients ?? [],
    additional_recipients: input.additional_recipients ?? [],
    items: parts.items,
    configuration: parts.configuration,
    amount: parts.amount,
  }
}

type Lines = Pick<InvoiceInput, 'items' | 'configuration' | 'amount'> & { detail: { currency_code: string } }

/** The part that invoices and templates have in common. */
export function composeLines(input: Lines, context: ComposeContext) {
  const currency = input.detail.currency_code
  const mismatches = otherCurrencies(input, currency)
  const items = input.items ?? []
  const breakdown = input.amount?.breakdown
  const configuration = withDefaults(input.configuration)
  const itemIds = new Set(context.itemIds)
  const totals = totalsOf({
    currency,
    items,
    breakdown,
    taxAfterDiscount: configuration.tax_calculated_after_discount,
    taxInclusive: configuration.tax_inclusive,
  })
  const { allow_partial_payment, minimum_amount_due: minimum } = configuration.partial_payment
  const isTooMuch = minimum !== undefined && toMinor(minimum) > totals.total
  return {
    items: items.map((item, i) => composeItem(item, totals.lines[i]!, currency, { ...context, itemIds })),
    configuration:
      isTooMuch && context.isMinimumCopied
        ? { ...configuration, partial_payment: { allow_partial_payment } }
        : configuration,
    amount: summaryOf(totals, items.length > 0, breakdown, currency, context),
    // If amounts are of several currencies, their sums cannot be judged.
    problems: mismatches.length > 0 ? mismatches : contradictions(totals, minimum, currency, context),
  }
}

function contradictions(
  totals: Totals,
  minimum: Money | undefined,
  currency: string,
  { isOpen = false, isMinimumCopied = false }: ComposeContext,
): Issue[] {
  const problems: Issue[] = []
  if (totals.taxes.length > TAXES_MAX)
    problems.push({
      issue: 'TOO_MANY_TAXES',
      field: '/items',
      description: `An invoice has at most ${TAXES_MAX} different taxes.`,
    })
  if (!isOpen && totals.total < 0n)
    problems.push({
      issue: 'INVALID_TOTAL_AMOUNT',
      field: '/amount/value',
      description: `The total would be ${toMoney(totals.total, currency).value}; it cannot be negative.`,
    })
  const isBounded = !isOpen && !isMinimumCopied
  if (minimum && (toMinor(minimum) <= 0n || (isBounded && toMinor(minimum) > totals.total)))
    problems.push({
      issue: 'INVALID_TOTAL_AMOUNT',
      field: '/configuration/partial_payment/minimum_amount_due/value',
      description: 'The minimum must be more than nothing and at most the total.',
    })
  return problems
}

function otherCurrencies({ items = [], amount, configuration }: Lines, currency: string): Issue[] {
  const breakdown = amount?.breakdown
  const moneys: [string, Money | undefined][] = [
    ...items.flatMap((item, i): [string, Money | undefined][] => [
      [`/items/${i}/unit_amount`, item.unit_amount],
      [`/items/${i}/discount/amount`, item.discount?.amount],
    ]),
    ['/configuration/partial_payment/minimum_amount_due', configuration?.partial_payment?.minimum_amount_due],
    ['/amount/breakdown/discount/invoice_discount/amount', breakdown?.discount?.invoice_discount?.amount],
    ['/amount/breakdown/shipping/amount', breakdown?.shipping?.amount],
    ['/amount/breakdown/custom/amount', breakdown?.custom?.amount],
  ]
  return moneys.flatMap(([field, money]) =>
    money === undefined || money.currency_code === currency
      ? []
      : [
          {
            issue: 'CURRENCY_CODE_MISMATCH',
            field: `${field}/currency_code`,
            value: money.currency_code,
            description: `Every amount must be in the invoice's currency, ${currency}.`,
          },
        ],
  )
}

const withDefaults = ({ partial_payment, ...given }: NonNullable<InvoiceInput['configuration']> = {}) => {
  const allow = partial_payment?.allow_partial_payment ?? false
  const minimum = allow ? partial_payment?.minimum_amount_due : undefined
  return {
    ...given,
    tax_calculated_after_discount: given.tax_calculated_after_discount ?? true,
    tax_inclusive: given.tax_inclusive ?? false,
    allow_tip: given.allow_tip ?? false,
    partial_payment: {
      allow_partial_payment: allow,
      ...(minimum && { minimum_amount_due: toMoney(toMinor(minimum), minimum.currency_code) }),
    },
  }
}

function composeItem(
  { id, discount, tax, ...item }: Item,
  line: Totals['lines'][number],
  currency: string,
  context: ComposeContext & { readonly itemIds: Set<string> },
): Item {
  return {
    // Whoever copies a line copies its id as well. The second line is then an item of its own.
    id: id !== undefined && context.itemIds.delete(id) ? id : context.newId('item'),
    ...item,
    unit_amount: toMoney(toMinor(item.unit_amount), currency),
    ...(tax && { tax: { ...composeTax(tax, context), amount: toMoney(line.tax, currency) } }),
    ...(discount && hasContent(discount) && { discount: composeDiscount(discount, line.discount, currency) }),
  }
}

const hasContent = ({ percent, amount }: Discount) => percent !== undefined || amount !== undefined

const composeDiscount = ({ percent }: Discount, amount: bigint, currency: string): Discount => ({
  ...(percent !== undefined && { percent }),
  amount: toMoney(-amount, currency),
})

/** The same tax of a merchant has the same id wherever it appears. */
function composeTax({ name, percent, tax_note }: Tax, { accountId }: ComposeContext): Tax {
  return { id: taxId(accountId, { name, percent }), name, percent, ...(tax_note !== undefined && { tax_note }) }
}

function taxId(accountId: string, tax: Pick<Tax, 'name' | 'percent'>): string {
  return `TAX-${derivedCode(`${accountId}\u0000${taxKey(tax)}`)}`
}

function summaryOf(
  totals: Totals,
  hasItems: boolean,
  given: AmountSummary['breakdown'],
  currency: string,
  context: ComposeContext,
): AmountSummary & Money {
  const money = (minor: bigint) => toMoney(minor, currency)
  const { shipping, custom } = given ?? {}
  const invoiceDiscount = given?.discount?.invoice_discount ?? {}
  return {
    ...money(totals.total),
    breakdown: {
      ...(hasItems && { item_total: money(totals.itemTotal) }),
      discount: {
        item_discount: money(-totals.itemDiscount),
        invoice_discount: composeDiscount(invoiceDiscount, totals.invoiceDiscount, currency),
      },
      tax_total: money(totals.taxTotal),
      ...(shipping?.amount && {
        shipping: {
          amount: money(totals.shipping),
          ...(shipping.tax && { tax: { ...composeTax(shipping.tax, context), amount: money(totals.shippingTax) } }),
        },
      }),
      ...(custom && { custom: { label: custom.label, amount: money(totals.custom) } }),
    },
  }
}

/** The terms as they are stored. The due date follows from the issue date, unless the caller fixed one. */
function paymentTerm(given: PaymentTerm | undefined, invoiceDate: string): PaymentTerm & { term_type: string } {
  const { term_type, due_date } = given ?? {}
  if (term_type === undefined)
    return due_date === undefined ? { term_type: 'NO_DUE_DATE' } : { term_type: 'DUE_ON_DATE_SPECIFIED', due_date }
  if (term_type === 'NO_DUE_DATE') return { term_type }
  if (term_type === 'DUE_ON_DATE_SPECIFIED') return due_date === undefined ? { term_type } : { term_type, due_date }
  const days = term_type === 'DUE_ON_RECEIPT' ? 0 : Number(term_type.slice('NET_'.length))
  // Dates were checked to be days before this is called.
  return { term_type, due_date: addDays(invoiceDate as Day, days) }
}
