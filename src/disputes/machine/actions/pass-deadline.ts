import { Type } from '../../../kernel/type.ts'
import type { Dispute, Side } from '../../schema/dispute.ts'
import { type ActionContext, type Decision, disputeAction } from '../action.ts'
import { withoutRequests } from '../evidence.ts'
import { judge } from '../judgement.ts'
import { refundReturn } from '../returns.ts'
import { end, inTurn, release } from '../settlement.ts'

/** A timer is up: what a dispute does if nobody acted. */
export const passDeadline = disputeAction('pass-deadline', {
  summary: 'Do what the deadline says',
  scopes: [],
  body: Type.Object({}),
  decide(dispute, _input, context): Decision<'pass-deadline'> {
    const name = dispute.timer?.name
    switch (name) {
      case 'inquiry': {
        const closing = end('CANCELED_BY_BUYER', 'BUYER_CANCELLED_CASE')
        return { outcome: 'inquiry ended', ...inTurn(dispute, release(context), closing) }
      }
      case 'seller-answer':
        return lapse(dispute, 'seller silent', 'buyer', 'NO_SELLER_RESPONSE', context)
      case 'seller-proof':
        return lapse(dispute, 'seller silent', 'buyer', 'NO_SELLER_RESPONSE_FOR_ADDITIONAL_INFO_REQUEST', context)
      case 'buyer-proof':
        return lapse(dispute, 'buyer silent', 'seller', 'NO_RESPONSE_FROM_BUYER_FOR_ADDITIONAL_INFO_REQUEST', context)
      case 'claim-offer':
        return lapse(dispute, 'offer unanswered', 'seller', 'NO_RESPONSE_FROM_BUYER', context)
      case 'accelerated-answer':
        return { outcome: 'decide on what is there', changes: { evidences: withoutRequests(dispute.evidences) } }
      case 'return': {
        const closing = end('RESOLVED_SELLER_FAVOUR', 'PROOF_OF_TRACKING_NOT_SUBMITTED')
        return { outcome: 'not returned', ...inTurn(dispute, release(context), closing) }
      }
      case 'acknowledgement': {
        const closing = end('RESOLVED_BUYER_FAVOUR', 'VALID_RETURN_DELIVERY_PROOF')
        const paying = refundReturn(dispute, 'clock', context)
        return { outcome: 'return not acknowledged', ...inTurn(dispute, paying, closing) }
      }
      case 'review': {
        const { autoAdjudicate } = context.rules
        // The timer was started by a service that decides by itself, but this one does not.
        if (autoAdjudicate === 'off') return { outcome: 'left to an agent', changes: {} }
        const winner = autoAdjudicate === 'BUYER_FAVOR' ? 'buyer' : 'seller'
        return lapse(dispute, 'decided', winner, 'DECISION_BASED_ON_AVAILABLE_INFORMATION', context)
      }
      case 'appeal-window':
        return { outcome: 'appeal window closed', changes: {} }
      case 'alert':
        return { outcome: 'alert ended', ...inTurn(dispute, release(context), end('NONE')) }
      default:
        throw new Error(`No deadline of dispute ${dispute.dispute_id} can pass: its timer is ${name ?? 'off'}.`)
    }
  },
})

type Lapse = 'seller silent' | 'buyer silent' | 'offer unanswered' | 'decided'

function lapse(
  dispute: Dispute,
  lapse: Lapse,
  winner: Side,
  reason: string,
  context: ActionContext,
): Decision<'pass-deadline'> {
  const { appealable, ...effect } = judge(dispute, { winner, reason }, context)
  return { outcome: `${lapse}, ${appealable ? 'appealable' : 'final'}`, ...effect }
}
