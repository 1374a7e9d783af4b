import type { Caller, Role } from '../kernel/caller.ts'
import type { Dispute, Side } from './schema/dispute.ts'

/** How much of a dispute someone sees. */
export type View = 'full' | 'partner' | 'seller' | 'marketplace' | 'buyer'

/** Someone looking at a dispute: from which side, how much of it, and what they may do. */
export interface Viewer {
  readonly view: View
  readonly side: Side
  readonly roles: readonly Role[]
}

/** The scopes that show a side's disputes, the widest view first. */
// biome-ignore format: a table reads best as a table
const viewsByScope: Readonly<Record<Side, readonly (readonly [scope: string, view: View])[]>> = {
  seller: [
    ['disputes/read', 'full'],
    ['disputes/read-partner', 'partner'],
    ['disputes/read-seller', 'seller'],
    ['disputes/read-marketplace', 'marketplace'],
  ],
  buyer: [
    ['disputes/read', 'full'],
    ['disputes/read-buyer', 'buyer'],
  ],
}

export const readScopes = [
  'disputes/read-buyer',
  'disputes/read-seller',
  'disputes/read-marketplace',
  'disputes/read',
  'disputes/read-partner',
] as const

/** The widest view these scopes give from a side; none when they do not show that side at all. */
export const viewFrom = (side: Side, scopes: ReadonlySet<string>): View | undefined =>
  viewsByScope[side].find(([scope]) => scopes.has(scope))?.[1]

/** Which side of a dispute an account sits on. A person who disputes a payment to themselves is the seller first. */
export function sideOf(dispute: Pick<Dispute, 'seller' | 'buyer'>, accountId: string): Side | undefined {
  if (dispute.seller.account_id === accountId) return 'seller'
  return dispute.buyer.account_id === accountId ? 'buyer' : undefined
}

/**
 * What a caller may do from a side. In the sandbox every party also plays the agent; a partner does not, and neither
 * does the buyer of a dispute that a bank opened.
 */
export function rolesFrom(side: Side, isPartner: boolean, caller: Pick<Caller, 'roles'>, dispute: Dispute): Role[] {
  if (isPartner) return ['partner']
  const outsider = side === 'buyer' && dispute.dispute_channel !== 'INTERNAL'
  return outsider ? [side] : [side, ...caller.roles]
}
