import type { Dialect } from '../kernel/dialect.ts'
import { toMoney } from '../kernel/money.ts'
import type { Service } from '../room.ts'
import type { View, Viewer } from './access.ts'
import { entriesFor } from './entries.ts'
import { disputeLinks } from './links.ts'
import { disputeActions } from './machine/actions/index.ts'
import { fundingInstruments } from './machine/actions/provide-refund-preference.ts'
import { disputeLifecycle } from './machine/lifecycle.ts'
import { limits } from './machine/limits.ts'
import { allowedRefund, totalCovered, totalRefunded } from './machine/payments.ts'
import { dueDates, stateFor } from './machine/state.ts'
import type { Dispute, DisputedTransaction, FundMovement, Offer, StoredDocument } from './schema/dispute.ts'
import { printExtensions } from './schema/extensions.ts'

/** What decides how things are spelt in this deployment. */
export type Print = Pick<Service, 'publicUrl' | 'dialect' | 'settings'>

const documentUrl = (publicUrl: string, { document_id, n }: StoredDocument) =>
  `${publicUrl}/v2/content/documents/${document_id}/files/${n}/download`

/** The dispute as this viewer may see it, with a link for every action they may take now. Empty things are left out. */
export function presentDispute(dispute: Dispute, viewer: Viewer, print: Print): Record<string, unknown> {
  const { view, side, roles } = viewer
  const { dialect, publicUrl, settings } = print
  const isBuyer = view === 'buyer'
  const wide = view === 'full' || view === 'partner'
  const entries = entriesFor(dispute, view)
  const movements = movementsFor(dispute, view, settings.disputeHoldMovements)
  return withoutEmpty({
    dispute_id: dispute.dispute_id,
    create_time: dispute.create_time,
    update_time: dispute.update_time,
    disputed_transactions: dispute.disputed_transactions.map((one) => transactionFor(dispute, one, view)),
    reason: dispute.reason,
    status: dispute.status,
    dispute_state: printState(stateFor(dispute, side), dialect),
    dispute_amount: dispute.dispute_amount,
    fee_policy: isBuyer ? undefined : feePolicy(dispute),
    external_reason_code: isBuyer ? undefined : dispute.external_reason_code,
    dispute_outcome: outcomeFor(dispute, viewer, dialect),
    adjudications: dispute.adjudications?.map(({ reason, ...rest }) => ({
      ...rest,
      reason: isBuyer ? undefined : literal(dialect, reason),
    })),
    money_movements: movements.map(({ party, ...rest }) => ({ affected_party: party, ...rest })),
    fund_movements: movements,
    dispute_life_cycle_stage: dispute.dispute_life_cycle_stage,
    dispute_channel: dispute.dispute_channel,
    messages: entries.messages?.map((message) => withDocuments(message, print)),
    extensions: dispute.extensions && printExtensions(dispute.extensions, dialect),
    evidences: entries.evidences?.map((one) => ({
      ...withDocuments(one, print),
      evidence_type: dialect.literal(one.evidence_type),
    })),
    ...dueDates(dispute),
    offer: offerFor(dispute.offer, view),
    refund_details: refundDetails(dispute, viewer),
    communication_details: dispute.communication_details,
    supporting_info: entries.supportingInfo?.map((info) => withDocuments(info, print)),
    partner_actions: wide ? dispute.partner_actions : undefined,
    allowed_response_options: isBuyer ? undefined : responseOptions(dispute),
    allowed_action_options: side === 'buyer' ? actionOptions(dispute) : undefined,
    return_shipments: entries.shipments?.map(({ shipment_label, tracking_info }) => ({
      shipment_label: { name: shipment_label.name, url: documentUrl(publicUrl, shipment_label) },
      tracking_info,
    })),
    links: disputeLinks(dispute, roles, publicUrl, settings.disputeLinkSpelling),
  })
}

const literal = (dialect: Dialect, value: string | undefined) =>
  value === undefined ? undefined : dialect.literal(value)

export const printState = (state: string, dialect: Dialect) =>
  state === 'UNDER_REVIEW' ? dialect.stateUnderReview : state

function transactionFor(dispute: Dispute, transaction: DisputedTransaction, view: View) {
  const { disputed: _1, held: _2, refunded: _3, refunded_before: _4, reversed: _5, covered: _6, ...rest } = transaction
  const { buyer, seller } = dispute
  const seesSeller = view !== 'buyer'
  const seesBuyer = view === 'buyer' || view === 'full'
  return withoutEmpty({
    ...rest,
    seller_transaction_id: seesSeller ? rest.seller_transaction_id : undefined,
    reference_id: view === 'partner' || view === 'full' ? rest.reference_id : undefined,
    custom: seesSeller && view !== 'marketplace' ? rest.custom : undefined,
    buyer: withoutEmpty({
      name: buyer.name,
      email: seesBuyer ? buyer.email : undefined,
      payer_id: seesBuyer ? buyer.account_id : undefined,
    }),
    seller: withoutEmpty({
      merchant_id: seller.account_id,
      name: seller.name,
      email: seesSeller ? seller.email : undefined,
    }),
    ...(seesSeller && protection(dispute)),
  })
}

