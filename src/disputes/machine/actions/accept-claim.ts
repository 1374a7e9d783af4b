import { Money, normalise, toMinor } from '../../../kernel/money.ts'
import { type Issue, invalid, Problem } from '../../../kernel/problem.ts'
import { type Static, Type } from '../../../kernel/type.ts'
import { type Dispute, isTangible, type ReturnShipment } from '../../schema/dispute.ts'
import {
  type AcceptClaimType,
  acceptClaimReasons,
  acceptClaimTypes,
  NOT_AS_DESCRIBED,
  NOT_RECEIVED,
} from '../../schema/enums.ts'
import { DocumentInput, Note, ReturnAddress, ReturnAddressInfo, TrackingInput } from '../../schema/given.ts'
import { type ActionContext, disputeAction } from '../action.ts'
import { amountIssues, refuseIssues } from '../amounts.ts'
import { attach } from '../attachments.ts'
import { refuseOverflow, trackingIssues } from '../evidence.ts'
import { limits } from '../limits.ts'
import { withOfferEvent } from '../offers.ts'
import { hasSomethingLeft, isFull, owed } from '../payments.ts'
import { addressIn, addressIssues, agreeReturn, knownAddress, missingAddress, unwantedAddress } from '../returns.ts'
import { end, inTurn, refund } from '../settlement.ts'

const Body = Type.Object({
  note: Note,
  accept_claim_reason: Type.Optional(Type.Enum([...acceptClaimReasons])),
  accept_claim_type: Type.Optional(Type.Enum([...acceptClaimTypes])),
  refund_amount: Type.Optional(Money),
  return_shipping_address: Type.Optional(ReturnAddress),
  return_shipping_address_info: Type.Optional(ReturnAddressInfo),
  return_shipment_info: Type.Optional(
    Type.Array(Type.Object({ shipment_label: DocumentInput, tracking_info: TrackingInput }), { maxItems: 100 }),
  ),
  invoice_id: Type.Optional(Type.String({ minLength: 1, maxLength: 127 })),
})
type Input = Static<typeof Body>

const withReturn = (type: AcceptClaimType) => type.startsWith('REFUND_WITH_RETURN')

/** How a seller may give in. Only while the seller is to answer can it be by anything but an immediate refund. */
export function acceptClaimOptions(dispute: Dispute): readonly AcceptClaimType[] {
  const { dispute_life_cycle_stage, reason } = dispute
  if (!buyerCanBeAsked(dispute) || !hasSomethingLeft(dispute)) return ['REFUND']
  if (reason !== NOT_RECEIVED && reason !== NOT_AS_DESCRIBED) return ['REFUND']
  if (reason === NOT_RECEIVED || !isTangible(dispute)) return ['PARTIAL_REFUND', 'REFUND']
  return dispute_life_cycle_stage === 'INQUIRY'
    ? ['PARTIAL_REFUND', 'REFUND_WITH_RETURN', 'REFUND']
    : ['PARTIAL_REFUND', 'REFUND_WITH_RETURN', 'REFUND_WITH_RETURN_SHIPMENT_LABEL', 'REFUND']
}

/** Whether it is the seller's turn, the buyer can answer in turn, and there is room for what they say. */
function buyerCanBeAsked({ dispute_channel, dispute_life_cycle_stage, status, flow, offer }: Dispute): boolean {
  const answering = status === 'OPEN' || (status === 'WAITING_FOR_SELLER_RESPONSE' && flow !== 'ACK')
  const early = dispute_life_cycle_stage === 'INQUIRY' || dispute_life_cycle_stage === 'CHARGEBACK'
  const hasRoom = (offer.history?.length ?? 0) < limits.offerEvents
  return dispute_channel === 'INTERNAL' && answering && early && hasRoom
}

/** The seller gives in, wholly or in part, now or once the item has come back. */
export const acceptClaim = disputeAction('accept-claim', {
  summary: 'Accept the claim',
  scopes: ['disputes/update-seller'],
  body: Body,
  files: limits.filesPerRequest,
  options: acceptClaimOptions,
  decide(dispute, input, context) {
    const { accept_claim_type, refund_amount } = input
    if (accept_claim_type) refuseType(dispute, accept_claim_type)
    const { given, field } = addressIn(input)
    refuseIssues([
      ...amountRules(dispute, input),
      ...addressRules(dispute, accept_claim_type, given, field),
      ...shipmentRules(accept_claim_type ?? 'REFUND', input),
    ])

    // Without a type the amount decides: less than all asks the buyer, all or more is refunded at once.
    const type = accept_claim_type ?? (refund_amount ? 'PARTIAL_REFUND' : 'REFUND')
    const amount = type === 'PARTIAL_REFUND' ? atMost(normalise(refund_amount!), owed(dispute)) : owed(dispute)
    const words = {
      type: withReturn(type) ? ('REFUND_WITH_RETURN' as const) : ('REFUND' as const),
      // A seller who appealed has paid already, and gives in without offering more.
      amount: toMinor(amount) > 0n ? amount : undefined,
      note: input.note,
      private: true,
    }
    const kept = {
      offer: withOfferEvent(dispute, 'PROPOSED', words, context),
      ...(input.accept_claim_reason && { accept_claim_reason: input.accept_claim_reason }),
      ...filed(dispute, type, input, context),
    }
    if (withReturn(type)) {
      const terms = {
        address: knownAddress(given),
        shipments: shipmentsOf(input, context),
        invoiceId: input.invoice_id,
      }
      const changes = agreeReturn({ ...dispute, ...kept }, { amount, ...terms }, context)
      return { outcome: 'return agreed', changes: { ...kept, ...changes }, mustCover: amount }
    }
    if (type === 'PARTIAL_REFUND' && !isFull(dispute, amount)) {
      const address = given === undefined ? undefined : knownAddress(given)
      const pending = { offered_address: address, offered_invoice_id: input.invoice_id }
      return { outcome: 'partly offered', changes: { ...kept, ...pending }, mustCover: amount }
    }
    const { changes, money } = inTurn(
      dispute,
      () => ({ changes: kept, money: [] }),
      refund(amount, { by: 'seller', invoiceId: input.invoice_id }, context),
      end('RESOLVED_BUYER_FAVOUR', 'SELLER_AGREED_REFUND_WITHOUT_RETURN'),
    )
    return { outcome: 'refunded', changes, money, mustCover: amount }
  },
})

