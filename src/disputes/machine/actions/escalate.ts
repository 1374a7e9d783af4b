import { Money, normalise } from '../../../kernel/money.ts'
import { Type } from '../../../kernel/type.ts'
import { type Dispute, isOf } from '../../schema/dispute.ts'
import { escalationReasons } from '../../schema/enums.ts'
import { Note } from '../../schema/given.ts'
import { acceleratedAnswer } from '../accelerated.ts'
import { disputeAction } from '../action.ts'
import { amountIssues, refuseIssues } from '../amounts.ts'
import { ask, usualRequest, withoutRequests } from '../evidence.ts'
import { judge } from '../judgement.ts'
import { withdrawn } from '../offers.ts'
import { inTurn } from '../settlement.ts'

/** A party has had enough of talking: the inquiry becomes a claim. */
export const escalate = disputeAction('escalate', {
  summary: 'Escalate the inquiry to a claim',
  scopes: ['disputes/update-seller', 'disputes/update-buyer'],
  body: Type.Object({
    note: Type.Optional(Note),
    buyer_escalation_reason: Type.Optional(Type.Enum([...escalationReasons])),
    buyer_requested_amount: Type.Optional(Money),
  }),
  bodyOptional: true,
  decide(dispute, { note, buyer_escalation_reason: reason, buyer_requested_amount: requested }, context) {
    const { side, now } = context
    const byBuyer = side === 'buyer'
    const amount = byBuyer ? requested : undefined
    if (amount) refuseIssues(amountIssues(dispute, amount, 'INVALID_DISPUTE_AMOUNT', '/buyer_requested_amount'))
    const { offer, ...withdrawal } = withdrawn(dispute)
    const changes = {
      ...withdrawal,
      offer: { ...offer!, ...(amount && { buyer_requested_amount: normalise(amount) }) },
      offered_address: undefined,
      offered_invoice_id: undefined,
      escalation: { by: side, time: now, ...(note !== undefined && { note }), ...(byBuyer && reason && { reason }) },
    }
    if (hasSellerEvidence(dispute))
      return { outcome: 'review', changes: { ...changes, evidences: withoutRequests(dispute.evidences) } }

    const asked = { evidences: ask(dispute, 'seller', usualRequest(dispute.reason, 'seller'), context, 'CHARGEBACK') }
    if (!dispute.accelerated) return { outcome: 'seller to answer', changes: { ...changes, ...asked } }
    const timer = acceleratedAnswer(dispute, context)
    if (timer) return { outcome: 'seller to answer', changes: { ...changes, ...asked }, timer }
    const claim: Dispute = { ...dispute, dispute_life_cycle_stage: 'CHARGEBACK' }
    let appealable = false
    const effect = inTurn(
      claim,
      () => ({ changes, money: [] }),
      (escalated) => {
        const judged = judge(escalated, { winner: 'buyer', reason: 'NO_SELLER_RESPONSE' }, context)
        appealable = judged.appealable
        return judged
      },
    )
    return { outcome: appealable ? 'too late, appealable' : 'too late, final', ...effect }
  },
})

/** Evidence that came with an offer to give in does not count as an answer to the claim. */
const hasSellerEvidence = ({ evidences = [] }: Dispute): boolean =>
  evidences.some((evidence) => isOf('seller', evidence) && evidence.action_info?.action !== 'ACCEPT_CLAIM')
