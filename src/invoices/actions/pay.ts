import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import { refused } from '../../kernel/problem.ts'
import { type ActionContext, type Decision, invoiceAction, resettled } from '../action.ts'
import type { Invoice, StoredPayment } from '../schema/invoice.ts'
import { atMost } from '../sums/settlement.ts'
import { requireCurrency, requireRoom } from './record-payment.ts'

/** A payment the service processed. `transaction_id` is the ledger's name for it. */
export interface ServicePayment {
  readonly transaction_id: string
  /** Without the tip. */
  readonly amount: Money
  readonly tip?: Money
  readonly pending: boolean
}

/** The least and the most that the hosted page takes now. */
export function payableRange({ due_amount, configuration }: Invoice): { least: bigint; most: bigint } {
  const most = toMinor(due_amount)
  const { allow_partial_payment = false, minimum_amount_due } = configuration.partial_payment ?? {}
  if (!allow_partial_payment) return { least: most, most }
  const minimum = minimum_amount_due ? toMinor(minimum_amount_due) : 1n
  return { least: atMost(minimum, most), most }
}

function requirePayable(invoice: Invoice, { amount, tip }: ServicePayment): void {
  requireCurrency(invoice, amount)
  requireCurrency(invoice, tip)
  requireRoom(invoice.payments, 'CANNOT_PROCESS_PAYMENTS')
  const { least, most } = payableRange(invoice)
  const paid = toMinor(amount)
  const shown = (minor: bigint) => toMoney(minor, invoice.detail.currency_code).value
  if (most === 0n) throw refused('CANNOT_PROCESS_PAYMENTS', 'Nothing is due on this invoice.')
  if (paid > most)
    throw refused('PAYMENT_AMOUNT_GREATER_THAN_AMOUNT_DUE', `At most ${shown(most)} is due.`, '/amount/value')
  if (paid < least || paid <= 0n)
    throw refused('PAYMENT_AMOUNT_LESS_THAN_MINIMUM', `At least ${shown(least)} must be paid.`, '/amount/value')
  if (tip && toMinor(tip) < 0n) throw refused('INVALID_TIP_AMOUNT', 'A tip cannot be negative.', '/tip/value')
  if (tip && toMinor(tip) > 0n && invoice.configuration.allow_tip !== true)
    throw refused('TIP_NOT_ALLOWED', 'This invoice takes no tip.', '/tip')
}

/** A buyer pays on the hosted page. The page's rules bind here; they do not bind recorded payments. */
export const pay = invoiceAction('pay', {
  summary: 'Pay through the service',
  decide(invoice, given: ServicePayment, context) {
    requirePayable(invoice, given)
    const { transaction_id, amount, tip, pending } = given
    const currency = invoice.detail.currency_code
    const payment: StoredPayment = {
      type: 'SERVICE',
      payment_id: transaction_id,
      transaction_type: 'SALE',
      payment_date: context.today,
      payment_date_time: `${context.now.slice(0, 19)}Z`,
      method: 'SERVICE',
      amount: toMoney(toMinor(amount), currency),
      transaction_status: pending ? 'PENDING' : 'SUCCESS',
      ...(tip && toMinor(tip) > 0n && { tip: toMoney(toMinor(tip), currency) }),
    }
    return resettled(invoice, { payments: [...invoice.payments, payment] }, context)
  },
})

const pendingPayment = (invoice: Invoice, id: string): StoredPayment | undefined =>
  invoice.payments.find(({ payment_id, transaction_status }) => payment_id === id && transaction_status === 'PENDING')

function requirePending(invoice: Invoice, id: string): StoredPayment {
  const payment = pendingPayment(invoice, id)
  if (!payment) throw refused('CANNOT_PROCESS_PAYMENTS', 'There is no such pending payment.')
  return payment
}

interface Named {
  readonly transaction_id: string
}

/** A pending payment arrived. */
export const clearPayment = invoiceAction('clear-payment', {
  summary: 'A pending payment clears',
  decide(invoice, { transaction_id }: Named, context): Decision<'clear-payment'> {
    const pending = requirePending(invoice, transaction_id)
    const cleared = { ...pending, transaction_status: 'SUCCESS' }
    const payments = invoice.payments.map((payment) => (payment === pending ? cleared : payment))
    return resettled(invoice, { payments }, context)
  },
})

/** A pending payment was refused: it never was. */
export const denyPayment = invoiceAction('deny-payment', {
  summary: 'A pending payment is refused',
  decide(invoice, { transaction_id }: Named, context: ActionContext): Decision<'deny-payment'> {
    const pending = requirePending(invoice, transaction_id)
    return resettled(invoice, { payments: invoice.payments.filter((payment) => payment !== pending) }, context)
  },
})
