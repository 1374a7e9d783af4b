import { EvidenceBody } from '../../schema/given.ts'
import { disputeAction } from '../action.ts'
import { submittedEvidence } from '../evidence.ts'
import { limits } from '../limits.ts'
import { toldAddress } from '../returns.ts'

/** The side that lost shows something new, and the decision is open again. */
export const appeal = disputeAction('appeal', {
  summary: 'Appeal the decision',
  scopes: ['disputes/update-seller', 'disputes/update-buyer'],
  body: EvidenceBody,
  bodyOptional: true,
  files: limits.filesPerRequest,
  decide(dispute, input, context) {
    const rows = submittedEvidence(dispute, input.evidences ?? [], 'APPEAL', context)
    const { side } = context
    return {
      outcome: 'appealed',
      changes: {
        ...toldAddress(dispute, input, side),
        evidences: [...(dispute.evidences ?? []), ...rows],
        dispute_outcome: undefined,
        appellant: side,
        appeals: { ...dispute.appeals, [side]: dispute.appeals[side] + 1 },
      },
    }
  },
})