function refuseType(dispute: Dispute, type: AcceptClaimType): void {
  if (withReturn(type) && dispute.reason === NOT_AS_DESCRIBED && !isTangible(dispute))
    throw new Problem(400, 'VALIDATION_ERROR', [
      {
        issue: 'INTANGIBLE_ITEM_CANNOT_BE_RETURNED',
        field: '/accept_claim_type',
        description: 'A service or download cannot be sent back.',
      },
    ])
  const options = acceptClaimOptions(dispute)
  if (!options.includes(type))
    throw invalid('/accept_claim_type', `This dispute takes ${options.join(', ')}.`, 'INVALID_ACCEPT_CLAIM_TYPE')
}

const atMost = (amount: Money, limit: Money): Money => (toMinor(amount) > toMinor(limit) ? limit : amount)

function amountRules(dispute: Dispute, { accept_claim_type: type, refund_amount }: Input): Issue[] {
  const field = '/refund_amount'
  if (type === undefined) return refund_amount ? freeAmountRules(dispute, refund_amount, field) : []
  if (type !== 'PARTIAL_REFUND')
    return refund_amount
      ? [{ issue: 'AMOUNT_SHOULD_NOT_BE_PASSED', field, description: `${type} fixes the amount.` }]
      : []
  if (!refund_amount) return [{ issue: 'MISSING_REFUND_AMOUNT', field, description: 'Say how much to refund.' }]
  return amountIssues(dispute, refund_amount, 'INVALID_REFUND_AMOUNT', field)
}

/** Rules for an amount without a type. More than all counts as all; less is only possible if the buyer can be asked. */
function freeAmountRules(dispute: Dispute, amount: Money, field: string): Issue[] {
  const issue = 'INVALID_REFUND_AMOUNT'
  const issues = amountIssues(dispute, amount, issue, field, { bounded: false })
  if (issues.length > 0 || buyerCanBeAsked(dispute) || isFull(dispute, amount)) return issues
  return [{ issue, field, description: 'The buyer cannot be asked now: refund all of it, or leave the amount out.' }]
}

function addressRules(
  { reason, dispute_channel }: Dispute,
  type: AcceptClaimType | undefined,
  given: unknown,
  field: string,
): Issue[] {
  if (type && withReturn(type)) return given === undefined ? [missingAddress(field)] : addressIssues(given, field)
  if (given === undefined) return []
  const aboutItem = reason === NOT_AS_DESCRIBED && dispute_channel === 'INTERNAL'
  const mayBeKept = aboutItem && (type === undefined || type === 'PARTIAL_REFUND')
  return mayBeKept ? addressIssues(given, field) : [unwantedAddress(field)]
}

function shipmentRules(type: AcceptClaimType, { return_shipment_info: shipments = [] }: Input): Issue[] {
  const field = '/return_shipment_info'
  const wanted = type === 'REFUND_WITH_RETURN_SHIPMENT_LABEL'
  if (wanted && shipments.length === 0)
    return [{ issue: 'MISSING_RETURN_SHIPMENT_INFO', field, description: 'Send the shipment label and its tracking.' }]
  if (!wanted && shipments.length > 0)
    return [{ issue: 'INVALID_PARAMETER_VALUE', field, description: `${type} comes without a shipment label.` }]
  return shipments.flatMap(({ tracking_info }, i) => trackingIssues([tracking_info], `${field}/${i}/tracking_info`))
}

function shipmentsOf({ return_shipment_info = [] }: Input, { uploads }: ActionContext): ReturnShipment[] {
  const labels = attach(
    return_shipment_info.map(({ shipment_label }) => [shipment_label]),
    uploads,
    '/return_shipment_info',
  )
  return return_shipment_info.map(({ tracking_info }, i) => ({ shipment_label: labels[i]![0]!, tracking_info }))
}

/** Documents that come with the acceptance are kept as evidence of the seller. Shipping labels are not evidence. */
function filed(dispute: Dispute, type: AcceptClaimType, input: Input, { uploads, now }: ActionContext) {
  const labels = new Set((input.return_shipment_info ?? []).map(({ shipment_label }) => shipment_label.name))
  const documents =
    type === 'REFUND_WITH_RETURN_SHIPMENT_LABEL' ? uploads.filter(({ name }) => !labels.has(name)) : uploads
  if (documents.length === 0) return {}
  refuseOverflow(dispute, 'seller', 1)
  const evidence = {
    evidence_type: 'OTHER',
    documents,
    source: 'SUBMITTED_BY_SELLER' as const,
    date: now,
    action_info: { action: 'ACCEPT_CLAIM' },
    dispute_life_cycle_stage: dispute.dispute_life_cycle_stage,
  }
  return { evidences: [...(dispute.evidences ?? []), evidence] }
}
