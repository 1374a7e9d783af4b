import { type Dispute, isTangible } from '../schema/dispute.ts'
import {
  type AcceptClaimType,
  acknowledgementTypes,
  NOT_AS_DESCRIBED,
  NOT_RECEIVED,
  type OfferType,
  offerTypes,
} from '../schema/enums.ts'

/** What a seller may offer in an inquiry. A thing can come back or be replaced; a service cannot. */
export function offerOptions(dispute: Dispute): readonly OfferType[] {
  return dispute.reason === NOT_AS_DESCRIBED && isTangible(dispute) ? offerTypes : ['REFUND']
}

/** How a seller may give in. Other than paying back at once is possible only while the seller is to answer. */
export function acceptClaimOptions(dispute: Dispute): readonly AcceptClaimType[] {
  const { dispute_channel, dispute_life_cycle_stage, status, flow, reason } = dispute
  if (dispute_channel !== 'INTERNAL') return ['REFUND']
  if (reason !== NOT_RECEIVED && reason !== NOT_AS_DESCRIBED) return ['REFUND']
  const inInquiry = dispute_life_cycle_stage === 'INQUIRY'
  const answering = status === 'OPEN' || (status === 'WAITING_FOR_SELLER_RESPONSE' && flow !== 'ACK')
  if (!answering || (!inInquiry && dispute_life_cycle_stage !== 'CHARGEBACK')) return ['REFUND']
  if (reason === NOT_RECEIVED || !isTangible(dispute)) return ['PARTIAL_REFUND', 'REFUND']
  return inInquiry
    ? ['PARTIAL_REFUND', 'REFUND_WITH_RETURN', 'REFUND']
    : ['PARTIAL_REFUND', 'REFUND_WITH_RETURN', 'REFUND_WITH_RETURN_SHIPMENT_LABEL', 'REFUND']
}

export const acknowledgementOptions = () => acknowledgementTypes
