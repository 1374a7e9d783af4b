import { Type } from '../../../kernel/type.ts'
import { Note } from '../../schema/given.ts'
import { disputeAction } from '../action.ts'
import { withOfferEvent } from '../offers.ts'
import { withReturnAddress } from '../returns.ts'

/** The buyer turns the offer down. The seller has to answer again, or an agent decides. */
export const denyOffer = disputeAction('deny-offer', {
  summary: 'Deny the offer',
  scopes: ['disputes/update-buyer'],
  body: Type.Object({ note: Note }),
  decide(dispute, { note }, context) {
    const { offer_type: type = 'REFUND', seller_offered_amount: amount } = dispute.offer
    // An address beside a partial refund was given for the case of a denial, so it is kept. The address of a return goes
    // with the offer.
    const kept = type === 'REFUND' && dispute.offered_address && withReturnAddress(dispute, dispute.offered_address)
    return {
      outcome: 'denied',
      changes: {
        ...kept,
        offer: withOfferEvent(dispute, 'DENIED', { type, amount, note, private: true }, context),
        offered_address: undefined,
        offered_invoice_id: undefined,
      },
    }
  },
})
