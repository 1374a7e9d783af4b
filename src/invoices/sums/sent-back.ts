import { toMinor } from '../../kernel/money.ts'
import type { InvoiceInput } from '../schema/given.ts'
import type { Discount, Item } from '../schema/lines.ts'
import { type Contact, joinedName } from '../schema/parties.ts'
import { isByPercent, lineOf, netOf } from './totals.ts'

/** The parts of an invoice or a template that are shown in more than one way. */
type Document = Pick<InvoiceInput, 'invoicer' | 'primary_recipients' | 'items' | 'amount'> & {
  readonly detail?: {
    readonly term?: string
    readonly terms_and_conditions?: string
    readonly payment_term?: { readonly term_type?: string; readonly due_date?: string }
  }
}

/**
 * Clients change what they got and send all of it back. Some of it is there twice, or was worked out from something else.
 * What they mean is the part that differs from what they were shown.
 */
export function readSentBack<Given extends Document>(given: Given, before: Document): Given {
  const { detail, invoicer, primary_recipients, items, amount } = given
  const terms = detail && meant(before.detail?.terms_and_conditions, detail.terms_and_conditions, detail.term)
  return {
    ...given,
    ...(detail && {
      detail: {
        ...detail,
        ...(terms !== undefined && { terms_and_conditions: terms }),
        ...withFreshTerm(detail, before.detail),
      },
    }),
    ...(invoicer && { invoicer: withFreshName(invoicer, before.invoicer) }),
    ...(primary_recipients && {
      primary_recipients: primary_recipients.map((recipient, i) => {
        const { billing_info, shipping_info } = recipient
        const was = before.primary_recipients?.[i]
        return {
          ...recipient,
          ...(billing_info && { billing_info: withFreshName(billing_info, was?.billing_info) }),
          ...(shipping_info && { shipping_info: withFreshName(shipping_info, was?.shipping_info) }),
        }
      }),
    }),
    ...(items && { items: itemsWithFreshDiscounts(items, before.items ?? []) }),
    ...(amount && { amount: withFreshDiscount(amount, before) }),
  }
}

/** If the terms become NO_DUE_DATE, the due date that was shown beside the old terms goes away with them. */
function withFreshTerm({ payment_term: term }: NonNullable<Document['detail']>, before: Document['detail']) {
  const isGone = term?.term_type === 'NO_DUE_DATE' && term.due_date === before?.payment_term?.due_date
  return isGone ? { payment_term: { term_type: term.term_type } } : {}
}

/** One value that stands in two places: takes the one that was changed. The first, if both were changed or neither. */
export const meant = (
  before: string | undefined,
  first: string | undefined,
  second: string | undefined,
): string | undefined => (first === undefined || first === before ? (second ?? first) : first)

/** A full name that we made from the parts is made again from the present parts. */
function withFreshName<One extends Contact>(contact: One, before: Contact | undefined): One {
  const { name } = contact
  if (!name || !before?.name || name.full_name !== joinedName(before.name)) return contact
  if (name.given_name === undefined && name.surname === undefined) return contact
  const { full_name: _, ...parts } = name
  return { ...contact, name: parts }
}

function itemsWithFreshDiscounts(items: readonly Item[], before: readonly Item[]): Item[] {
  const known = new Map(before.map((item) => [item.id, item]))
  return items.map((item) => {
    const was = item.id === undefined ? undefined : known.get(item.id)
    const { discount } = item
    return was?.discount && discount ? { ...item, discount: freshDiscount(discount, was.discount, lineOf(was)) } : item
  })
}

function withFreshDiscount(amount: NonNullable<Document['amount']>, before: Document): NonNullable<Document['amount']> {
  const given = amount.breakdown?.discount?.invoice_discount
  const was = before.amount?.breakdown?.discount?.invoice_discount
  if (!given || !was) return amount
  const discount = { ...amount.breakdown?.discount, invoice_discount: freshDiscount(given, was, netOf(before.amount)) }
  return { ...amount, breakdown: { ...amount.breakdown, discount } }
}

/** If the amount that followed from a percentage is sent back as shown, it is worked out again from the present percentage. */
function freshDiscount(given: Discount, before: Discount, of: bigint): Discount {
  const { percent, amount } = given
  if (percent === undefined || !amount || !before.amount || !isByPercent(before, of)) return given
  const isAsShown = amount.currency_code === before.amount.currency_code && toMinor(amount) === toMinor(before.amount)
  return isAsShown ? { percent } : given
}
