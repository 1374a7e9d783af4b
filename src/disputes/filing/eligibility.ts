import { after, type Instant } from '../../kernel/clock.ts'
import { toMinor } from '../../kernel/money.ts'
import type { PaymentTransaction } from '../../ledger/schema.ts'
import { reasonTargets } from '../machine/actions/change-reason.ts'
import { FILING_WINDOW_DAYS } from '../machine/deadlines.ts'
import { disputeLifecycle } from '../machine/lifecycle.ts'
import { firstStage } from '../machine/opening.ts'
import type { Dispute } from '../schema/dispute.ts'
import { type Reason, reasons, type Stage } from '../schema/enums.ts'

export type Ineligibility = 'DISPUTE_ALREADY_EXISTS' | 'TRANSACTION_TOO_OLD' | 'INVALID_TRANSACTION_STATUS'

/** Why no dispute can be opened on a payment, or undefined when one can. */
export function ineligibility(
  payment: PaymentTransaction,
  hasDispute: boolean,
  now: Instant,
): Ineligibility | undefined {
  if (hasDispute) return 'DISPUTE_ALREADY_EXISTS'
  if (after(payment.create_time as Instant, FILING_WINDOW_DAYS * 86_400) < now) return 'TRANSACTION_TOO_OLD'
  const cleared = payment.status === 'COMPLETED' || payment.status === 'PARTIALLY_REFUNDED'
  const left = toMinor(payment.gross) - toMinor(payment.refunded)
  return cleared && left > 0n ? undefined : 'INVALID_TRANSACTION_STATUS'
}

interface Eligibility {
  readonly eligible: readonly { readonly reason: Reason; readonly stage: Stage }[]
  readonly ineligible: readonly { readonly reason: Reason; readonly why: Ineligibility }[]
}

/**
 * The reasons that a dispute on this payment can have: all or none before it is opened, and then those to which it can
 * change.
 */
export function eligibleReasons(
  payment: PaymentTransaction,
  dispute: Dispute | undefined,
  inquiryOptOut: boolean,
  now: Instant,
): Eligibility {
  const why = ineligibility(payment, dispute !== undefined, now)
  const targets = dispute && disputeLifecycle.allows(dispute, ['buyer'], 'change-reason') ? reasonTargets : []
  const isEligible = (reason: Reason) => why === undefined || targets.includes(reason)
  return {
    eligible: reasons
      .filter(isEligible)
      .map((reason) => ({ reason, stage: dispute ? 'CHARGEBACK' : firstStage(reason, 'INTERNAL', inquiryOptOut) })),
    ineligible:
      why === undefined ? [] : reasons.filter((reason) => !isEligible(reason)).map((reason) => ({ reason, why })),
  }
}
