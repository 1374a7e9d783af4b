import type { Role } from '../../kernel/caller.ts'
import type { EventType } from '../../kernel/event-types.ts'
import { Lifecycle, type Row } from '../../kernel/lifecycle.ts'
import { Problem } from '../../kernel/problem.ts'
import { type Dispute, type DisputeNode, isTangible, messagesOf, notesOf, submittedBy } from '../schema/dispute.ts'
import { type Finality, type Flow, NOT_AS_DESCRIBED, NOT_RECEIVED } from '../schema/enums.ts'
import { limits } from './limits.ts'
import { hasSomethingLeft } from './payments.ts'

const waiting = ['WAITING_FOR_SELLER_RESPONSE', 'WAITING_FOR_BUYER_RESPONSE'] as const
const unresolved = ['OPEN', ...waiting, 'UNDER_REVIEW'] as const
const triaged = [...waiting, 'UNDER_REVIEW'] as const
const claims = ['CHARGEBACK', 'PRE_ARBITRATION', 'ARBITRATION'] as const
const asked = ['NONE', 'EVIDENCE'] as const

// Where a row starts. The names are those of the states in the documentation.
const opened = { status: 'OPEN' } as const
const inquiry = { dispute_life_cycle_stage: 'INQUIRY', status: unresolved } as const
const inquiryTalk = { dispute_life_cycle_stage: 'INQUIRY', status: ['OPEN', ...waiting] } as const
const inquirySeller = {
  dispute_life_cycle_stage: 'INQUIRY',
  status: ['OPEN', 'WAITING_FOR_SELLER_RESPONSE'],
  flow: asked,
} as const
const inquiryAccept = { dispute_life_cycle_stage: 'INQUIRY', status: ['OPEN', 'WAITING_FOR_SELLER_RESPONSE'] } as const
const inquiryOffer = { dispute_life_cycle_stage: 'INQUIRY', flow: 'OFFER' } as const
const inquiryClock = {
  dispute_life_cycle_stage: 'INQUIRY',
  status: ['OPEN', ...waiting],
  flow: ['NONE', 'OFFER'],
} as const
const claim = { dispute_life_cycle_stage: claims, status: triaged } as const
const claimSeller = {
  dispute_life_cycle_stage: 'CHARGEBACK',
  status: 'WAITING_FOR_SELLER_RESPONSE',
  flow: asked,
} as const
/** An alert of a bank can be in several stages: the bank says in which. */
const alerted = { ...claimSeller, dispute_life_cycle_stage: claims } as const
const claimOffer = { dispute_life_cycle_stage: 'CHARGEBACK', flow: 'OFFER' } as const
const offer = { dispute_life_cycle_stage: ['INQUIRY', 'CHARGEBACK'], flow: 'OFFER' } as const
const sellerAsked = { status: 'WAITING_FOR_SELLER_RESPONSE', flow: asked } as const
const buyerAsked = { status: 'WAITING_FOR_BUYER_RESPONSE', flow: 'EVIDENCE' } as const
const shipping = { flow: 'RETURN' } as const
const shipped = { flow: 'ACK' } as const
const shippedInquiry = { dispute_life_cycle_stage: 'INQUIRY', flow: 'ACK' } as const
const shippedClaim = { dispute_life_cycle_stage: 'CHARGEBACK', flow: 'ACK' } as const
const review = { status: 'UNDER_REVIEW' } as const
const cancellable = { dispute_life_cycle_stage: ['INQUIRY', 'CHARGEBACK'], status: unresolved } as const
const changeableInquiry = {
  dispute_life_cycle_stage: 'INQUIRY',
  status: ['OPEN', ...waiting],
  flow: ['NONE', 'OFFER'],
} as const
const changeableAsked = {
  dispute_life_cycle_stage: 'INQUIRY',
  status: 'WAITING_FOR_SELLER_RESPONSE',
  flow: 'EVIDENCE',
} as const
const lostOnce = {
  dispute_life_cycle_stage: ['INQUIRY', 'CHARGEBACK'],
  status: 'RESOLVED',
  finality: 'APPEALABLE',
} as const
const lostTwice = { dispute_life_cycle_stage: 'PRE_ARBITRATION', status: 'RESOLVED', finality: 'APPEALABLE' } as const
const appealable = { status: 'RESOLVED', finality: 'APPEALABLE' } as const
const alive = { status: unresolved } as const
const over = { status: 'RESOLVED' } as const
const preference = { dispute_life_cycle_stage: 'CHARGEBACK', flow: asked, status: triaged } as const
const anywhere = {} as const

