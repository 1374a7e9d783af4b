import { EvidenceBody } from '../../schema/given.ts'
import { disputeAction } from '../action.ts'
import { RETURN, submittedEvidence, withoutRequests } from '../evidence.ts'
import { limits } from '../limits.ts'
import { toldAddress } from '../returns.ts'

/** The side that is waited for shows what it has. Proof of return lets the return move on. */
export const provideEvidence = disputeAction('provide-evidence', {
  summary: 'Provide evidence',
  scopes: ['disputes/update-seller', 'disputes/update-buyer', 'disputes/update-partner'],
  body: EvidenceBody,
  bodyOptional: true,
  files: limits.filesPerRequest,
  decide(dispute, input, context) {
    const rows = submittedEvidence(dispute, input.evidences ?? [], 'PROVIDE_EVIDENCE', context)
    const { side, now } = context
    const address = toldAddress(dispute, input, side)
    if (side === 'seller') {
      const evidences = [...withoutRequests(dispute.evidences, 'seller'), ...rows]
      return { outcome: 'answered', changes: { evidences, ...address } }
    }
    if (dispute.flow === 'EVIDENCE') {
      const evidences = [...withoutRequests(dispute.evidences, 'buyer'), ...rows]
      return { outcome: 'answered', changes: { evidences } }
    }
    const returned = dispute.flow === 'RETURN' && rows.some(({ evidence_type }) => evidence_type === RETURN)
    if (!returned) return { outcome: 'filed', changes: { evidences: [...(dispute.evidences ?? []), ...rows] } }
    const evidences = [...withoutRequests(dispute.evidences), ...rows]
    return { outcome: 'shipped', changes: { evidences, returned_time: now } }
  },
})
