import type { Account } from '../accounts/schema.ts'
import { type Money, toMinor, toMoney } from '../kernel/money.ts'
import { refused } from '../kernel/problem.ts'
import { requireCurrency, requireRoom } from './actions/record-payment.ts'
import { invoiceLifecycle } from './lifecycle.ts'
import type { Invoice } from './schema/invoice.ts'
import type { StoredInvoice } from './store.ts'
import { atMost } from './sums/settlement.ts'

/** What somebody wants to pay. Everything that is due, unless they say otherwise. */
export interface Wish {
  readonly amount?: Money
  readonly tip?: Money
}

/** The amounts that a wish leads to. */
export interface Agreed {
  /** Without the tip. */
  readonly amount: Money
  readonly tip?: Money
}

/** Whether the hosted page takes money for it. The table decides that. */
export const isPayable = (invoice: Invoice): boolean => invoiceLifecycle.allows(invoice, ['buyer'], 'pay')

/** The least and the most that the hosted page takes now. */
export function payableRange({ due_amount, configuration }: Invoice): { least: bigint; most: bigint } {
  const most = toMinor(due_amount)
  const { allow_partial_payment = false, minimum_amount_due } = configuration.partial_payment ?? {}
  if (!allow_partial_payment) return { least: most, most }
  const minimum = minimum_amount_due ? toMinor(minimum_amount_due) : 1n
  return { least: atMost(minimum, most), most }
}

/** Whether money may be taken for this merchant at all. */
export const mayBePaid = ({ status }: Account): boolean => status === 'ACTIVE'

/** The amount that a wish leads to. Refuses what the hosted page takes from nobody now. */
export function agreed({ invoice, account }: Pick<StoredInvoice, 'invoice' | 'account'>, wish: Wish): Agreed {
  if (!mayBePaid(account)) throw refused('PAYEE_SUSPENDED', 'The merchant cannot be paid while it is suspended.')
  invoiceLifecycle.require(invoice, ['buyer'], 'pay')
  return agreedAmount(invoice, wish)
}

/** The same for an invoice whose status is known to allow a payment. */
export function agreedAmount(invoice: Invoice, wish: Wish): Agreed {
  requireCurrency(invoice, wish.amount)
  requireCurrency(invoice, wish.tip, 'tip')
  requireRoom(invoice.payments, 'CANNOT_PROCESS_PAYMENTS')
  const money = (minor: bigint) => toMoney(minor, invoice.detail.currency_code)
  const { least, most } = payableRange(invoice)
  const amount = wish.amount ? toMinor(wish.amount) : most
  const tip = wish.tip ? toMinor(wish.tip) : 0n
  if (most === 0n) throw refused('CANNOT_PROCESS_PAYMENTS', 'Nothing is due on this invoice.')
  if (amount > most)
    throw refused('PAYMENT_AMOUNT_GREATER_THAN_AMOUNT_DUE', `At most ${money(most).value} is due.`, '/amount/value')
  if (amount < least || amount <= 0n)
    throw refused('PAYMENT_AMOUNT_LESS_THAN_MINIMUM', `At least ${money(least).value} must be paid.`, '/amount/value')
  if (tip < 0n) throw refused('INVALID_TIP_AMOUNT', 'A tip cannot be negative.', '/tip/value')
  if (tip > 0n && invoice.configuration.allow_tip !== true)
    throw refused('TIP_NOT_ALLOWED', 'This invoice takes no tip.', '/tip')
  if (tip > amount)
    throw refused(
      'INVALID_TIP_AMOUNT',
      `A tip can be as much as is paid with it, ${money(amount).value}, and no more.`,
      '/tip/value',
    )
  return { amount: money(amount), ...(tip > 0n && { tip: money(tip) }) }
}
