import type { Actor } from './access.ts'
import { asksAnew, type Step } from './machine/step.ts'
import type { Dispute, Side } from './schema/dispute.ts'

/** What a side is told of a dispute: it began, it is their turn, the other side wrote, it ended. */
export type NewsKind = 'opened' | 'updated' | 'message' | 'resolved'
export type News = Readonly<Partial<Record<Side, NewsKind>>>

/** Both sides are told when a dispute begins or ends, whoever brought that about. */
export const toBoth = (kind: NewsKind): News => ({ seller: kind, buyer: kind })

/** Nobody is told what they did themselves. Others are told when it becomes their turn, or when somebody writes to them. */
export function newsOf({ before, after, row }: Pick<Step, 'before' | 'after' | 'row'>, actor: Actor): News {
  if (after.status === 'RESOLVED') return before.status === 'RESOLVED' ? {} : toBoth('resolved')
  const byParty = !row.by.some((role) => role === 'agent' || role === 'clock')
  const turn = turnOf(after)
  const kindFor = (side: Side): NewsKind | undefined => {
    if (byParty && actor.side === side) return undefined
    if (row.action === 'send-message') return turn === side ? 'updated' : 'message'
    return turn === side && asksAnew(row.action, before, after) ? 'updated' : undefined
  }
  const [seller, buyer] = [kindFor('seller'), kindFor('buyer')]
  return { ...(seller && { seller }), ...(buyer && { buyer }) }
}

const turnOf = ({ status }: Dispute): Side | undefined =>
  status === 'WAITING_FOR_SELLER_RESPONSE' ? 'seller' : status === 'WAITING_FOR_BUYER_RESPONSE' ? 'buyer' : undefined
