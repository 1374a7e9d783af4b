import { Type } from '../../../kernel/type.ts'
import { Note } from '../../schema/given.ts'
import { disputeAction } from '../action.ts'
import { withOfferEvent } from '../offers.ts'
import { agreeReturn } from '../returns.ts'
import { end, inTurn, refund, release } from '../settlement.ts'

/** The buyer takes the offer: the money moves now, or once the item has come back. */
export const acceptOffer = disputeAction('accept-offer', {
  summary: 'Accept the offer',
  scopes: ['disputes/update-buyer'],
  body: Type.Object({ note: Type.Optional(Note) }),
  bodyOptional: true,
  decide(dispute, { note }, context) {
    const { offer_type: type = 'REFUND', seller_offered_amount: amount } = dispute.offer
    const offer = withOfferEvent(dispute, 'ACCEPTED', { type, amount, note, private: true }, context)
    const agreed = () => ({ changes: { offer, offered_address: undefined, offered_invoice_id: undefined }, money: [] })
    if (type === 'REPLACEMENT_WITHOUT_REFUND' || amount === undefined) {
      const closing = end('RESOLVED_SELLER_FAVOUR', 'INQUIRY_OFFER_ITEM_REPLACED')
      return { outcome: 'replaced', ...inTurn(dispute, agreed, release(context), closing) }
    }
    if (type === 'REFUND_WITH_RETURN') {
      const { offered_address: address, offered_invoice_id: invoiceId } = dispute
      const changes = agreeReturn(dispute, { amount, address, invoiceId }, context)
      return { outcome: 'return agreed', changes: { ...agreed().changes, ...changes } }
    }
    const reason = type === 'REFUND' ? 'PARTIAL_REFUND_OFFER_ACCEPTED' : 'INQUIRY_OFFER_REFUND_WITH_REPLACEMENT'
    const paying = refund(amount, { by: 'seller', invoiceId: dispute.offered_invoice_id }, context)
    return { outcome: 'refunded', ...inTurn(dispute, agreed, paying, end('RESOLVED_BUYER_FAVOUR', reason)) }
  },
})
