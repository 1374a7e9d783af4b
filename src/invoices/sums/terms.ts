import { addDays, type Day } from '../../kernel/clock.ts'
import type { PaymentTerm } from '../schema/given.ts'

/** The terms as they are stored: a due date follows from the issue date unless the caller fixed one. */
export function paymentTerm(given: PaymentTerm | undefined, invoiceDate: string): PaymentTerm & { term_type: string } {
  const { term_type, due_date } = given ?? {}
  if (term_type === undefined)
    return due_date === undefined ? { term_type: 'NO_DUE_DATE' } : { term_type: 'DUE_ON_DATE_SPECIFIED', due_date }
  if (term_type === 'NO_DUE_DATE') return { term_type }
  if (term_type === 'DUE_ON_DATE_SPECIFIED') return due_date === undefined ? { term_type } : { term_type, due_date }
  const days = term_type === 'DUE_ON_RECEIPT' ? 0 : Number(term_type.slice('NET_'.length))
  // Dates were checked to be days before they come here.
  return { term_type, due_date: addDays(invoiceDate as Day, days) }
}
