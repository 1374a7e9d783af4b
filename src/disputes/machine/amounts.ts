import { isSound, type Money, minorDigits, toMinor } from '../../kernel/money.ts'
import { type Issue, Problem } from '../../kernel/problem.ts'
import type { Dispute } from '../schema/dispute.ts'
import { allowedRefund } from './payments.ts'

/** Issues of an amount the seller proposes: positive, of the dispute's currency, and, if bounded, no more than is left. */
export function amountIssues(
  dispute: Dispute,
  amount: Money,
  issue: string,
  field: string,
  { bounded = true } = {},
): Issue[] {
  const limit = allowedRefund(dispute)
  const problem = (description: string): Issue[] => [{ issue, field, description, value: amount.value }]
  if (amount.currency_code !== limit.currency_code) return problem(`The dispute is in ${limit.currency_code}.`)
  if (!isSound(amount))
    return problem(`${amount.currency_code} has ${minorDigits(amount.currency_code)} decimal places.`)
  if (toMinor(amount) <= 0n) return problem('The amount must be more than zero.')
  if (bounded && toMinor(amount) > toMinor(limit))
    return problem(`At most ${limit.value} ${limit.currency_code} can be refunded.`)
  return []
}

export function refuseIssues(issues: readonly Issue[]): void {
  if (issues.length > 0) throw new Problem(400, 'VALIDATION_ERROR', issues)
}
