import { toMinor, toMoney } from '../../kernel/money.ts'
import { refused } from '../../kernel/problem.ts'
import { type Static, Type } from '../../kernel/type.ts'
import { invoiceAction, resettled } from '../action.ts'
import { methods, type Refund } from '../schema/given.ts'
import { Amount, CalendarDay } from '../schema/lines.ts'
import { recordedLeft } from '../sums/settlement.ts'
import { checkRecorded, requireCurrency, requireRoom } from './record-payment.ts'

const RecordedRefund = Type.Object({
  method: Type.Enum(methods, { issue: 'INVALID_REFUND_METHOD' }),
  refund_date: Type.Optional(CalendarDay),
  amount: Type.Optional(Amount),
})
type RecordedRefund = Static<typeof RecordedRefund>

/** Notes money the merchant gave back outside the service, out of what was recorded as paid. */
export const recordRefund = invoiceAction('record-refund', {
  summary: 'Record a refund made outside the service',
  body: RecordedRefund,
  check: checkRecorded,
  decide(invoice, { amount, method, refund_date }: RecordedRefund, context) {
    requireCurrency(invoice, amount)
    requireRoom(invoice.refunds, 'CANNOT_PROCESS_REFUNDS')
    const left = recordedLeft(invoice)
    const refunded = amount ? toMinor(amount) : left
    const currency = invoice.detail.currency_code
    if (refunded > left)
      throw refused(
        'INVALID_REFUND_AMOUNT',
        `At most ${toMoney(left, currency).value} ${currency} of the recorded payments is left to refund.`,
        '/amount/value',
      )
    if (refunded === 0n) throw refused('CANNOT_PROCESS_REFUNDS', 'All recorded payments are refunded already.')
    const refund: Refund = {
      type: 'EXTERNAL',
      refund_id: context.newId('record'),
      refund_date: refund_date ?? context.today,
      method,
      amount: toMoney(refunded, currency),
    }
    return resettled(invoice, { refunds: [...invoice.refunds, refund] }, context)
  },
})
