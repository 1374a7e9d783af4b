import { type Money, toMinor, toMoney } from '../../kernel/money.ts'
import { type Issue, invalid, refused } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { invoiceAction, resettled } from '../action.ts'
import { methods, type Payment, TRANSACTIONS_MAX } from '../schema/given.ts'
import type { Invoice } from '../schema/invoice.ts'
import { Amount, CalendarDay } from '../schema/lines.ts'
import { Contact } from '../schema/parties.ts'
import { Findings, type Sound } from '../sums/check.ts'

const RecordedPayment = Type.Object({
  method: Type.Enum(methods, { issue: 'INVALID_PAYMENT_METHOD' }),
  payment_date: Type.Optional(CalendarDay),
  amount: Type.Optional(Amount),
  note: Type.Optional(Type.String({ maxLength: 2000 })),
  payment_id: Type.Optional(Type.String({ maxLength: 22 })),
  shipping_info: Type.Optional(Contact),
})
type RecordedPayment = Static<typeof RecordedPayment>

/** A recorded amount must be more than nothing. */
export function checkRecorded({ amount }: Sound<{ amount: Money }>): readonly Issue[] {
  const found = new Findings()
  if (amount?.value !== undefined && Number(amount.value) === 0)
    found.add('/amount/value', 'VALUE_CANNOT_BE_ZERO', 'The amount must be more than nothing.', amount.value)
  else found.money('/amount', amount, { min: 0, max: Number.MAX_SAFE_INTEGER })
  return found.issues
}

export function requireCurrency(invoice: Invoice, amount: Money | undefined, field = 'amount'): void {
  const { currency_code } = invoice.detail
  if (amount && amount.currency_code !== currency_code)
    throw invalid(`/${field}/currency_code`, `The invoice is in ${currency_code}.`, 'NOT_SUPPORTED')
}

export function requireRoom(entries: readonly unknown[], code: string): void {
  if (entries.length >= TRANSACTIONS_MAX) throw refused(code, `An invoice holds at most ${TRANSACTIONS_MAX} of these.`)
}

/** Notes money that reached the merchant outside the service. */
export const recordPayment = invoiceAction('record-payment', {
  summary: 'Record a payment made outside the service',
  body: RecordedPayment,
  check: checkRecorded,
  decide(invoice, { amount, method, payment_date, note, shipping_info }: RecordedPayment, context) {
    requireCurrency(invoice, amount)
    requireRoom(invoice.payments, 'CANNOT_PROCESS_PAYMENTS')
    const due = toMinor(invoice.due_amount)
    const paid = amount ? toMinor(amount) : due
    if (due === 0n) throw refused('CANNOT_PROCESS_PAYMENTS', 'Nothing is due on this invoice.')
    if (paid > due)
      throw refused(
        'PAYMENT_AMOUNT_GREATER_THAN_AMOUNT_DUE',
        `At most ${invoice.due_amount.value} ${invoice.due_amount.currency_code} is due.`,
        '/amount/value',
      )
    const payment: Payment = {
      type: 'EXTERNAL',
      payment_id: context.newId('record'),
      payment_date: payment_date ?? context.today,
      method,
      ...(note !== undefined && { note }),
      amount: toMoney(paid, invoice.detail.currency_code),
      ...(shipping_info && { shipping_info }),
      transaction_status: 'SUCCESS',
    }
    return resettled(invoice, { payments: [...invoice.payments, payment] }, context)
  },
})
