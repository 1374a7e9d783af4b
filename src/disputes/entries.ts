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

/** What this view shows of them. Printing a dispute and downloading a document both go by it. */
export const entriesFor = (dispute: Dispute, view: View): Entries => ({
  messages: dispute.messages,
  evidences:
    dispute.evidences &&
    withinLimit(
      dispute.evidences.flatMap((evidence) => evidenceFor(evidence, view)),
      view,
    ),
  supportingInfo: dispute.supporting_info?.filter(({ source }) => infoSeen[view].includes(source)),
  // Labels for a return are made for the buyer by the seller, so both see them.
  shipments: dispute.agreed_return?.shipments,
})

/** Whether an entry that this view shows has this document. Texts that name one count for nothing. */
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

/** As many as a party is shown: what its side submitted, and of the rest as much as there is room for. */
function withinLimit(evidences: readonly Evidence[], view: View): readonly Evidence[] {
  // Whoever decides sees what both sides gave.
  if (view === 'full') return evidences
  const isOwn = (one: Evidence) => isOf(view === 'buyer' ? 'buyer' : 'seller', one)
  let room = limits.evidences - evidences.filter(isOwn).length
  return evidences.filter((one) => isOwn(one) || room-- > 0)
}

/** Who sees an evidence: whoever submitted or was asked for it, and the seller what the matter itself is about. */
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
