import { Money, normalise } from '../../../kernel/money.ts'
import { invalid, Problem } from '../../../kernel/problem.ts'
import { Type } from '../../../kernel/type.ts'
import type { Dispute } from '../../schema/dispute.ts'
import { NOT_AS_DESCRIBED, type Reason, reasons } from '../../schema/enums.ts'
import { Extensions, readExtensions } from '../../schema/extensions.ts'
import { exactItems, Item, Note } from '../../schema/given.ts'
import { disputeAction } from '../action.ts'
import { amountIssues, refuseIssues } from '../amounts.ts'
import { ask, usualRequest } from '../evidence.ts'
import { limits } from '../limits.ts'
import { withdrawn } from '../offers.ts'

/** What a dispute about something not received can turn into. */
export const reasonTargets: readonly Reason[] = [NOT_AS_DESCRIBED, 'UNAUTHORISED']

/** The item came, and it is wrong; or the buyer never made the payment. */
export const changeReason = disputeAction('change-reason', {
  summary: 'Change the reason of the dispute',
  scopes: ['disputes/update-buyer'],
  body: Type.Object({
    reason: Type.Optional(Type.Enum([...reasons])),
    note: Type.Optional(Note),
    item_info: Type.Optional(Type.Array(Item, { maxItems: 100 })),
    extensions: Type.Optional(Extensions),
    buyer_requested_amount: Type.Optional(Money),
  }),
  files: limits.filesPerRequest,
  decide(dispute, { reason, note, item_info = [], extensions, buyer_requested_amount: requested }, context) {
    if (reason === undefined) throw breach('MISSING_REASON_CODE', 'Say what the reason shall be.')
    if (!reasonTargets.includes(reason))
      throw breach('DISPUTE_REASON_NOT_ELIGIBLE', `The reason can become ${reasonTargets.join(' or ')}.`)
    if (requested) refuseIssues(amountIssues(dispute, requested, 'INVALID_DISPUTE_AMOUNT', '/buyer_requested_amount'))

    const { uploads, now } = context
    const { offer, ...withdrawal } = withdrawn(dispute)
    const statement = {
      evidence_type: 'CHANGE_REASON',
      ...(note !== undefined && { notes: note }),
      ...(uploads.length > 0 && { documents: uploads }),
      source: 'SUBMITTED_BY_BUYER' as const,
      date: now,
      action_info: { action: 'CHANGE_REASON' },
      dispute_life_cycle_stage: dispute.dispute_life_cycle_stage,
    }
    const told = { ...dispute, evidences: [...(dispute.evidences ?? []), statement] }
    return {
      outcome: 'changed',
      changes: {
        ...withdrawal,
        offer: { ...offer!, ...(requested && { buyer_requested_amount: normalise(requested) }) },
        offered_address: undefined,
        offered_invoice_id: undefined,
        reason,
        ...(extensions && { extensions: { ...dispute.extensions, ...readExtensions(extensions) } }),
        disputed_transactions: withItems(dispute, exactItems(item_info, '/item_info')),
        evidences: ask(told, 'seller', usualRequest(reason, 'seller'), context, 'CHARGEBACK'),
      },
    }
  },
})

const breach = (issue: string, description: string) =>
  new Problem(400, 'VALIDATION_ERROR', [{ issue, field: '/reason', description }])

/** Items named again are brought up to date, new ones are added. */
function withItems({ disputed_transactions }: Dispute, told: readonly Item[]): Dispute['disputed_transactions'] {
  const [first, ...others] = disputed_transactions
  const known = first!.items ?? []
  const updated = known.map((item) => ({ ...item, ...told.find(({ item_id }) => item_id && item_id === item.item_id) }))
  const added = told.filter(({ item_id }) => !item_id || !known.some((item) => item.item_id === item_id))
  const items = [...updated, ...added]
  if (items.length > limits.items)
    throw invalid('/item_info', `A dispute holds at most ${limits.items} items; with these there are ${items.length}.`)
  return [{ ...first!, ...(items.length > 0 && { items }) }, ...others]
}
