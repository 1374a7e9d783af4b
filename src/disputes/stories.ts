import type { Money } from '../kernel/money.ts'
import { NOT_AS_DESCRIBED, NOT_RECEIVED } from './schema/enums.ts'

/** One line of a story: who does what, how the service answers, and where the dispute then stands. */
export interface StoryStep {
  readonly who: 'buyer' | 'seller' | 'another merchant' | 'time'
  /** The name of an action, or `open`, `read`, `patch`. For time, a duration. */
  readonly does: string
  readonly with?: unknown
  /** The status, with the issue of a refusal. */
  readonly answer?: string
  /** Stage and status as the seller reads them, with the state for the seller. */
  readonly stands?: string
}

export interface Story {
  readonly title: string
  readonly tells: string
  readonly steps: readonly StoryStep[]
}

const usd = (value: string): Money => ({ currency_code: 'USD', value })
const notNow = '422 ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE'
const address = { address_line_1: '14 Return Road', admin_area_2: 'San Jose', country_code: 'US' }
const tracking = [{ carrier_name: 'FEDEX', tracking_number: '122533485' }]
const sellerToAct = 'INQUIRY / WAITING_FOR_SELLER_RESPONSE / REQUIRED_ACTION'
const buyerToAct = 'INQUIRY / WAITING_FOR_BUYER_RESPONSE / REQUIRED_OTHER_PARTY_ACTION'
const claimToAnswer = 'CHARGEBACK / WAITING_FOR_SELLER_RESPONSE / REQUIRED_ACTION'
const claimReview = 'CHARGEBACK / UNDER_REVIEW / UNDER_REVIEW'
const opening = (reason: string, value: string) => ({
  disputed_transactions: [{ buyer_transaction_id: 'BUYERPAYMENT01' }],
  reason,
  dispute_amount: usd(value),
})
const evidence = (evidence_type: string, more: object) => ({ evidences: [{ evidence_type, ...more }] })

