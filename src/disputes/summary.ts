import { dueDates, stateFor, wonOrLost } from './machine/state.ts'
import type { Dispute, Side } from './schema/dispute.ts'

/** What a list shows of a dispute to one side, less the links, which depend on where the service is reached. */
export function summaryOf(dispute: Dispute, side: Side): object {
  const { dispute_outcome, disputed_transactions, seller } = dispute
  const outcome = dispute_outcome && wonOrLost(dispute_outcome.outcome_code, side)
  return {
    dispute_id: dispute.dispute_id,
    create_time: dispute.create_time,
    update_time: dispute.update_time,
    disputed_transactions: disputed_transactions.map(({ buyer_transaction_id, seller_transaction_id }) => ({
      buyer_transaction_id,
      ...(side === 'seller' && { seller_transaction_id }),
      seller: { merchant_id: seller.account_id },
    })),
    reason: dispute.reason,
    status: dispute.status,
    dispute_state: stateFor(dispute, side),
    dispute_life_cycle_stage: dispute.dispute_life_cycle_stage,
    dispute_channel: dispute.dispute_channel,
    dispute_amount: dispute.dispute_amount,
    ...dueDates(dispute),
    ...(outcome && { outcome }),
  }
}
