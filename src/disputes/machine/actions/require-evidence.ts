import { Type } from '../../../kernel/type.ts'
import { disputeAction } from '../action.ts'
import { ask, furtherRequest } from '../evidence.ts'

/** An agent asks one side for more. */
export const requireEvidence = disputeAction('require-evidence', {
  summary: 'Ask a party for evidence as an agent would',
  scopes: ['disputes/update-seller', 'disputes/update-buyer', 'operator'],
  body: Type.Object({ action: Type.Enum(['BUYER_EVIDENCE', 'SELLER_EVIDENCE']) }),
  agentsOnly: true,
  decide(dispute, { action }, context) {
    const side = action === 'SELLER_EVIDENCE' ? 'seller' : 'buyer'
    return {
      outcome: side === 'seller' ? 'of the seller' : 'of the buyer',
      changes: { evidences: ask(dispute, side, furtherRequest(dispute.reason, side), context) },
    }
  },
})