/** Five stories. The documentation prints them, and the tests live through them. */
// biome-ignore format: a story reads best line by line
export const stories: readonly Story[] = [
  {
    title: 'A partial offer, accepted',
    tells: 'The seller offers part of the money during the inquiry and the buyer takes it. The rest of the hold is released.',
    steps: [
      { who: 'buyer',  does: 'open',         with: opening(NOT_RECEIVED, '20.00'), answer: '201', stands: sellerToAct },
      { who: 'seller', does: 'send-message', with: { message: 'We are looking for your parcel.' }, answer: '200', stands: sellerToAct },
      { who: 'seller', does: 'make-offer',   with: { note: 'Another one?', offer_type: 'REPLACEMENT_WITHOUT_REFUND' }, answer: '400 INVALID_OFFER_TYPE' },
      { who: 'seller', does: 'make-offer',   with: { note: 'Part of it?', offer_type: 'REFUND', offer_amount: usd('8.00') }, answer: '200', stands: buyerToAct },
      { who: 'seller', does: 'make-offer',   with: { note: 'Or this?', offer_type: 'REFUND', offer_amount: usd('9.00') }, answer: notNow },
      { who: 'buyer',  does: 'accept-offer', with: {}, answer: '200', stands: 'INQUIRY / RESOLVED / RESOLVED' },
      { who: 'seller', does: 'appeal',       with: evidence('OTHER', { notes: 'No.' }), answer: notNow },
    ],
  },
  {
    title: 'Refund after return',
    tells: 'The item is not what was described. The seller wants it back first, so the buyer is answered 202: the money moves later.',
    steps: [
      { who: 'buyer',  does: 'open',             with: opening(NOT_AS_DESCRIBED, '48.00'), answer: '201', stands: sellerToAct },
      { who: 'seller', does: 'make-offer',       with: { note: 'Send it back.', offer_type: 'REFUND_WITH_RETURN', offer_amount: usd('48.00') }, answer: '400 MISSING_RETURN_SHIPPING_ADDRESS' },
      { who: 'seller', does: 'make-offer',       with: { note: 'Send it back.', offer_type: 'REFUND_WITH_RETURN', offer_amount: usd('48.00'), return_shipping_address: address }, answer: '200', stands: buyerToAct },
      { who: 'buyer',  does: 'accept-offer',     with: {}, answer: '202', stands: buyerToAct },
      { who: 'buyer',  does: 'provide-evidence', with: evidence('PROOF_OF_RETURN', { evidence_info: { tracking_info: tracking } }), answer: '200', stands: sellerToAct },
      { who: 'seller', does: 'acknowledge-return-item', with: { acknowledgement_type: 'ITEM_RECEIVED' }, answer: '200', stands: 'INQUIRY / RESOLVED / RESOLVED' },
    ],
  },
  {
    title: 'Escalation, decision, appeal',
    tells: 'The seller loses, pays the refund and a fee, appeals with something new, and gets the money back from the service.',
    steps: [
      { who: 'buyer',  does: 'open',             with: opening(NOT_RECEIVED, '100.00'), answer: '201', stands: sellerToAct },
      { who: 'seller', does: 'adjudicate',       with: { adjudication_outcome: 'SELLER_FAVOR' }, answer: notNow },
      { who: 'buyer',  does: 'escalate',         with: { note: 'Nobody answers.' }, answer: '200', stands: claimToAnswer },
      { who: 'seller', does: 'send-message',     with: { message: 'Wait.' }, answer: notNow },
      { who: 'seller', does: 'provide-evidence', with: evidence('PROOF_OF_FULFILLMENT', { evidence_info: { tracking_info: tracking } }), answer: '200', stands: claimReview },
      { who: 'seller', does: 'require-evidence', with: { action: 'BUYER_EVIDENCE' }, answer: '200', stands: 'CHARGEBACK / WAITING_FOR_BUYER_RESPONSE / REQUIRED_OTHER_PARTY_ACTION' },
      { who: 'buyer',  does: 'provide-evidence', with: evidence('OTHER', { notes: 'Nothing in the post.' }), answer: '200', stands: claimReview },
      { who: 'seller', does: 'adjudicate',       with: { adjudication_outcome: 'BUYER_FAVOR' }, answer: '200', stands: 'CHARGEBACK / RESOLVED / APPEALABLE' },
      { who: 'seller', does: 'appeal',           with: evidence('PROOF_OF_REFUND', { evidence_info: { refund_ids: ['REFUND-1'] } }), answer: '200', stands: 'PRE_ARBITRATION / UNDER_REVIEW / UNDER_REVIEW' },
      { who: 'seller', does: 'adjudicate',       with: { adjudication_outcome: 'SELLER_FAVOR' }, answer: '200', stands: 'PRE_ARBITRATION / RESOLVED / RESOLVED' },
    ],
  },
  {
    title: 'A billing claim, given in to',
    tells: 'Anything but merchandise starts as a claim. The seller agrees that too much was charged; no fee is due.',
    steps: [
      { who: 'buyer',  does: 'open',             with: opening('INCORRECT_AMOUNT', '20.00'), answer: '201', stands: claimToAnswer },
      { who: 'seller', does: 'escalate',         with: {}, answer: notNow },
      { who: 'seller', does: 'provide-evidence', with: evidence('PROOF_OF_FULFILLMENT', { evidence_info: { tracking_info: tracking } }), answer: '400 INVALID_EVIDENCE_TYPE_PROOF_OF_FULFILLMENT' },
      { who: 'seller', does: 'provide-evidence', with: evidence('PROOF_OF_REFUND', {}), answer: '400 MISSING_REFUND_ID' },
      { who: 'seller', does: 'accept-claim',     with: { note: 'Part.', accept_claim_type: 'PARTIAL_REFUND', refund_amount: usd('5.00') }, answer: '400 INVALID_ACCEPT_CLAIM_TYPE' },
      { who: 'seller', does: 'accept-claim',     with: { note: 'All.', accept_claim_type: 'REFUND', refund_amount: usd('5.00') }, answer: '400 AMOUNT_SHOULD_NOT_BE_PASSED' },
      { who: 'seller', does: 'accept-claim',     with: {}, answer: '400 MISSING_REQUIRED_PARAMETER' },
      { who: 'seller', does: 'accept-claim',     with: { note: 'Our mistake.', accept_claim_reason: 'COMPANY_POLICY' }, answer: '200', stands: 'CHARGEBACK / RESOLVED / RESOLVED' },
    ],
  },
  {
    title: 'Nobody answers',
    tells: 'A claim the seller does not answer is decided for the buyer after ten days, at the end of the day in Los Angeles. Ten more days, and it is final.',
    steps: [
      { who: 'buyer',  does: 'open',     with: opening(NOT_RECEIVED, '20.00'), answer: '201', stands: sellerToAct },
      { who: 'seller', does: 'patch',    with: [{ op: 'add', path: '/communication_details', value: { email: 'help@example.com', note: 'Write to us.' } }], answer: '204', stands: sellerToAct },
      { who: 'seller', does: 'patch',    with: [{ op: 'replace', path: '/status', value: 'RESOLVED' }], answer: '422 NOT_PATCHABLE' },
      { who: 'buyer',  does: 'escalate', with: {}, answer: '200', stands: claimToAnswer },
      { who: 'time',   does: 'P12D', stands: 'CHARGEBACK / RESOLVED / APPEALABLE' },
      { who: 'another merchant', does: 'read', answer: '404 INVALID_RESOURCE_ID' },
      { who: 'time',   does: 'P12D', stands: 'CHARGEBACK / RESOLVED / RESOLVED' },
      { who: 'seller', does: 'appeal',   with: evidence('OTHER', { notes: 'Too late.' }), answer: notNow },
    ],
  },
]
