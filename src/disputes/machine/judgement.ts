import { toMinor } from '../../kernel/money.ts'
import type { Dispute, Side } from '../schema/dispute.ts'
import type { AdjudicationType } from '../schema/enums.ts'
import type { ActionContext } from './action.ts'
import { owed } from './payments.ts'
import { chargeFee, type Effect, end, inTurn, refund, release, turnReversals } from './settlement.ts'

/** Whether the side that lost may still turn the decision. */
export function mayAppeal(dispute: Dispute, loser: Side, { rules }: ActionContext): boolean {
  if (!dispute.appeals_open || dispute.dispute_life_cycle_stage === 'ARBITRATION') return false
  if (loser === 'buyer' && dispute.dispute_channel !== 'INTERNAL') return false
  return dispute.appeals[loser] < rules.maxAppealsPerParty
}

/** T25 to T27 of the contract: a decision for one side, with the money it moves. */
export function judge(
  dispute: Dispute,
  { winner, reason }: { winner: Side; reason: string },
  context: ActionContext,
): Effect & { readonly appealable: boolean } {
  const loser: Side = winner === 'buyer' ? 'seller' : 'buyer'
  const appealWon = dispute.appellant === winner
  const effect = inTurn(
    dispute,
    record(adjudicationType(dispute, winner), reason, context),
    ...moneyOf(dispute, winner, appealWon, context),
    end(winner === 'buyer' ? 'RESOLVED_BUYER_FAVOUR' : 'RESOLVED_SELLER_FAVOUR', reason),
    () => ({ changes: { lost_by: loser }, money: [] }),
  )
  return { ...effect, appealable: mayAppeal(dispute, loser, context) }
}

function adjudicationType(dispute: Dispute, winner: Side): AdjudicationType {
  const { appellant, adjudications = [] } = dispute
  const earlier = adjudications.at(-1)?.type
  if (appellant !== undefined && appellant !== winner && earlier !== undefined) return earlier
  if (winner === 'buyer') return 'RECOVER_FROM_SELLER'
  return appellant === 'seller' ? 'PAYOUT_TO_SELLER' : 'DENY_BUYER'
}

function moneyOf(dispute: Dispute, winner: Side, appealWon: boolean, context: ActionContext) {
  const onAppeal = dispute.appellant !== undefined
  if (onAppeal && !appealWon) return []
  if (winner === 'buyer') {
    const givingBack = refund(dispute.dispute_amount, { by: 'decision' }, context)
    // A seller who has given everything back without being told to has lost nothing by the decision, and pays no fee.
    return toMinor(owed(dispute)) > 0n ? [givingBack, chargeFee(context)] : [givingBack]
  }
  return onAppeal ? [turnReversals('CANCELLED', context)] : [release(context)]
}

const record =
  (type: AdjudicationType, reason: string, { now }: ActionContext) =>
  (dispute: Dispute): Effect => ({
    changes: {
      adjudications: [
        ...(dispute.adjudications ?? []),
        { type, adjudication_time: now, reason, dispute_life_cycle_stage: dispute.dispute_life_cycle_stage },
      ],
    },
    money: [],
  })
