import type { Dispute, Side } from '../schema/dispute.ts'
import type { DisputeStateName } from '../schema/enums.ts'
import { disputeLifecycle } from './lifecycle.ts'

const waitsFor = { WAITING_FOR_SELLER_RESPONSE: 'seller', WAITING_FOR_BUYER_RESPONSE: 'buyer' } as const

/** The single state that a dispute has for a side: what that side has to do, or what it waits for. */
export function stateFor(dispute: Dispute, side: Side): DisputeStateName {
  const { status, dispute_life_cycle_stage } = dispute
  switch (status) {
    case 'OPEN':
      return dispute_life_cycle_stage === 'INQUIRY' ? 'OPEN_INQUIRIES' : 'UNDER_REVIEW'
    case 'WAITING_FOR_SELLER_RESPONSE':
    case 'WAITING_FOR_BUYER_RESPONSE':
      return waitsFor[status] === side ? 'REQUIRED_ACTION' : 'REQUIRED_OTHER_PARTY_ACTION'
    case 'UNDER_REVIEW':
      return 'UNDER_REVIEW'
    case 'RESOLVED':
      return disputeLifecycle.allows(dispute, [side], 'appeal') ? 'APPEALABLE' : 'RESOLVED'
  }
}

/** The time by which each side must answer. Only the side that is waited for has one. */
export function dueDates({ status, timer }: Pick<Dispute, 'status' | 'timer'>) {
  return {
    ...(status === 'WAITING_FOR_BUYER_RESPONSE' && timer && { buyer_response_due_date: timer.due }),
    ...(status === 'WAITING_FOR_SELLER_RESPONSE' && timer && { seller_response_due_date: timer.due }),
  }
}

/** Which side came out on top, as one side sees it. */
export function wonOrLost(outcomeCode: string, side: Side): 'WON' | 'LOST' | undefined {
  if (outcomeCode === 'NONE') return undefined
  const sellerWon = outcomeCode !== 'RESOLVED_BUYER_FAVOUR'
  return sellerWon === (side === 'seller') ? 'WON' : 'LOST'
}
