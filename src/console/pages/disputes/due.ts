import type { Dispute } from '../../forms/dispute-fields.ts'

/** By when somebody must act. */
export const dueOf = (dispute: Pick<Dispute, 'seller_response_due_date' | 'buyer_response_due_date'>) =>
  dispute.seller_response_due_date ?? dispute.buyer_response_due_date

const DAY_MS = 86_400_000

/** How soon somebody must act, as a colour. */
export function urgency(due: string, now: string): string {
  const left = Date.parse(due) - Date.parse(now)
  if (left < DAY_MS) return 'warn'
  return left < 7 * DAY_MS ? 'wait' : ''
}

/** How soon things are due, as the desk groups them. */
export const dueGroups = [
  ['Within a day', DAY_MS],
  ['This week', 7 * DAY_MS],
  ['Later', Number.POSITIVE_INFINITY],
] as const

/** Which of the groups something belongs to. */
export const groupOf = (due: string | null | undefined, now: string): number => {
  const left = Date.parse(due ?? '9999-12-31') - Date.parse(now)
  return dueGroups.findIndex(([, to]) => left < to)
}
