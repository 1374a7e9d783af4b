import { Type } from '../../../kernel/type.ts'
import { disputeAction } from '../action.ts'
import { ask, usualRequest } from '../evidence.ts'

/** Words in a buyer's opening statement that keep a sandbox dispute with the agents. */
export const HOLD_IN_REVIEW = 'HOLD_IN_REVIEW'

/** The first look at a new dispute: usually the seller is asked to answer. */
export const triage = disputeAction('triage', {
  summary: 'Look at a new dispute first',
  scopes: [],
  body: Type.Object({}),
  decide(dispute, _input, context) {
    const { rules } = context
    const told = (dispute.evidences ?? []).some(({ notes }) => notes?.includes(HOLD_IN_REVIEW))
    const alert = dispute.dispute_channel === 'ALERT'
    // The seller may heed an alert or not. Nobody decides it, so it never goes to the agents.
    if (!alert && (rules.triageTarget === 'REVIEW' || (rules.sandbox && told)))
      return { outcome: 'review', changes: {} }
    const types = alert ? [] : usualRequest(dispute.reason, 'seller')
    return { outcome: 'seller to answer', changes: { evidences: ask(dispute, 'seller', types, context) } }
  },
})
