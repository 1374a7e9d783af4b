import type { Tx } from '../../database/transaction.ts'
import { type Ineligibility, ineligibility } from '../../disputes/filing/eligibility.ts'
import { type DisputeOfPayment, findDisputed, findDisputeOf } from '../../disputes/store.ts'
import type { StoredInvoice } from '../../invoices/store.ts'
import type { PaymentTransaction } from '../../ledger/schema.ts'
import { findTransactionsOfInvoice } from '../../ledger/store.ts'

/** A payment that went through the service, the open or decided case about it, and why no case can be opened now. */
export interface Disputable {
  readonly payment: PaymentTransaction
  readonly dispute: DisputeOfPayment | undefined
  readonly why: Ineligibility | undefined
}

async function arrived(tx: Tx, { account, invoice }: StoredInvoice): Promise<PaymentTransaction[]> {
  const payments = await findTransactionsOfInvoice(tx, account.id, invoice.id)
  return payments.filter(({ status }) => status !== 'PENDING' && status !== 'DECLINED')
}

/** The payments of an invoice that arrived. */
export async function disputable(tx: Tx, stored: StoredInvoice): Promise<Disputable[]> {
  const { account } = stored
  return Promise.all(
    (await arrived(tx, stored)).map(async (payment) => {
      const found = await findDisputeOf(tx, account.id, payment.id)
      const dispute = found?.withdrawn ? undefined : found
      return { payment, dispute, why: ineligibility(payment, dispute !== undefined, tx.now) }
    }),
  )
}

/** What the payer of an invoice finds behind its link to a problem: a form, a case that they opened, or nothing. */
export async function problemOf(tx: Tx, stored: StoredInvoice): Promise<'report' | 'follow' | undefined> {
  if (!stored.invoice.payments.some(({ type }) => type === 'SERVICE')) return undefined
  const payments = await arrived(tx, stored)
  // Two statements, however many payments there are, because every view of the page asks this.
  const disputed = await findDisputed(
    tx,
    payments.map(({ id }) => ({ accountId: stored.account.id, id })),
  )
  if (payments.some((one) => ineligibility(one, disputed.has(one.id), tx.now) === undefined)) return 'report'
  return disputed.size > 0 ? 'follow' : undefined
}
