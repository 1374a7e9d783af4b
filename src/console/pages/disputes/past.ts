import { sql } from '../../../database/sql.ts'
import type { Reader } from '../../../database/transaction.ts'
import { type Found, viewerOf } from '../../../disputes/access.ts'
import type { Dispute, Side } from '../../../disputes/schema/dispute.ts'
import { NOT_RECEIVED } from '../../../disputes/schema/enums.ts'

/** A move of a dispute along its lifecycle table, between nodes by their short names. */
export interface Move {
  readonly at: string
  readonly action: string
  readonly from: string | null
  readonly to: string
}

/** What the answer of the API does not tell of what happened, as far as the onlooker may know it. */
export interface Past {
  readonly moves: readonly Move[]
  readonly escalation: Dispute['escalation']
  readonly cancellation: Dispute['cancellation']
  /** When the reason was changed, and what it was before. */
  readonly reason: { readonly changed: string; readonly before: string } | undefined
}

export const isOver = (node: string): boolean => node.startsWith('X')

/** Whether a move ended the dispute, for good or until somebody appeals. */
export const isEnding = ({ from, to }: Move): boolean => isOver(to) && !(from && isOver(from))

/** More than a dispute can have: its offers are limited, and so is all else that moves it. */
const MOVES_MAX = 2_000

const ofDispute = sql`
  select create_time as at, action, from_node as from, to_node as to from dispute_transitions
  where account_id = $1 and dispute_id = $2 order by version limit $3`

export async function pastOf(db: Reader, found: Found): Promise<Past> {
  const { dispute } = found
  const { side, view } = viewerOf(found)
  const { escalation, cancellation } = dispute
  // What somebody wrote for the agent is for their own side and the agent.
  const isFor = (author: Side) => view === 'full' || (view !== 'partner' && side === author)
  const change = dispute.evidences?.find(({ action_info }) => action_info?.action === 'CHANGE_REASON')
  return {
    moves: await db.rows<Move>(ofDispute, [dispute.seller.account_id, dispute.dispute_id, MOVES_MAX]),
    escalation:
      escalation && isFor(escalation.by) ? escalation : escalation && { by: escalation.by, time: escalation.time },
    cancellation: isFor('buyer') ? cancellation : undefined,
    // Only what was not received can become something else.
    reason: change && { changed: change.date, before: NOT_RECEIVED },
  }
}
