import { acceptClaim } from './accept-claim.ts'
import { acceptOffer } from './accept-offer.ts'
import { acknowledgeReturnItem } from './acknowledge-return-item.ts'
import { adjudicate } from './adjudicate.ts'
import { appeal } from './appeal.ts'
import { cancel } from './cancel.ts'
import { changeReason } from './change-reason.ts'
import { denyOffer } from './deny-offer.ts'
import { escalate } from './escalate.ts'
import { followPayment } from './follow-payment.ts'
import { makeOffer } from './make-offer.ts'
import { passDeadline } from './pass-deadline.ts'
import { patch } from './patch.ts'
import { provideEvidence } from './provide-evidence.ts'
import { provideRefundPreference } from './provide-refund-preference.ts'
import { provideSupportingInfo } from './provide-supporting-info.ts'
import { requireEvidence } from './require-evidence.ts'
import { answerCompensation, returnCompensation } from './return-compensation.ts'
import { sendMessage } from './send-message.ts'
import { supersede } from './supersede.ts'
import { triage } from './triage.ts'
import { updatePartnerAction } from './update-partner-action.ts'

/** Every action of the table. A table row without an action here, or the other way round, does not compile. */
export const disputeActions = {
  'provide-evidence': provideEvidence,
  appeal,
  'accept-claim': acceptClaim,
  adjudicate,
  'require-evidence': requireEvidence,
  escalate,
  'send-message': sendMessage,
  'make-offer': makeOffer,
  'accept-offer': acceptOffer,
  'deny-offer': denyOffer,
  'acknowledge-return-item': acknowledgeReturnItem,
  'provide-supporting-info': provideSupportingInfo,
  cancel,
  'change-reason': changeReason,
  'provide-refund-preference': provideRefundPreference,
  'return-compensation': returnCompensation,
  'answer-compensation': answerCompensation,
  patch,
  'update-partner-action': updatePartnerAction,
  triage,
  'pass-deadline': passDeadline,
  supersede,
  'follow-payment': followPayment,
} as const

/** The actions people take by name, as the last part of an address. */
export const publicActions = [
  'provide-evidence',
  'appeal',
  'accept-claim',
  'adjudicate',
  'require-evidence',
  'escalate',
  'send-message',
  'make-offer',
  'accept-offer',
  'deny-offer',
  'acknowledge-return-item',
  'provide-supporting-info',
  'cancel',
  'change-reason',
] as const
export type PublicAction = (typeof publicActions)[number]
