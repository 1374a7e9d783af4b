import { refused } from '../../kernel/problem.ts'
import { type ActionContext, type Decision, invoiceAction, resettled } from '../action.ts'
import { type Agreed, agreedAmount } from '../payable.ts'
import type { Invoice, StoredPayment } from '../schema/invoice.ts'

/** A payment the service processed. `transaction_id` is the ledger's name for it. */
export interface ServicePayment extends Agreed {
  readonly transaction_id: string
  readonly pending: boolean
}

/** A buyer pays on the hosted page. The rules of the page apply here, but not to recorded payments. */
export const pay = invoiceAction('pay', {
  summary: 'Pay through the service',
  decide(invoice, given: ServicePayment, context) {
    const { transaction_id, pending } = given
    const { amount, tip } = agreedAmount(invoice, given)
    const payment: StoredPayment = {
      type: 'SERVICE',
      payment_id: transaction_id,
      transaction_type: 'SALE',
      payment_date: context.today,
      payment_date_time: `${context.now.slice(0, 19)}Z`,
      method: 'SERVICE',
      amount,
      transaction_status: pending ? 'PENDING' : 'SUCCESS',
      ...(tip && { tip }),
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

/** A pending payment was refused. It counts as if it had never been made. */
export const denyPayment = invoiceAction('deny-payment', {
  summary: 'A pending payment is refused',
  decide(invoice, { transaction_id }: Named, context: ActionContext): Decision<'deny-payment'> {
    const pending = requirePending(invoice, transaction_id)
    return resettled(invoice, { payments: invoice.payments.filter((payment) => payment !== pending) }, context)
  },
})
