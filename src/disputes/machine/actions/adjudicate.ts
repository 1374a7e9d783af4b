import { Type } from '../../../kernel/type.ts'
import { disputeAction } from '../action.ts'
import { judge } from '../judgement.ts'

/** An agent decides for one side. */
export const adjudicate = disputeAction('adjudicate', {
  summary: 'Settle the dispute as an agent would',
  scopes: ['disputes/update-seller', 'disputes/update-buyer', 'operator'],
  body: Type.Object({ adjudication_outcome: Type.Enum(['BUYER_FAVOR', 'SELLER_FAVOR']) }),
  agentsOnly: true,
  decide(dispute, { adjudication_outcome }, context) {
    const winner = adjudication_outcome === 'BUYER_FAVOR' ? 'buyer' : 'seller'
    const reason = winner === 'buyer' ? 'INELIGIBLE_SELLER_PROTECTION_POLICY' : 'INELIGIBLE_BUYER_PROTECTION_POLICY'
    const { appealable, ...effect } = judge(dispute, { winner, reason }, context)
    return { outcome: appealable ? 'decided, appealable' : 'decided, final', ...effect }
  },
})
