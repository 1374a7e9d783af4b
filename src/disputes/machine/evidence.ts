import { neutralLiteral } from '../../kernel/dialect.ts'
import { type Issue, Problem } from '../../kernel/problem.ts'
import { type Dispute, type Evidence, itemsOf, type Side, submittedBy } from '../schema/dispute.ts'
import { NOT_RECEIVED, type Reason } from '../schema/enums.ts'
import type { EvidenceInput } from '../schema/given.ts'
import type { ActionContext } from './action.ts'
import { attach } from './attachments.ts'
import { limits } from './limits.ts'

const FULFILLMENT = 'PROOF_OF_FULFILLMENT'
const REFUND = 'PROOF_OF_REFUND'
export const RETURN = 'PROOF_OF_RETURN'
const SIGNATURE = 'PROOF_OF_DELIVERY_SIGNATURE'

const billing = { seller: [REFUND, 'OTHER'], buyer: ['BANK_STATEMENT', 'OTHER'] }

/** What each side is asked for by reason, in this order. This is also accepted without being asked for. */
// biome-ignore format: a table reads best as a table
export const evidenceByReason: Readonly<Record<Reason, Readonly<Record<Side, readonly string[]>>>> = {
  MERCHANDISE_OR_SERVICE_NOT_RECEIVED:     { seller: [FULFILLMENT, REFUND, 'OTHER'], buyer: ['RECEIPT_OF_MERCHANDISE', 'OTHER'] },
  MERCHANDISE_OR_SERVICE_NOT_AS_DESCRIBED: { seller: ['OTHER', REFUND],              buyer: ['PROOF_OF_DAMAGE', 'PROOF_OF_SIGNIFICANT_DIFFERENCE', 'OTHER'] },
  UNAUTHORISED:                            { seller: [FULFILLMENT, REFUND, 'OTHER'], buyer: ['ACCOUNT_CHANGE_INFORMATION', 'OTHER'] },
  CREDIT_NOT_PROCESSED:                    { seller: [REFUND, 'OTHER'],              buyer: ['REQUEST_CREDIT_RECEIPT', 'OTHER'] },
  DUPLICATE_TRANSACTION:                   billing,
  INCORRECT_AMOUNT:                        billing,
  PAYMENT_BY_OTHER_MEANS:                  billing,
  CANCELED_RECURRING_BILLING:              billing,
  PROBLEM_WITH_REMITTANCE:                 billing,
  OTHER:                                   billing,
}

const requestedFrom = { seller: 'REQUESTED_FROM_SELLER', buyer: 'REQUESTED_FROM_BUYER' } as const

/** The dispute's evidence after one side is asked for these types. Whatever was asked of either side before is replaced. */
export function ask(
  dispute: Pick<Dispute, 'evidences' | 'dispute_life_cycle_stage'>,
  side: Side,
  types: readonly string[],
  { now }: Pick<ActionContext, 'now'>,
  stage = dispute.dispute_life_cycle_stage,
): Evidence[] {
  const rows = types.map(
    (evidence_type): Evidence => ({
      evidence_type,
      source: requestedFrom[side],
      date: now,
      dispute_life_cycle_stage: stage,
    }),
  )
  return [...withoutRequests(dispute.evidences), ...rows]
}

export const withoutRequests = (evidences: Dispute['evidences'] = [], side?: Side): Evidence[] =>
  evidences.filter(({ source }) => (side ? source !== requestedFrom[side] : !source.startsWith('REQUESTED')))

export const usualRequest = (reason: Reason, side: Side): readonly string[] => evidenceByReason[reason][side]

/** What an agent asks for, beyond what the reason asks for anyway. */
export const furtherRequest = (reason: Reason, side: Side): readonly string[] =>
  side === 'seller' ? [...usualRequest(reason, side), SIGNATURE] : usualRequest(reason, side)

/** Checks submitted evidence by type and reason, reports every breach at once, and gives the entries to be kept. */
export function submittedEvidence(
  dispute: Dispute,
  inputs: readonly EvidenceInput[],
  action: 'PROVIDE_EVIDENCE' | 'APPEAL',
  context: ActionContext,
): Evidence[] {
  const { uploads, side, isPartner, now } = context
  // A request that is only a file does not say what it is, so it is evidence of type OTHER.
  const given = inputs.length === 0 && uploads.length > 0 ? [{ evidence_type: 'OTHER' }] : inputs
  if (given.length === 0)
    throw new Problem(400, 'VALIDATION_ERROR', [
      { issue: 'MISSING_EVIDENCE_INFO', field: '/evidences', description: 'Send at least one evidence or a document.' },
    ])
  const typed = given.map((input) => ({
    ...input,
    evidence_type: input.evidence_type === undefined ? undefined : neutralLiteral(input.evidence_type),
  }))
  const documents = attach(
    typed.map(({ documents: named }) => named ?? []),
    uploads,
    '/evidences',
  )
  const issues = typed.flatMap((input, i) => breachesOf(dispute, input, documents[i]!.length > 0, i, side))
  issues.push(...missingItemIds(dispute, typed))
  if (issues.length > 0) throw new Problem(400, 'VALIDATION_ERROR', issues)
  refuseOverflow(dispute, side, typed.length)

  const source = isPartner ? 'SUBMITTED_BY_PARTNER' : side === 'seller' ? 'SUBMITTED_BY_SELLER' : 'SUBMITTED_BY_BUYER'
  return typed.map(({ evidence_type, evidence_info, notes, item_id }, i): Evidence => {
    const item_type = itemsOf(dispute).find((item) => item.item_id === item_id && item_id !== undefined)?.item_type
    return {
      evidence_type: evidence_type!,
      ...(evidence_info && { evidence_info }),
      ...(documents[i]!.length > 0 && { documents: documents[i]! }),
      ...(notes !== undefined && { notes }),
      source,
      date: now,
      ...(item_id !== undefined && { item_id }),
      ...(item_type !== undefined && { item_type }),
      action_info: { action },
      dispute_life_cycle_stage: dispute.dispute_life_cycle_stage,
    }
  })
}

