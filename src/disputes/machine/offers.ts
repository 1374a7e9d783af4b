import type { Money } from '../../kernel/money.ts'
import type { Dispute, Offer, OfferEvent } from '../schema/dispute.ts'
import type { OfferType } from '../schema/enums.ts'
import type { ActionContext, Changes } from './action.ts'

interface OfferWords {
  readonly type: OfferType
  readonly amount?: Money | undefined
  readonly note?: string | undefined
  /** Whether only the side that wrote the note may read it. */
  readonly private: boolean
}

/** The offer with one more entry in its history. */
export function withOfferEvent(
  dispute: Dispute,
  event: OfferEvent['event_type'],
  { type, amount, note, private: hidden }: OfferWords,
  { now }: ActionContext,
): Offer {
  const entry: OfferEvent = {
    offer_time: now,
    actor: event === 'PROPOSED' ? 'SELLER' : 'BUYER',
    event_type: event,
    offer_type: type,
    ...(amount && { offer_amount: amount }),
    ...(note !== undefined && { notes: note }),
    ...(hidden && { private: true }),
    dispute_life_cycle_stage: dispute.dispute_life_cycle_stage,
  }
  const { seller_offered_amount, offer_type, ...rest } = dispute.offer
  const proposed =
    event === 'PROPOSED' ? { offer_type: type, seller_offered_amount: amount } : { offer_type, seller_offered_amount }
  return {
    ...rest,
    ...(proposed.offer_type && { offer_type: proposed.offer_type }),
    ...(proposed.seller_offered_amount && { seller_offered_amount: proposed.seller_offered_amount }),
    history: [...(dispute.offer.history ?? []), entry],
  }
}

/** Removes a pending offer or an agreed return. What was said about it stays in the history. */
export function withdrawn(dispute: Dispute): Changes {
  const { seller_offered_amount: _amount, offer_type: _type, ...offer } = dispute.offer
  return { offer, agreed_return: undefined }
}
