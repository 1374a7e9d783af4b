import { EvidenceBody } from '../../schema/given.ts'
import { disputeAction } from '../action.ts'
import { refuseIssues } from '../amounts.ts'
import { submittedEvidence } from '../evidence.ts'
import { limits } from '../limits.ts'
import { addressIn, addressIssues } from '../returns.ts'

/** The side that lost shows something new, and the decision is open again. */
export const appeal = disputeAction('appeal', {
  summary: 'Appeal the decision',
  scopes: ['disputes/update-seller', 'disputes/update-buyer'],
  body: EvidenceBody,
  bodyOptional: true,
  files: limits.filesPerRequest,
  decide(dispute, input, context) {
    const rows = submittedEvidence(dispute, input.evidences ?? [], 'APPEAL', context)
    const { given, field } = addressIn(input)
    refuseIssues(addressIssues(given, field))
    const { side } = context
    return {
      outcome: 'appealed',
      changes: {
        evidences: [...(dispute.evidences ?? []), ...rows],
        dispute_outcome: undefined,
        appellant: side,
        appeals: { ...dispute.appeals, [side]: dispute.appeals[side] + 1 },
      },
    }
  },
})
