import { after } from '../../../kernel/clock.ts'
import { Money, minorDigits, normalise, toMinor } from '../../../kernel/money.ts'
import { refused } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import type { Dispute } from '../../schema/dispute.ts'
import { DocumentInput, Note } from '../../schema/given.ts'
import { disputeAction } from '../action.ts'
import { isSound, refuseIssues } from '../amounts.ts'
import { attach } from '../attachments.ts'
import { NOT_NOW } from '../lifecycle.ts'
import { limits } from '../limits.ts'

/** Return postage up to this many units of the currency is paid without asking; more is denied. */
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
  decide(dispute, { amount, note, documents = [] }, { now, uploads }) {
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
    const paid = toMinor(amount) <= COMPENSATION_MAX * 10n ** BigInt(minorDigits(currency_code))
    const exact = normalise(amount)
    const [files = []] = attach([documents], uploads, '/documents')
    const credit = {
      party: 'BUYER',
      type: 'CREDIT',
      amount: exact,
      initiated_time: now,
      reason: 'DISPUTE_SETTLEMENT',
    } as const
    return {
      outcome: 'answered',
      changes: {
        compensation: {
          status: paid ? 'PAID' : 'DENIED',
          amount: exact,
          ...(note !== undefined && { note }),
          ...(files.length > 0 && { documents: files }),
          create_time: now,
        },
        ...(paid && { fund_movements: [...(dispute.fund_movements ?? []), credit] }),
      },
      money: paid ? [{ move: 'pay-buyer', amount: exact }] : [],
    }
  },
})

function refuseWithoutReturn({ status, flow, returned_time, update_time }: Dispute, now: string): void {
  const inTime = after(update_time, COMPENSATION_DAYS * 86_400) >= now
  if (returned_time !== undefined && (flow === 'ACK' || (status === 'RESOLVED' && inTime))) return
  throw refused(NOT_NOW, `Possible once a return is on its way, and for ${COMPENSATION_DAYS} days after it ended.`)
}