/** Protection covers what a seller can prove by a delivery: that it arrived, and that it went to the payer. */
function protection({ reason }: Dispute) {
  const eligible = reason === 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED' || reason === 'UNAUTHORISED'
  return {
    seller_protection_eligible: eligible,
    seller_protection_type: eligible ? 'EXPANDED_SELLER_PROTECTION' : 'SELLER_PROTECTION_INELIGIBLE',
  }
}

const feePolicy = ({ dispute_channel }: Dispute) => ({
  transaction_fee: 'RETAIN_ALL_FEE',
  dispute_fee: dispute_channel === 'INTERNAL' ? 'CHARGE_STANDARD_TIER_FEE' : 'CHARGE_CHARGEBACK_FEE',
})

function movementsFor({ fund_movements = [] }: Dispute, view: View, withHolds: boolean): FundMovement[] {
  if (view === 'marketplace') return []
  return fund_movements.filter(
    ({ party, reason }) => (withHolds || !reason.startsWith('HOLD_')) && (view !== 'buyer' || party === 'BUYER'),
  )
}

function withDocuments<Holder extends { readonly documents?: readonly StoredDocument[] }>(
  holder: Holder,
  print: Print,
) {
  if (!holder.documents) return holder
  const documents = holder.documents.map((file) => ({ name: file.name, url: documentUrl(print.publicUrl, file) }))
  return { ...holder, documents }
}

function offerFor({ history, ...offer }: Offer, view: View) {
  const shown = history?.map(({ private: hidden, notes, ...event }) => {
    const ownNote = event.actor === 'SELLER' ? view === 'seller' : view === 'buyer'
    return withoutEmpty({ ...event, notes: !hidden || ownNote || view === 'full' ? notes : undefined })
  })
  return { ...offer, ...(shown && { history: shown }) }
}

/**
 * The buyer reads how much they got. The seller reads how much of that they bear, which is less after a reversal was
 * cancelled.
 */
function outcomeFor(dispute: Dispute, { view, side }: Viewer, dialect: Dialect) {
  if (!dispute.dispute_outcome) return undefined
  const { outcome_code, outcome_reason } = dispute.dispute_outcome
  const amount = totalRefunded(dispute) - (side === 'seller' ? totalCovered(dispute) : 0n)
  return withoutEmpty({
    outcome_code,
    outcome_reason: view === 'buyer' ? undefined : literal(dialect, outcome_reason),
    amount_refunded: amount > 0n ? toMoney(amount, dispute.dispute_amount.currency_code) : undefined,
  })
}

function refundDetails(dispute: Dispute, { view, side }: Viewer) {
  const borne = dispute.refunds?.filter(({ cancelled }) => side === 'buyer' || !cancelled)
  const shown = borne?.slice(-limits.refunds)
  const transactions = shown?.map(({ id, gross_amount, create_time }) => ({ id, gross_amount, create_time }))
  return withoutEmpty({
    allowed_refund_amount: view === 'buyer' ? undefined : allowedRefund(dispute),
    transactions,
  })
}

/**
 * The values that the seller may put into the type field of an action. A list is there only as long as the link of its
 * action.
 */
function responseOptions(dispute: Dispute) {
  const listed = (action: 'acknowledge-return-item' | 'accept-claim' | 'make-offer', name: string) =>
    disputeLifecycle.allows(dispute, ['seller'], action)
      ? { [name]: disputeActions[action].options!(dispute) }
      : undefined
  return withoutEmpty({
    acknowledge_return_item: listed('acknowledge-return-item', 'acknowledgement_types'),
    accept_claim: listed('accept-claim', 'accept_claim_types'),
    make_offer: listed('make-offer', 'offer_types'),
  })
}

function actionOptions(dispute: Dispute) {
  if (!disputeLifecycle.allows(dispute, ['buyer'], 'provide-refund-preference')) return undefined
  const answered =
    dispute.refund_preference !== undefined && 'provisional_credit_preference' in dispute.refund_preference
  return { provide_refund_preference: { funding_instrument_types: fundingInstruments, provisional_credit: !answered } }
}

/** Leaves out what is absent or empty, one level deep. */
function withoutEmpty(fields: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => !isEmpty(value)))
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  (Array.isArray(value) && value.length === 0) ||
  (typeof value === 'object' && value !== null && !Array.isArray(value) && Object.keys(value).length === 0)
