import { isSound, type Money, minorDigits, toMinor } from '../../kernel/money.ts'
import { breaches, type Issue, Problem } from '../../kernel/problem.ts'
import type { Dispute } from '../schema/dispute.ts'
import { allowedRefund } from './payments.ts'

/**
 * Issues of an amount that the seller proposes: it must be positive, in the dispute's currency and, if bounded, at most what
 * is left.
 */
export function amountIssues(
  dispute: Dispute,
  amount: Money,
  issue: string,
  field: string,
  { bounded = true } = {},
): Issue[] {
  const limit = allowedRefund(dispute)
  const description =
    wrongIn(amount, limit) ??
    (bounded && toMinor(amount) > toMinor(limit)
      ? `At most ${limit.value} ${limit.currency_code} can be refunded.`
      : undefined)
  return description === undefined ? [] : [{ issue, field, description, value: amount.value }]
}

/** Why this amount cannot be one of the dispute, whatever its size. Undefined if it can. */
function wrongIn(amount: Money, { currency_code }: Money): string | undefined {
  if (amount.currency_code !== currency_code) return `The dispute is in ${currency_code}.`
  if (!isSound(amount)) return `${currency_code} has ${minorDigits(currency_code)} decimal places.`
  return toMinor(amount) > 0n ? undefined : 'The amount must be more than zero.'
}

/** Refuses to dispute or to charge back nothing, more than is left, or an amount that does not fit the payment's currency. */
export function requireDisputable(amount: Money, left: Money, field: string): void {
  const wrong = wrongIn(amount, left)
  if (wrong !== undefined || toMinor(amount) > toMinor(left))
    throw breaches('INVALID_DISPUTE_AMOUNT', wrong ?? `At most ${left.value} ${left.currency_code} is left.`, field)
}

export function refuseIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new Problem(400, 'VALIDATION_ERROR', issues)
}