// Where a row leads. Facets that are not named stay as they are.
const same = {} as const
const sellerToAnswer = { status: 'WAITING_FOR_SELLER_RESPONSE', flow: 'NONE' } as const
const sellerToProve = { status: 'WAITING_FOR_SELLER_RESPONSE', flow: 'EVIDENCE' } as const
const buyerToProve = { status: 'WAITING_FOR_BUYER_RESPONSE', flow: 'EVIDENCE' } as const
const buyerToChoose = { status: 'WAITING_FOR_BUYER_RESPONSE', flow: 'OFFER' } as const
const buyerToShip = { status: 'WAITING_FOR_BUYER_RESPONSE', flow: 'RETURN' } as const
const sellerToReceive = { status: 'WAITING_FOR_SELLER_RESPONSE', flow: 'ACK' } as const
const underReview = { status: 'UNDER_REVIEW', flow: 'NONE' } as const
const claimReview = { dispute_life_cycle_stage: 'CHARGEBACK', status: 'UNDER_REVIEW', flow: 'NONE' } as const
const claimToAnswer = {
  dispute_life_cycle_stage: 'CHARGEBACK',
  status: 'WAITING_FOR_SELLER_RESPONSE',
  flow: 'NONE',
} as const
const firstAppeal = {
  dispute_life_cycle_stage: 'PRE_ARBITRATION',
  status: 'UNDER_REVIEW',
  flow: 'NONE',
  finality: 'OPEN',
} as const
const secondAppeal = {
  dispute_life_cycle_stage: 'ARBITRATION',
  status: 'UNDER_REVIEW',
  flow: 'NONE',
  finality: 'OPEN',
} as const
const closed = { status: 'RESOLVED', flow: 'NONE', finality: 'FINAL' } as const
const decided = { status: 'RESOLVED', flow: 'NONE', finality: 'APPEALABLE' } as const
const settledForGood = { finality: 'FINAL' } as const

const updated = 'CUSTOMER.DISPUTE.UPDATED'
const resolved = 'CUSTOMER.DISPUTE.RESOLVED'
const silent = 'nothing'

const guards = {
  'the reason not received': ({ reason }: Dispute) => reason === NOT_RECEIVED,
  'the reason not as described': ({ reason }: Dispute) => reason === NOT_AS_DESCRIBED,
  'a dispute that was opened here': ({ dispute_channel }: Dispute) => dispute_channel === 'INTERNAL',
  'more than an alert': ({ dispute_channel }: Dispute) => dispute_channel !== 'ALERT',
  'a decision against the seller': ({ lost_by }: Dispute) => lost_by === 'seller',
  'a decision against the buyer': ({ lost_by }: Dispute) => lost_by === 'buyer',
  'room for another seller message': (dispute: Dispute) => messagesOf(dispute, 'seller') < limits.messages,
  'room for another buyer message': (dispute: Dispute) => messagesOf(dispute, 'buyer') < limits.messages,
  'room for more seller evidence': (dispute: Dispute) => submittedBy(dispute, 'seller') < limits.evidences,
  'room for more buyer evidence': (dispute: Dispute) => submittedBy(dispute, 'buyer') < limits.evidences,
  'room for another seller note': (dispute: Dispute) => notesOf(dispute, 'seller') < limits.supportingInfo,
  'room for another buyer note': (dispute: Dispute) => notesOf(dispute, 'buyer') < limits.supportingInfo,
  'room for another offer': (dispute: Dispute) =>
    (dispute.offer.history?.length ?? 0) < limits.offerEvents && messagesOf(dispute, 'seller') < limits.messages,
  'something that can be offered': (dispute: Dispute) =>
    hasSomethingLeft(dispute) || (dispute.reason === NOT_AS_DESCRIBED && isTangible(dispute)),
  'no compensation asked for yet': ({ compensation }: Dispute) => compensation === undefined,
  'a compensation that waits for an answer': ({ compensation }: Dispute) => compensation?.status === 'REQUESTED',
}

const flowNames = {
  OFFER: 'an open offer',
  EVIDENCE: 'a request for evidence',
  RETURN: 'a return to be sent',
  ACK: 'a return that was sent',
} as const satisfies Record<Exclude<Flow, 'NONE'>, string>

/** How the parties are told of the flow: what there must be, or what there must not be. */
function flowWords(wanted: readonly Flow[]): string {
  const names = Object.entries(flowNames) as [Flow, string][]
  return wanted.includes('NONE')
    ? names.flatMap(([flow, name]) => (wanted.includes(flow) ? [] : [name.replace(/^an? /, 'no ')])).join(' and ')
    : names.flatMap(([flow, name]) => (wanted.includes(flow) ? [name] : [])).join(' or ')
}

