import { type JobDefinition, job } from '../jobs/job-definition.ts'
import { Problem } from '../kernel/problem.ts'
import { pinRefund } from '../ledger/store.ts'
import type { Service } from '../room.ts'
import { act, cancelServiceRefund, recordServiceRefund } from './act.ts'
import type { ServiceRefund } from './actions/refund-payment.ts'

const minutes = 60

/** Sends a scheduled invoice. The job may run twice, or late, but the table lets only the first one send. */
const issueInvoice = (service: Service) =>
  job<{ account_id: string; invoice_id: string }>({
    name: 'issue-invoice',
    foretell: ({ invoice_id }) => `Invoice ${invoice_id} goes out to its recipients.`,
    urgent: true,
    retryAfter: [1, 10, 1 * minutes, 5 * minutes, 30 * minutes, 60 * minutes],
    async run({ account_id, invoice_id }, { transact }) {
      await unlessOvertaken(() =>
        transact((tx) => act(service, tx, 'clock', { accountId: account_id, id: invoice_id }, 'issue', undefined)),
      )
    },
  })

/**
 * Updates the invoice after a payment through the service was refunded elsewhere, or such a refund was undone. The ledger
 * says which.
 */
const invoiceServiceRefund = (service: Service) =>
  job<{ account_id: string; invoice_id: string } & ServiceRefund>({
    name: 'invoice-service-refund',
    foretell: ({ invoice_id, refund_id }) => `Refund ${refund_id} is written on invoice ${invoice_id}.`,
    urgent: true,
    retryAfter: [1, 10, 1 * minutes, 5 * minutes, 30 * minutes, 60 * minutes],
    async run({ account_id, invoice_id, ...refund }, { transact }) {
      await transact(async (tx) => {
        const target = { accountId: account_id, id: invoice_id }
        const made = await pinRefund(tx, account_id, refund.refund_id)
        if (made?.status === 'CANCELLED') await cancelServiceRefund(service, tx, target, refund)
        else await recordServiceRefund(service, tx, target, refund)
      })
    },
  })

/** If the invoice was sent by hand, deleted or paid meanwhile, nothing is left to do. */
async function unlessOvertaken(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
  } catch (error) {
    const isOvertaken = error instanceof Problem && (error.status === 404 || error.status === 422)
    if (!isOvertaken) throw error
  }
}

export const invoiceJobs = (service: Service): readonly JobDefinition[] => [
  issueInvoice(service),
  invoiceServiceRefund(service),
]
