import type { View } from './access.ts'
import { limits } from './machine/limits.ts'
import { type Dispute, type Evidence, isOf, type Message, type StoredDocument } from './schema/dispute.ts'

type SupportingInfo = NonNullable<Dispute['supporting_info']>[number]
type Shipment = NonNullable<NonNullable<Dispute['agreed_return']>['shipments']>[number]

/** The parts of a dispute that carry documents, as far as someone sees them. */
interface Entries {
  readonly messages: readonly Message[] | undefined
  readonly evidences: readonly Evidence[] | undefined
  readonly supportingInfo: readonly SupportingInfo[] | undefined
  readonly shipments: readonly Shipment[] | undefined
}

/** The parts that this view shows. Both the printing of a dispute and the download of documents go by it. */
export const entriesFor = (dispute: Dispute, view: View): Entries => ({
  messages: dispute.messages,
  evidences:
    dispute.evidences &&
    withinLimit(
      dispute.evidences.flatMap((evidence) => evidenceFor(evidence, view)),
      view,
    ),
  supportingInfo: dispute.supporting_info?.filter(({ source }) => infoSeen[view].includes(source)),
  // Shipping labels for a return are made by the seller for the buyer, so both see them.
  shipments: dispute.agreed_return?.shipments,
})

/** Whether an entry that this view shows carries this document. A text that only mentions it does not count. */
export function seesDocument(dispute: Dispute, view: View, { document_id, n }: Omit<StoredDocument, 'name'>): boolean {
  const { messages = [], evidences = [], supportingInfo = [], shipments = [] } = entriesFor(dispute, view)
  const documents = [
    ...[...messages, ...evidences, ...supportingInfo].flatMap((entry) => entry.documents ?? []),
    ...shipments.map(({ shipment_label }) => shipment_label),
  ]
  return documents.some((document) => document.document_id === document_id && document.n === n)
}

const infoSeen: Readonly<Record<View, readonly string[]>> = {
  full: ['SUBMITTED_BY_BUYER', 'SUBMITTED_BY_SELLER', 'SUBMITTED_BY_PARTNER'],
  partner: ['SUBMITTED_BY_SELLER', 'SUBMITTED_BY_PARTNER'],
  seller: ['SUBMITTED_BY_SELLER'],
  buyer: ['SUBMITTED_BY_BUYER'],
  marketplace: [],
}

/**
 * Leaves as many evidences as a party may be shown: all that its own side submitted, and of the others as many as there is
 * room for.
 */
function withinLimit(evidences: readonly Evidence[], view: View): readonly Evidence[] {
  // Whoever decides sees what both sides submitted.
  if (view === 'full') return evidences
  const isOwn = (one: Evidence) => isOf(view === 'buyer' ? 'buyer' : 'seller', one)
  let room = limits.evidences - evidences.filter(isOwn).length
  return evidences.filter((one) => isOwn(one) || room-- > 0)
}

/**
 * Who sees an evidence: the side that submitted it or was asked for it. The seller also sees what tells what the matter is
 * about.
 */
function evidenceFor(evidence: Evidence, view: View): Evidence[] {
  const { source, evidence_type } = evidence
  if (view === 'full') return [evidence]
  if (view === 'buyer') return source === 'SUBMITTED_BY_BUYER' || source === 'REQUESTED_FROM_BUYER' ? [evidence] : []
  if (source === 'SUBMITTED_BY_SELLER' || source === 'REQUESTED_FROM_SELLER') return [evidence]
  if (source === 'SUBMITTED_BY_PARTNER') return view === 'partner' ? [evidence] : []
  if (evidence_type === 'PROOF_OF_RETURN') return source === 'SUBMITTED_BY_BUYER' ? [evidence] : []
  if (evidence_type !== 'CREATE' && evidence_type !== 'CHANGE_REASON') return []
  const { documents: _private, ...words } = evidence
  return [words]
}
