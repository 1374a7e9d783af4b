import type { Tx } from '../../database/transaction.ts'
import { agreed } from '../../invoices/payable.ts'
import { findStored, type StoredInvoice } from '../../invoices/store.ts'
import { after } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { ChargeResult } from '../../outbound/gateway.ts'
import type { Service } from '../../room.ts'
import { type Attempt, findAttempt, saveAttempt } from './attempts.ts'
import { chargeRowsFor, type Heard, type Step, secondsUntilAsked } from './charge-lifecycle.ts'
import { conclude, tellReturned } from './pay.ts'
import { settlePayment } from './settle.ts'

interface Parts {
  readonly service: Service
  readonly ledger: Ledger
}

/** What was heard of a charge, with what else the gateway said about it. */
export type Report = Omit<ChargeResult, 'status'> & { readonly status: Heard }

/**
 * Carries out what became of a charge, as the table says. Undefined if there is no such try. The invoice and the try are
 * read once and guarded: if anybody changes one of them in between, the work starts over and finds the change.
 */
export async function applyReport(parts: Parts, tx: Tx, id: string, report: Report): Promise<Attempt | undefined> {
  const found = await findAttempt(tx, id)
  if (!found) return undefined
  const { attempt, version } = found
  const stored = await findStored(tx, attempt.account_id, attempt.invoice_id)
  const ageSeconds = ageOf(tx, attempt)
  const [row] = chargeRowsFor(attempt.status, report.status, { isDue: isDue(stored, attempt), ageSeconds })
  if (!row) throw new Error(`The table does not say what ${report.status} means for ${attempt.status}.`)

  let changed: Attempt = { ...attempt, ...detailsOf(attempt, report), status: row.to }
  const steps: Record<Step, () => unknown> = {
    async capture() {
      const outcome = row.to as 'COMPLETED' | 'PENDING' | 'DENIED'
      changed = (await conclude(parts, tx, stored, { ...changed, gateway_reference: report.reference ?? id }, outcome))
        .attempt
    },
    settle: () =>
      settlePayment(parts, tx, {
        accountId: attempt.account_id,
        captureId: attempt.capture_id!,
        outcome: row.to as 'COMPLETED' | 'DENIED',
      }),
    reverse: () => conclude(parts, tx, stored, changed, 'REVERSED'),
    void() {
      tx.enqueue({ name: 'gateway-void', payload: named(attempt), key: `gateway-void:${id}` })
      tellReturned(tx, stored, attempt)
    },
    'ask again': () => askAgain(tx, attempt, secondsUntilAsked(ageSeconds)),
  }
  for (const step of row.does) await steps[step]()
  if (!row.does.includes('ask again')) tx.withdraw(askKey(id))
  if (changed.status !== attempt.status || changed.redirect_url !== attempt.redirect_url)
    saveAttempt(tx, version, changed)
  return changed
}

const ageOf = (tx: Tx, { create_time }: Attempt) => (Date.parse(tx.now) - Date.parse(create_time)) / 1000

/** Where the payer must go is kept only as long as they still can. */
const detailsOf = ({ status }: Attempt, { redirect_url }: Report): Pick<Attempt, 'redirect_url'> =>
  status === 'OPEN' && redirect_url !== undefined ? { redirect_url } : {}

/**
 * Whether it can still be paid: while the payer was away, the invoice may have changed, or its merchant may have been
 * suspended.
 */
function isDue(stored: StoredInvoice, attempt: Attempt): boolean {
  try {
    agreed(stored, attempt)
    return true
  } catch (error) {
    if (error instanceof Problem) return false
    throw error
  }
}

const named = ({ account_id, id }: Attempt) => ({ account_id, attempt_id: id })
const askKey = (attemptId: string) => `gateway-status:${attemptId}`

/** Has the gateway charge the payer. */
export function startCharge(tx: Tx, attempt: Attempt): void {
  tx.enqueue({ name: 'gateway-charge', payload: named(attempt), key: `gateway-charge:${attempt.id}` })
  askAgain(tx, attempt, secondsUntilAsked(0))
}

/** Asks the gateway later, even if its callback comes. */
function askAgain(tx: Tx, attempt: Attempt, seconds: number): void {
  tx.enqueue({
    name: 'gateway-status',
    payload: named(attempt),
    runAt: after(tx.now, seconds),
    key: askKey(attempt.id),
    replace: true,
  })
}
