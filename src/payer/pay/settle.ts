import type { Tx } from '../../database/transaction.ts'
import { settleServicePayment } from '../../invoices/act.ts'
import { hasMailQuota } from '../../invoices/mail-quota.ts'
import { findStored } from '../../invoices/store.ts'
import { type JobDefinition, job } from '../../jobs/job-definition.ts'
import { mailJob } from '../../kernel/mail.ts'
import { notFound } from '../../kernel/problem.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { PaymentTransaction } from '../../ledger/schema.ts'
import { findRefund, findTransaction } from '../../ledger/store.ts'
import type { Service } from '../../room.ts'
import { tellBoth } from './pay.ts'

/** Clears or denies a pending payment, in the ledger and on its invoice. A payment that is settled already stays as it is. */
export async function settlePayment(
  { service, ledger }: { service: Service; ledger: Ledger },
  tx: Tx,
  { accountId, captureId, outcome }: { accountId: string; captureId: string; outcome: 'COMPLETED' | 'DENIED' },
): Promise<PaymentTransaction> {
  const found = await findTransaction(tx, accountId, captureId)
  if (!found) throw notFound('The payment')
  if (found.transaction.status !== 'PENDING') return found.transaction
  const settled = ledger.settle(tx, found, outcome === 'COMPLETED' ? 'COMPLETED' : 'DECLINED')
  const { invoice_id } = settled
  if (invoice_id !== undefined) {
    const target = { accountId, id: invoice_id }
    await settleServicePayment(service, tx, target, { transaction_id: captureId, cleared: outcome === 'COMPLETED' })
    await tellBoth(tx, await findStored(tx, accountId, invoice_id), settled)
  }
  tx.withdraw(`settle-payment:${captureId}`)
  return settled
}

const minutes = 60
const retryAfter = [1, 10, 1 * minutes, 5 * minutes, 30 * minutes, 60 * minutes]

export const settleJobs = (service: Service, ledger: Ledger): JobDefinition[] => [
  job<{ account_id: string; capture_id: string; outcome: 'COMPLETED' | 'DENIED' }>({
    name: 'settle-payment',
    foretell: ({ capture_id, outcome }) =>
      `The pending payment ${capture_id} ${outcome === 'COMPLETED' ? 'clears' : 'is denied'}.`,
    urgent: true,
    retryAfter,
    async run({ account_id, capture_id, outcome }, { transact }) {
      await transact((tx) =>
        settlePayment({ service, ledger }, tx, { accountId: account_id, captureId: capture_id, outcome }),
      )
    },
  }),
  /** Tells the payer of an invoice that money came back. */
  job<{ account_id: string; refund_id: string }>({
    name: 'refund-notice',
    foretell: ({ refund_id }) => `The payer is told by mail of refund ${refund_id}.`,
    retryAfter,
    async run({ account_id, refund_id }, { label, transact }) {
      await transact(async (tx) => {
        const found = await findRefund(tx, account_id, refund_id)
        const { invoice_id, buyer } = found?.transaction ?? {}
        if (!found || invoice_id === undefined || buyer?.email === undefined) return
        // A refund can be as small as a cent, and there can be as many as there are cents. So the mails are limited.
        if (!(await hasMailQuota(service.settings, tx, { accountId: account_id, invoiceId: invoice_id }))) return
        const note = found.refund.note_to_payer
        const mail = { account_id, kind: 'payment-refunded', invoice_id, amount: found.refund.amount } as const
        // Named after this job, so that it stays one mail even if the job runs twice.
        const part_of = { label, part: 0 }
        const words = note === undefined ? {} : { note }
        tx.enqueue(mailJob({ ...mail, to: 'recipient', recipients: [buyer.email], ...words, part_of }))
      })
    },
  }),
]
