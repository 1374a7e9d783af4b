import type { Tx } from '../../database/transaction.ts'
import { agreed } from '../../invoices/payable.ts'
import { findStored } from '../../invoices/store.ts'
import { after } from '../../kernel/clock.ts'
import { Problem } from '../../kernel/problem.ts'
import type { Ledger } from '../../ledger/ledger.ts'
import type { ChargeResult } from '../../outbound/gateway.ts'
import type { Service } from '../../room.ts'
import { type Attempt, findAttempt, saveAttempt } from './attempts.ts'
import { conclude } from './pay.ts'
import { settlePayment } from './settle.ts'

const LOOK_AGAIN_SECONDS = 6 * 3_600

/** How long a payer may take on the gateway's own page before the try is given up. */
export const OPEN_SECONDS_MAX = 1_800

/** Carries out what the gateway says became of a charge. Saying it twice changes nothing. */
export async function applyResult(
  parts: { service: Service; ledger: Ledger },
  tx: Tx,
  attemptId: string,
  result: ChargeResult,
): Promise<Attempt | undefined> {
  const found = await findAttempt(tx, attemptId)
  if (!found) return undefined
  const { attempt, version } = found
  const { status, reference, redirect_url } = result

  if (attempt.status === 'PENDING' && (status === 'COMPLETED' || status === 'DENIED')) {
    await settlePayment(parts, tx, { accountId: attempt.account_id, captureId: attempt.capture_id!, outcome: status })
    return saved({ ...attempt, status })
  }
  if (attempt.status !== 'OPEN') return attempt
  if (status === 'ACTION_REQUIRED')
    return redirect_url === undefined || redirect_url === attempt.redirect_url
      ? attempt
      : saved({ ...attempt, redirect_url })

  const stored = await findStored(tx, attempt.account_id, attempt.invoice_id)
  const named: Attempt = { ...attempt, gateway_reference: reference ?? attempt.id }
  const isTaken = status === 'DENIED' || isStillDue()
  const { attempt: concluded } = await conclude(parts, tx, stored, named, isTaken ? status : 'REVERSED')
  if (!isTaken)
    tx.enqueue({
      name: 'gateway-void',
      payload: { account_id: attempt.account_id, attempt_id: attempt.id },
      key: `gateway-void:${attempt.id}`,
    })
  if (concluded.status === 'PENDING') lookAgain(tx, attempt, LOOK_AGAIN_SECONDS)
  else tx.withdraw(statusKey(attempt.id))
  return saved(concluded)

  function saved(changed: Attempt): Attempt {
    saveAttempt(tx, version, changed)
    return changed
  }

  /** The invoice may have been paid, changed or cancelled while the payer was away. */
  function isStillDue(): boolean {
    try {
      agreed(stored.invoice, attempt)
      return true
    } catch (error) {
      if (error instanceof Problem) return false
      throw error
    }
  }
}

/** Gives up a try that the gateway knows nothing of, or that the payer never finished. */
export async function giveUp(parts: { service: Service; ledger: Ledger }, tx: Tx, attemptId: string): Promise<void> {
  const found = await findAttempt(tx, attemptId)
  if (found?.attempt.status !== 'OPEN') return
  const stored = await findStored(tx, found.attempt.account_id, found.attempt.invoice_id)
  const { attempt } = await conclude(parts, tx, stored, found.attempt, 'REVERSED')
  saveAttempt(tx, found.version, attempt)
}

const statusKey = (attemptId: string) => `gateway-status:${attemptId}`

/** Promises to ask the gateway later, whatever becomes of its callback. */
export function lookAgain(tx: Tx, { id, account_id }: Pick<Attempt, 'id' | 'account_id'>, seconds: number): void {
  const runAt = after(tx.now, seconds)
  tx.enqueue({
    name: 'gateway-status',
    payload: { account_id, attempt_id: id },
    runAt,
    key: statusKey(id),
    replace: true,
  })
}
