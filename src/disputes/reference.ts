import type { RoomReference } from '../kernel/reference.ts'
import { filingIssues } from './issues.ts'
import { actionIssues } from './machine/issues.ts'
import { disputeFields } from './schema/fields.ts'
import { otherDisputeFields } from './schema/other-fields.ts'

const changeReason =
  'The buyer finds that what never came did come, and is not what was described. The dispute becomes a claim for the new reason, and the seller is asked again.'

export const disputesReference: RoomReference = {
  operations: {
    validateDisputeEligibility:
      'Before a buyer writes anything: for which reasons the payment can be disputed now, where such a dispute would begin, and why the other reasons are closed.',
    computeDisputeMetrics:
      'Figures for a dashboard: how many disputes, or how much money, by status, reason, outcome or state. Only disputes that the caller sees count.',
    suggestDisputeSearches: 'What somebody who types into a search field might mean, from what the caller may see.',
    listDisputes:
      'The disputes of the caller that changed within the last 180 days, newest first, by any of a dozen criteria. The links lead to the next page, also past the fiftieth.',
    createDispute:
      'A buyer disputes a payment, for a reason and perhaps for a part of it. What is disputed is held back from the seller, who is told and has to answer in time. About goods or services it begins as an inquiry between the two, about anything else as a claim. Files go along as parts of a form.',
    showDispute:
      'The whole dispute as this caller sees it: the conversation, evidence, offers, money and deadlines, and in `links` exactly the actions that are possible now.',
    updateDispute:
      'Changes how the seller is reached about this dispute, or adds what a partner does about it. A JSON patch; all of it is done or nothing.',
    disputeProvideEvidence:
      'Answers with proof: tracking, refunds, files, notes. The party that is asked sends it, and the dispute goes on to review; a buyer who sends the item back proves it in the same way.',
    disputeAppeal:
      'The side that lost has ten days to bring something new. The decision is looked at again; there are two appeals.',
    disputeAcceptClaim:
      'The seller gives in: a full refund, a refund for the returned item, or a part that the buyer may refuse. A full refund ends the dispute at once; with a return the money moves later.',
    disputeAdjudicate:
      'Decides a dispute that is under review. In a sandbox the parties play the agent; in live only the operator may.',
    disputeRequireEvidence:
      'Asks one side for evidence before deciding; it has three days. In a sandbox the parties play the agent; in live only the operator may.',
    disputeEscalate:
      'Ends the talking: the inquiry becomes a claim, the seller has to answer it, and an agent decides if need be.',
    disputeSendMessage: 'Writes to the other side during an inquiry, with up to ten files.',
    disputeMakeOffer:
      'The seller proposes a way out of an inquiry: money, money for the item, or another item. The buyer accepts or denies it; an offer of all that is asked for ends the dispute at once.',
    disputeAcceptOffer:
      'The buyer takes the offer. Money moves at once and the dispute is over, unless the item has to go back first: then the answer is 202.',
    disputeDenyOffer:
      'The buyer does not take the offer. In an inquiry the seller is to answer again, in a claim an agent decides.',
    disputeAcknowledgeReturnItem:
      'The seller says whether the item came back and how. If it did as it should, the buyer is refunded and the dispute is over; otherwise an agent looks at it.',
    disputeProvideSupportingInfo:
      'A note with files for the agent who decides, at any time during a claim or an appeal. It moves nothing by itself.',
    disputeCancel:
      'The buyer lets the dispute go, or some of its payments. The money is the seller’s again, and the same payment cannot be disputed a second time.',
    disputeChangeReason: changeReason,
    changeDisputeReasonOldName: `${changeReason} An older address of disputeChangeReason.`,
    downloadDisputeDocument: 'A file of a dispute, for those who may see it. It always comes as an attachment.',
    showRequest: 'What became of a request that was answered with 202, by the id in its link.',
    provideRefundPreference:
      'The buyer says where a refund should go, or whether money is wanted before the decision. It is kept; nothing else changes.',
    requestReturnCompensation:
      'The buyer paid for sending an item back and asks the service for the postage, once, with a receipt.',
    showReturnCompensation: 'Whether the postage was asked for, paid or denied.',
    answerReturnCompensation: 'The operator pays the postage or denies it.',
    showPartnerAction: 'One thing that a partner did, or will do, about a dispute.',
    updatePartnerAction: 'A partner tells how far its action is, or changes its amount. A JSON patch.',
    simulateChargeback:
      'What a bank would do, on request: a claim, or an alert of one, on a payment of the merchant. A dispute between the parties about the same payment gives way to it.',
    receiveDisputeEvent:
      'Takes in an event of another system in the form of CloudEvents. It is kept for as long as events are and changes nothing.',
    referDispute:
      'A marketplace tells of a dispute that it decides itself, so that the service knows of it. No money moves here.',
    listReferredDisputes: 'What the partner referred, newest first.',
    showReferredDispute: 'A referred dispute with what was told about it since.',
    processReferredRefund: 'The marketplace tells that it gave money back.',
    processReferredAdjudication: 'The marketplace tells how it decided; that closes the referred dispute.',
    validateReferredDisputeEligibility: 'Whether a payment can still be referred, before anything is told about it.',
  },
  fields: { ...disputeFields, ...otherDisputeFields },
  issues: [...filingIssues, ...actionIssues],
}