const finalityWords = (wanted: readonly Finality[]) =>
  wanted.includes('APPEALABLE') ? 'a decision that can be appealed' : 'a dispute that is decided'

type DisputeRow = Row<DisputeNode> & {
  readonly t: string
  readonly by: readonly Role[]
  readonly given: readonly (keyof typeof guards)[]
  readonly emits: EventType | typeof silent
}

/** The whole dispute machine on one screen. Read each row as a sentence; `t` is its number in the contract. */
// biome-ignore format: a table reads best as a table
const rows = [
  { t: 'T2',  action: 'triage',                  by: ['clock'],             from: opened,          given: [], outcome: 'seller to answer', to: sellerToAnswer, emits: updated },
  { t: 'T3a', action: 'triage',                  by: ['clock'],             from: opened,          given: [], outcome: 'review',           to: underReview,    emits: updated },
  { t: 'T4',  action: 'send-message',            by: ['seller'],            from: inquiryTalk,     given: ['room for another seller message'], outcome: 'sent', to: same, emits: updated },
  { t: 'T4',  action: 'send-message',            by: ['buyer'],             from: inquiryTalk,     given: ['room for another buyer message'], outcome: 'sent', to: same, emits: updated },
  { t: 'T5',  action: 'make-offer',              by: ['seller'],            from: inquirySeller,   given: ['room for another offer', 'something that can be offered'], outcome: 'proposed', to: buyerToChoose, emits: updated },
  { t: 'T6',  action: 'make-offer',              by: ['seller'],            from: inquirySeller,   given: ['room for another offer', 'something that can be offered'], outcome: 'refunded', to: closed, emits: resolved },
  { t: 'T12', action: 'accept-claim',            by: ['seller'],            from: inquiryAccept,   given: [], outcome: 'refunded',         to: closed,         emits: resolved },
  { t: 'T12', action: 'accept-claim',            by: ['seller'],            from: claim,           given: [], outcome: 'refunded',         to: closed,         emits: resolved },
  { t: 'T13', action: 'accept-claim',            by: ['seller'],            from: inquirySeller,   given: [], outcome: 'partly offered',   to: buyerToChoose,  emits: updated },
  { t: 'T13', action: 'accept-claim',            by: ['seller'],            from: claimSeller,     given: [], outcome: 'partly offered',   to: buyerToChoose,  emits: updated },
  { t: 'T15', action: 'accept-claim',            by: ['seller'],            from: inquirySeller,   given: ['the reason not as described'], outcome: 'return agreed', to: buyerToShip, emits: updated },
  { t: 'T15', action: 'accept-claim',            by: ['seller'],            from: claimSeller,     given: ['the reason not as described'], outcome: 'return agreed', to: buyerToShip, emits: updated },
  { t: 'T19', action: 'acknowledge-return-item', by: ['seller'],            from: shipped,         given: ['the reason not as described'], outcome: 'received', to: closed, emits: resolved },
  { t: 'T20', action: 'acknowledge-return-item', by: ['seller'],            from: shipped,         given: ['the reason not as described'], outcome: 'contested', to: claimReview, emits: updated },
  { t: 'T7',  action: 'accept-offer',            by: ['buyer'],             from: offer,           given: [], outcome: 'refunded',         to: closed,         emits: resolved },
  { t: 'T8',  action: 'accept-offer',            by: ['buyer'],             from: inquiryOffer,    given: [], outcome: 'return agreed',    to: buyerToShip,    emits: updated },
  { t: 'T9',  action: 'accept-offer',            by: ['buyer'],             from: inquiryOffer,    given: [], outcome: 'replaced',         to: closed,         emits: resolved },
  { t: 'T10', action: 'deny-offer',              by: ['buyer'],             from: inquiryOffer,    given: [], outcome: 'denied',           to: sellerToAnswer, emits: updated },
  { t: 'T11', action: 'deny-offer',              by: ['buyer'],             from: claimOffer,      given: [], outcome: 'denied',           to: underReview,    emits: updated },
  { t: 'T16', action: 'provide-evidence',        by: ['seller', 'partner'], from: sellerAsked,     given: ['more than an alert', 'room for more seller evidence'], outcome: 'answered', to: underReview, emits: updated },
  { t: 'T16', action: 'provide-evidence',        by: ['seller'],            from: shippedInquiry,  given: ['room for more seller evidence'], outcome: 'answered', to: claimReview, emits: updated },
  { t: 'T16', action: 'provide-evidence',        by: ['seller', 'partner'], from: shippedClaim,    given: ['room for more seller evidence'], outcome: 'answered', to: claimReview, emits: updated },
  { t: 'T17', action: 'provide-evidence',        by: ['buyer'],             from: buyerAsked,      given: ['a dispute that was opened here', 'room for more buyer evidence'], outcome: 'answered', to: underReview, emits: updated },
  { t: 'T17', action: 'provide-evidence',        by: ['buyer'],             from: offer,           given: ['room for more buyer evidence'], outcome: 'filed', to: same, emits: updated },
  { t: 'T18', action: 'provide-evidence',        by: ['buyer'],             from: shipping,        given: ['room for more buyer evidence'], outcome: 'shipped', to: sellerToReceive, emits: updated },
  { t: 'T18', action: 'provide-evidence',        by: ['buyer'],             from: shipping,        given: ['room for more buyer evidence'], outcome: 'filed', to: same, emits: updated },
  { t: 'T29', action: 'provide-supporting-info', by: ['seller', 'partner'], from: claim,           given: ['more than an alert', 'room for another seller note'], outcome: 'filed', to: same, emits: updated },
  { t: 'T29', action: 'provide-supporting-info', by: ['buyer'],             from: claim,           given: ['a dispute that was opened here', 'room for another buyer note'], outcome: 'filed', to: same, emits: updated },
  { t: 'T21', action: 'escalate',                by: ['seller', 'buyer'],   from: inquiry,         given: [], outcome: 'seller to answer', to: claimToAnswer,  emits: updated },
  { t: 'T22', action: 'escalate',                by: ['seller', 'buyer'],   from: inquiry,         given: [], outcome: 'review',           to: claimReview,    emits: updated },
  { t: 'T21', action: 'escalate',                by: ['seller', 'buyer'],   from: inquiry,         given: [], outcome: 'too late, appealable', to: { dispute_life_cycle_stage: 'CHARGEBACK', ...decided }, emits: resolved },
  { t: 'T21', action: 'escalate',                by: ['seller', 'buyer'],   from: inquiry,         given: [], outcome: 'too late, final',  to: { dispute_life_cycle_stage: 'CHARGEBACK', ...closed }, emits: resolved },
  { t: 'T30', action: 'cancel',                  by: ['buyer'],             from: cancellable,     given: ['a dispute that was opened here'], outcome: 'cancelled', to: closed, emits: resolved },
  { t: 'T30', action: 'cancel',                  by: ['buyer'],             from: cancellable,     given: ['a dispute that was opened here'], outcome: 'partly', to: same, emits: updated },
  { t: 'T31', action: 'change-reason',           by: ['buyer'],             from: changeableInquiry, given: ['the reason not received', 'room for more buyer evidence'], outcome: 'changed', to: claimToAnswer, emits: updated },
  { t: 'T31', action: 'change-reason',           by: ['buyer'],             from: changeableAsked, given: ['the reason not received', 'room for more buyer evidence'], outcome: 'changed', to: claimToAnswer, emits: updated },
  { t: 'T31', action: 'change-reason',           by: ['buyer'],             from: claimSeller,     given: ['a dispute that was opened here', 'the reason not received', 'room for more buyer evidence'], outcome: 'changed', to: claimToAnswer, emits: updated },
  { t: 'T25', action: 'adjudicate',              by: ['agent'],             from: review,          given: [], outcome: 'decided, appealable', to: decided,     emits: resolved },
  { t: 'T25', action: 'adjudicate',              by: ['agent'],             from: review,          given: [], outcome: 'decided, final',   to: closed,         emits: resolved },
  { t: 'T23', action: 'require-evidence',        by: ['agent'],             from: review,          given: [], outcome: 'of the seller',    to: sellerToProve,  emits: updated },
  { t: 'T24', action: 'require-evidence',        by: ['agent'],             from: review,          given: [], outcome: 'of the buyer',     to: buyerToProve,   emits: updated },
  { t: 'T28', action: 'appeal',                  by: ['seller'],            from: lostOnce,        given: ['a decision against the seller', 'room for more seller evidence'], outcome: 'appealed', to: firstAppeal, emits: updated },
  { t: 'T28', action: 'appeal',                  by: ['buyer'],             from: lostOnce,        given: ['a decision against the buyer', 'room for more buyer evidence'], outcome: 'appealed', to: firstAppeal, emits: updated },
  { t: 'T28', action: 'appeal',                  by: ['seller'],            from: lostTwice,       given: ['a decision against the seller', 'room for more seller evidence'], outcome: 'appealed', to: secondAppeal, emits: updated },
  { t: 'T28', action: 'appeal',                  by: ['buyer'],             from: lostTwice,       given: ['a decision against the buyer', 'room for more buyer evidence'], outcome: 'appealed', to: secondAppeal, emits: updated },
  { t: 'T32', action: 'patch',                   by: ['seller', 'partner'], from: alive,           given: [], outcome: 'patched',          to: same,           emits: updated },
  { t: 'T32', action: 'patch',                   by: ['seller', 'partner'], from: alive,           given: [], outcome: 'tested',           to: same,           emits: silent },
  { t: '7.7', action: 'update-partner-action',   by: ['partner'],           from: alive,           given: [], outcome: 'patched',          to: same,           emits: updated },
  { t: '7.10', action: 'provide-refund-preference', by: ['buyer'],          from: preference,      given: ['a dispute that was opened here'], outcome: 'noted', to: same, emits: updated },
  { t: '7.11', action: 'return-compensation',    by: ['buyer'],             from: anywhere,        given: ['no compensation asked for yet'], outcome: 'answered', to: same, emits: updated },
  { t: '7.11', action: 'return-compensation',    by: ['buyer'],             from: anywhere,        given: ['no compensation asked for yet'], outcome: 'asked', to: same, emits: updated },
  { t: '7.11', action: 'answer-compensation',    by: ['agent'],             from: anywhere,        given: ['a compensation that waits for an answer'], outcome: 'answered', to: same, emits: updated },
  { t: '7.12', action: 'supersede',              by: ['agent'],             from: alive,           given: [], outcome: 'superseded',       to: closed,         emits: resolved },
  { t: '4.7', action: 'follow-payment',          by: ['clock'],             from: alive,           given: [], outcome: 'followed',         to: same,           emits: updated },
  { t: '4.7', action: 'follow-payment',          by: ['clock'],             from: over,            given: [], outcome: 'followed',         to: same,           emits: silent },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: inquiryClock,    given: [], outcome: 'inquiry ended',    to: closed,         emits: resolved },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: sellerAsked,     given: [], outcome: 'seller silent, appealable', to: decided, emits: resolved },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: sellerAsked,     given: [], outcome: 'seller silent, final', to: closed,     emits: resolved },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: claimSeller,     given: [], outcome: 'decide on what is there', to: underReview, emits: updated },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: buyerAsked,      given: [], outcome: 'buyer silent, appealable', to: decided, emits: resolved },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: buyerAsked,      given: [], outcome: 'buyer silent, final', to: closed,      emits: resolved },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: claimOffer,      given: [], outcome: 'offer unanswered, appealable', to: decided, emits: resolved },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: claimOffer,      given: [], outcome: 'offer unanswered, final', to: closed,  emits: resolved },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: shipping,        given: [], outcome: 'not returned',     to: closed,         emits: resolved },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: shipped,         given: [], outcome: 'return not acknowledged', to: closed,  emits: resolved },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: review,          given: [], outcome: 'decided, appealable', to: decided,     emits: resolved },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: review,          given: [], outcome: 'decided, final',   to: closed,         emits: resolved },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: review,          given: [], outcome: 'left to an agent', to: same,           emits: silent },
  { t: 'T33', action: 'pass-deadline',           by: ['clock'],             from: alerted,         given: [], outcome: 'alert ended',      to: closed,         emits: resolved },
  { t: '4.6', action: 'pass-deadline',           by: ['clock'],             from: appealable,      given: [], outcome: 'appeal window closed', to: settledForGood, emits: silent },
] as const satisfies readonly DisputeRow[]

export type DisputeAction = (typeof rows)[number]['action']

/** The outcomes that the table has for an action. An action that returns any other outcome does not compile. */
export type DisputeOutcome<A extends DisputeAction> = Extract<(typeof rows)[number], { action: A }>['outcome']

/** The issue of every refusal that is due to the present state of a dispute. */
export const NOT_NOW = 'ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE'

/** Actions that callers do not call by the name that they have in the table. */
const byOtherName: ReadonlySet<string> = new Set<DisputeAction>(['patch', 'supersede', 'triage'])

export const disputeLifecycle = new Lifecycle<DisputeNode, Dispute, typeof rows>(
  rows,
  guards,
  ({ status, dispute_life_cycle_stage }, _action, missing, allowed) => {
    const here = `It is ${status} in the stage ${dispute_life_cycle_stage}`
    const open = allowed.filter((action) => !byOtherName.has(action)).join(', ')
    const description = `${missing} ${here}, and ${open ? `takes ${open}` : 'takes no action'} from this caller now.`
    return new Problem(422, 'UNPROCESSABLE_ENTITY', [{ issue: NOT_NOW, description }])
  },
  { flow: flowWords, finality: finalityWords },
)
