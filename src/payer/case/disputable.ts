import type { Tx } from '../../database/transaction.ts'
import { type Ineligibility, ineligibility } from '../../disputes/filing/eligibility.ts'
import { type DisputeOfPayment, findDisputeOf } from '../../disputes/store.ts'
import type { StoredInvoice } from '../../invoices/store.ts'
import type { PaymentTransaction } from '../../ledger/schema.ts'
import { findTransactionsOfInvoice } from '../../ledger/store.ts'

/** A payment that went through the service, the case about it that stands, and why there can be none now. */
export interface Disputable {
  readonly payment: PaymentTransaction
  readonly dispute: DisputeOfPayment | undefined
  readonly why: Ineligibility | undefined
}

/** The payments of an invoice that arrived. */
export async function disputable(tx: Tx, { account, invoice }: StoredInvoice): Promise<Disputable[]> {
  const payments = await findTransactionsOfInvoice(tx, account.id, invoice.id)
  const made = payments.filter(({ status }) => status !== 'PENDING' && status !== 'DECLINED')
  return Promise.all(
    made.map(async (payment) => {
      const found = await findDisputeOf(tx, account.id, payment.id)
      const dispute = found?.withdrawn ? undefined : found
      return { payment, dispute, why: ineligibility(payment, dispute !== undefined, tx.now) }
    }),
  )
}

/** What the payer of an invoice finds behind its link to a problem: a form, a case that they opened, or nothing. */
export async function problemOf(tx: Tx, stored: StoredInvoice): Promise<'report' | 'follow' | undefined> {
  if (!stored.invoice.payments.some(({ type }) => type === 'SERVICE')) return undefined
  const payments = await disputable(tx, stored)
  if (payments.some(({ why }) => why === undefined)) return 'report'
  return payments.some(({ dispute }) => dispute) ? 'follow' : undefined
}
