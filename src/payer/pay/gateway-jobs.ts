import { mayBePaid } from '../../invoices/payable.ts'
import { findStored } from '../../invoices/store.ts'
import { type JobDefinition, job } from '../../jobs/job-definition.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import { findRefund } from '../../ledger/store.ts'
import { type Gateway, openGateway } from '../../outbound/gateway.ts'
import type { Outbound } from '../../outbound/http.ts'
import type { Service } from '../../room.ts'
import { pageAddress } from '../page/open-page.ts'
import { findAttempt, grossOf } from './attempts.ts'
import { applyReport } from './gateway.ts'
import { signText } from './gateway-signature.ts'

const minutes = 60
const hours = 60 * minutes
const soon = [1, 5, 15, 30, 1 * minutes, 2 * minutes, 5 * minutes]
const patient = [5, 1 * minutes, 5 * minutes, 30 * minutes, 2 * hours, 6 * hours, 12 * hours, 24 * hours]

interface Named {
  readonly attempt_id: string
}

/** Every call to the payment gateway. A call is made between two units of work, and never inside one. */
export function gatewayJobs(service: Service, ledger: Ledger, outbound: Outbound): JobDefinition[] {
  const parts = { service, ledger }
  const gateway = (now: Instant): Gateway => {
    const { gatewayUrl, gatewaySecrets } = service.settings
    if (gatewayUrl === undefined || gatewaySecrets === undefined)
      throw new Error('A charge needs GATEWAY_URL and GATEWAY_SECRET.')
    return openGateway({ url: gatewayUrl, outbound, sign: (text) => signText(gatewaySecrets[0], text, now) })
  }

  return [
    job<Named>({
      name: 'gateway-charge',
      urgent: true,
      retryAfter: soon,
      async run({ attempt_id }, { db, now, transact }) {
        const found = await findAttempt(db, attempt_id)
        if (found?.attempt.status !== 'OPEN') return
        const { attempt } = found
        const { invoice, account } = await findStored(db, attempt.account_id, attempt.invoice_id)
        if (!mayBePaid(account)) {
          await transact((tx) => applyReport(parts, tx, attempt_id, { status: 'DENIED' }))
          return
        }
        const result = await gateway(now).charge({
          charge_id: attempt.id,
          amount: grossOf(attempt),
          description: `Invoice ${invoice.detail.invoice_number}`,
          return_url: `${pageAddress(service, invoice.id)}/paying/${attempt.id}`,
          callback_url: `${service.publicUrl}/gateway/callback`,
          ...(attempt.buyer.email !== undefined && { payer_email: attempt.buyer.email }),
        })
        await transact((tx) => applyReport(parts, tx, attempt_id, result))
      },
    }),
    job<Named>({
      name: 'gateway-status',
      urgent: true,
      retryAfter: patient,
      async run({ attempt_id }, { db, now, transact }) {
        const found = await findAttempt(db, attempt_id)
        if (!found) return
        const result = await gateway(now).status(attempt_id)
        await transact((tx) => applyReport(parts, tx, attempt_id, result ?? { status: 'UNKNOWN' }))
      },
    }),
    job<{ account_id: string; refund_id: string }>({
      name: 'gateway-refund',
      urgent: true,
      retryAfter: patient,
      async run({ account_id, refund_id }, { db, now }) {
        const found = await findRefund(db, account_id, refund_id)
        const charge_id = found?.transaction.gateway_charge
        if (found && charge_id !== undefined)
          await gateway(now).refund({ refund_id, charge_id, amount: found.refund.amount })
      },
    }),
    job<Named>({
      name: 'gateway-void',
      urgent: true,
      retryAfter: patient,
      async run({ attempt_id }, { db, now }) {
        const found = await findAttempt(db, attempt_id)
        if (found)
          await gateway(now).refund({
            refund_id: `void-${attempt_id}`,
            charge_id: attempt_id,
            amount: grossOf(found.attempt),
          })
      },
    }),
  ]
}
