import { after, type Instant } from '../../../kernel/clock.ts'
import { isSound, Money, minorDigits, normalise, toMinor } from '../../../kernel/money.ts'
import { refused } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import type { Compensation, Dispute, FundMovement } from '../../schema/dispute.ts'
import { DocumentInput, Note } from '../../schema/given.ts'
import { disputeAction } from '../action.ts'
import { refuseIssues } from '../amounts.ts'
import { attach } from '../attachments.ts'
import { NOT_NOW } from '../lifecycle.ts'
import { limits } from '../limits.ts'

/** Return postage up to this many units of the currency can be paid; a request for more is denied. */
export const COMPENSATION_MAX = 30n
export const COMPENSATION_DAYS = 30

/** The buyer asks the service for the postage of a return. */
export const returnCompensation = disputeAction('return-compensation', {
  summary: 'Ask for compensation of the return postage',
  scopes: ['disputes/update-buyer'],
  body: Type.Object({
    amount: Money,
    note: Type.Optional(Note),
    documents: Type.Optional(Type.Array(DocumentInput, { maxItems: 100 })),
  }),
  files: limits.filesPerRequest,
  decide(dispute, { amount, note, documents = [] }, { now, uploads, rules }) {
    refuseWithoutReturn(dispute, now)
    const { currency_code } = dispute.dispute_amount
    const sound = amount.currency_code === currency_code && isSound(amount) && toMinor(amount) > 0n
    refuseIssues(
      sound
        ? []
        : [
            {
              issue: 'INVALID_COMPENSATION_AMOUNT',
              field: '/amount',
              description: `Send a positive amount of ${currency_code}.`,
            },
          ],
    )
    const exact = normalise(amount)
    const [files = []] = attach([documents], uploads, '/documents')
    const asked: Compensation = {
      status: 'REQUESTED',
      amount: exact,
      ...(note !== undefined && { note }),
      ...(files.length > 0 && { documents: files }),
      create_time: now,
    }
    const isSmall = toMinor(amount) <= COMPENSATION_MAX * 10n ** BigInt(minorDigits(currency_code))
    if (!isSmall) return { outcome: 'answered', changes: { compensation: { ...asked, status: 'DENIED' } } }
    // In live the money is real, and the parties together could draw on the service's funds. So there an agent has to decide.
    return rules.sandbox ? paid(dispute, asked, now) : { outcome: 'asked', changes: { compensation: asked } }
  },
})

/** An agent answers a request for return postage. */
export const answerCompensation = disputeAction('answer-compensation', {
  summary: 'Pay or deny the compensation of return postage',
  scopes: ['disputes/update-seller', 'disputes/update-buyer', 'operator'],
  body: Type.Object({ decision: Type.Enum(['PAY', 'DENY']) }),
  agentsOnly: true,
  decide(dispute, { decision }, { now }) {
    // The table allows this only if there is a request.
    const asked = dispute.compensation!
    if (decision === 'PAY') return paid(dispute, asked, now)
    return { outcome: 'answered', changes: { compensation: { ...asked, status: 'DENIED' } } }
  },
})

/** The service pays the buyer out of its own funds, as long as both parties' quotas last. */
function paid({ fund_movements = [] }: Dispute, asked: Compensation, now: Instant) {
  const credit: FundMovement = {
    party: 'BUYER',
    type: 'CREDIT',
    amount: asked.amount,
    initiated_time: now,
    reason: 'DISPUTE_SETTLEMENT',
  }
  const compensation: Compensation = { ...asked, status: 'PAID' }
  return {
    outcome: 'answered' as const,
    changes: { compensation, fund_movements: [...fund_movements, credit] },
    money: [{ move: 'pay-buyer' as const, amount: asked.amount }],
  }
}

function refuseWithoutReturn({ status, flow, returned_time, ...dispute }: Dispute, now: string): void {
  const inTime = after(dispute.resolved_time ?? dispute.update_time, COMPENSATION_DAYS * 86_400) >= now
  if (returned_time !== undefined && (flow === 'ACK' || (status === 'RESOLVED' && inTime))) return
  throw refused(NOT_NOW, `Possible once a return is on its way, and for ${COMPENSATION_DAYS} days after it ended.`)
}