type Tracking = NonNullable<NonNullable<EvidenceInput['evidence_info']>['tracking_info']>

/** Whoever says how a parcel travels must say enough to follow it. */
export function trackingIssues(entries: Tracking, field: string): Issue[] {
  const isIncomplete = entries.some(
    ({ carrier_name, tracking_number, carrier_name_other }) =>
      !carrier_name || !tracking_number || (carrier_name === 'OTHER' && !carrier_name_other),
  )
  const description = 'Give carrier_name and tracking_number; OTHER also needs carrier_name_other.'
  return isIncomplete ? [{ issue: 'MISSING_TRACKING_INFO', field, description }] : []
}

type Given = Omit<EvidenceInput, 'evidence_type'> & { readonly evidence_type: string | undefined }

function breachesOf(dispute: Dispute, input: Given, hasDocument: boolean, i: number, side: Side): Issue[] {
  const { evidence_type: type, evidence_info = {}, notes } = input
  const at = (issue: string, description: string, field: string): Issue => ({
    issue,
    description,
    field: `/evidences/${i}${field}`,
  })
  if (type === undefined) return [at('MISSING_EVIDENCE_TYPE', 'Say what kind of evidence this is.', '/evidence_type')]
  const notTaken = refusedType(dispute, type, side)
  if (notTaken) return [at(notTaken.issue, notTaken.description, '/evidence_type')]

  const { tracking_info = [], refund_ids = [] } = evidence_info
  const tracking = '/evidence_info/tracking_info'
  const incomplete = trackingIssues(tracking_info, `/evidences/${i}${tracking}`)
  if (incomplete.length > 0) return incomplete
  const needsTracking = type === RETURN || (type === FULFILLMENT && dispute.reason !== NOT_RECEIVED)
  if (needsTracking && tracking_info.length === 0)
    return [at('MISSING_TRACKING_INFO', `${type} needs a carrier and a tracking number.`, tracking)]
  if (type === REFUND && refund_ids.length === 0)
    return [at('MISSING_REFUND_ID', 'Give the id of the refund that was made.', '/evidence_info/refund_ids')]
  const says = notes !== undefined || hasDocument || tracking_info.length > 0
  if (type !== REFUND && !says) return [at('MISSING_EVIDENCE_INFO', 'Add notes or a document.', '')]
  // Tracking alone proves only that something was sent.
  if (type !== REFUND && type !== RETURN && type !== FULFILLMENT && notes === undefined && !hasDocument)
    return [at('MISSING_EVIDENCE_INFO', `${type} needs notes or a document.`, '')]
  return []
}

interface Asking {
  readonly reason: Reason
  readonly evidences?: readonly Pick<Evidence, 'source' | 'evidence_type'>[]
}

/** What this side may send now: what its reason lists, what it was asked for, and always type OTHER. */
export function acceptedTypes({ reason, evidences = [] }: Asking, side: Side): string[] {
  const requested = evidences.flatMap(({ source, evidence_type }) =>
    source === requestedFrom[side] ? evidence_type : [],
  )
  return [...new Set([...requested, ...evidenceByReason[reason][side], 'OTHER'])]
}

function refusedType(dispute: Dispute, type: string, side: Side): { issue: string; description: string } | undefined {
  const accepted = acceptedTypes(dispute, side)
  if (accepted.includes(type)) return undefined
  if (type === FULFILLMENT && !evidenceByReason[dispute.reason].seller.includes(FULFILLMENT))
    return {
      issue: 'INVALID_EVIDENCE_TYPE_PROOF_OF_FULFILLMENT',
      description: `A dispute with the reason ${dispute.reason} is not about delivery. Accepted: ${accepted.join(', ')}.`,
    }
  return { issue: 'EVIDENCE_TYPE_IS_NOT_ALLOWED', description: `Accepted here: ${accepted.join(', ')}.` }
}

function missingItemIds(dispute: Dispute, inputs: readonly Given[]): Issue[] {
  if (inputs.length < 2 || itemsOf(dispute).length < 2) return []
  return inputs.flatMap(({ item_id }, i) =>
    item_id === undefined
      ? {
          issue: 'ITEM_ID_IS_MANDATORY_FOR_MULTIPLE_EVIDENCES',
          field: `/evidences/${i}/item_id`,
          description: 'Several evidences on several items must each name their item.',
        }
      : [],
  )
}

/** Refuses more evidence than a dispute can hold for one side. */
export function refuseOverflow(dispute: Dispute, side: Side, added: number): void {
  const kept = submittedBy(dispute, side)
  if (kept + added <= limits.evidences) return
  throw new Problem(422, 'UNPROCESSABLE_ENTITY', [
    {
      issue: 'TOO_MANY_EVIDENCES',
      description: `A dispute holds ${limits.evidences} evidences of a side, and has ${kept} of yours already.`,
    },
  ])
}
