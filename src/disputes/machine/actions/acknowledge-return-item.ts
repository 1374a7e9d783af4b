import { invalid } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import type { Evidence } from '../../schema/dispute.ts'
import { acknowledgementTypes } from '../../schema/enums.ts'
import { AcknowledgementEvidence, Note } from '../../schema/given.ts'
import { disputeAction } from '../action.ts'
import { attach } from '../attachments.ts'
import { refuseOverflow, withoutRequests } from '../evidence.ts'
import { limits } from '../limits.ts'
import { refundReturn } from '../returns.ts'
import { end, inTurn } from '../settlement.ts'

/** The seller says what came back. If it is the item, the refund is made; if not, an agent decides. */
export const acknowledgeReturnItem = disputeAction('acknowledge-return-item', {
  summary: 'Acknowledge the returned item',
  scopes: ['disputes/update-seller'],
  body: Type.Object({
    acknowledgement_type: Type.Optional(
      Type.Enum([...acknowledgementTypes], { issue: 'INVALID_ACKNOWLEDGEMENT_TYPE' }),
    ),
    note: Type.Optional(Note),
    evidences: Type.Optional(Type.Array(AcknowledgementEvidence, { maxItems: 100 })),
  }),
  bodyOptional: true,
  files: limits.filesPerRequest,
  options: () => acknowledgementTypes,
  decide(dispute, { acknowledgement_type: type = 'ITEM_RECEIVED', note, evidences = [] }, context) {
    const { uploads, now } = context
    const given = evidences.length === 0 && uploads.length > 0 ? [{}] : evidences
    const documents = attach(
      given.map((evidence) => evidence.documents ?? []),
      uploads,
      '/evidences',
    )
    const bare = documents.findIndex((files) => files.length === 0)
    if (bare >= 0)
      throw invalid(`/evidences/${bare}/documents`, 'Show it with a document.', 'MISSING_REQUIRED_PARAMETER')
    const rows = given.map(
      (evidence, i): Evidence => ({
        evidence_type: ('evidence_type' in evidence && evidence.evidence_type) || 'DECLARATION',
        documents: documents[i]!,
        source: 'SUBMITTED_BY_SELLER',
        date: now,
        action_info: { action: 'ACKNOWLEDGE_RETURN_ITEM', response_option: type },
        dispute_life_cycle_stage: dispute.dispute_life_cycle_stage,
      }),
    )
    refuseOverflow(dispute, 'seller', rows.length)
    const kept = {
      evidences: [...withoutRequests(dispute.evidences), ...rows],
      acknowledgement: { type, ...(note !== undefined && { note }) },
    }
    if (type !== 'ITEM_RECEIVED') return { outcome: 'contested', changes: kept }
    const { changes, money } = inTurn(
      dispute,
      () => ({ changes: kept, money: [] }),
      refundReturn(dispute, 'seller', context),
      end('RESOLVED_BUYER_FAVOUR', 'ITEM_RETURNED_TO_SELLER'),
    )
    return { outcome: 'received', changes, money }
  },
})
