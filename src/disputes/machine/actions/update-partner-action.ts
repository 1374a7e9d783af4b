import { readerOf } from '../../../http/validation/reader.ts'
import { fits } from '../../../http/validation/validator.ts'
import { isSound, Money, normalise } from '../../../kernel/money.ts'
import { invalid, notFound, refused } from '../../../kernel/problem.ts'
import { type Static, Type } from '../../../kernel/type.ts'
import { type Dispute, PartnerAction } from '../../schema/dispute.ts'
import { disputeAction } from '../action.ts'
import { PatchBody, type PatchEntry } from './patch.ts'

const readMoney = readerOf(Money)
const statuses = PartnerAction.properties.status

/** A partner updates what it says it did. This never moves the dispute. */
export const updatePartnerAction = disputeAction('update-partner-action', {
  summary: 'Change the status or amount of a partner action',
  scopes: ['disputes/update-partner'],
  body: Type.Object({ action_id: Type.String(), entries: PatchBody }),
  decide(dispute, { action_id, entries }, { now }) {
    const action = { ...entries.reduce(changed, partnerActionIn(dispute, action_id)), update_time: now }
    const partner_actions = dispute.partner_actions!.map((one) => (one.id === action_id ? action : one))
    return { outcome: 'patched', changes: { partner_actions } }
  },
})

export function partnerActionIn({ partner_actions = [] }: Dispute, id: string): PartnerAction {
  const action = partner_actions.find((one) => one.id === id)
  if (!action) throw notFound('The partner action')
  return action
}

function changed(action: PartnerAction, entry: Static<typeof PatchEntry>, i: number): PartnerAction {
  const { op, path } = entry
  const field = path === '/status' ? 'status' : path === '/amount' ? 'amount' : undefined
  if (!field) throw refused('NOT_PATCHABLE', 'Only /status and /amount can be changed.', `/${i}/path`)
  if (op !== 'replace') throw refused('INVALID_PATCH_OPERATION', 'Use replace.', `/${i}/op`)
  if (entry.value === undefined) throw refused('PATCH_VALUE_REQUIRED', 'replace needs a value.', `/${i}/value`)
  const value = field === 'amount' ? readMoney(entry.value) : entry.value
  const sound = field === 'status' ? fits(statuses, value) : fits(Money, value) && isSound(value)
  if (!sound) throw invalid(`/${i}/value`, `This is no ${field} of a partner action.`)
  return { ...action, [field]: field === 'amount' ? normalise(value as Money) : value } as PartnerAction
}
