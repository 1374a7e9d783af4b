import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import type { Caller, Role } from '../kernel/caller.ts'
import { forbidden, notFound } from '../kernel/problem.ts'
import type { Dispute, Side } from './schema/dispute.ts'
import { findDispute, type StoredDispute } from './store.ts'

const consent = sql`select 1 from consents where account_id = $1 and app_id = $2`
const consenting = sql`select account_id from consents where app_id = $1 order by account_id limit 1000`

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

/** Someone about to act on a dispute. */
export interface Actor {
  readonly side: Side
  readonly isPartner: boolean
  readonly roles: readonly Role[]
}

export const noDispute = () => notFound('The dispute')

/** Time itself, which has no side of its own. */
export const clockActor: Actor = { side: 'seller', isPartner: false, roles: ['clock'] }

const isOperator = ({ scopes, roles }: Caller) => scopes.has('operator') && roles.includes('agent')

/** A dispute the caller is a party, a partner or the operator of; for everybody else it does not exist. */
export async function findForCaller(
  db: Reader,
  caller: Caller,
  id: string,
): Promise<StoredDispute & { side: Side | 'operator' }> {
  const found = await findDispute(db, id)
  if (!found) throw noDispute()
  if (isOperator(caller)) return { ...found, side: 'operator' }
  const side = sideOf(found.dispute, caller.accountId)
  if (side) return { ...found, side }
  if (await isLinked(db, caller, found.dispute)) return { ...found, side: 'seller' }
  throw noDispute()
}

/** A partner or marketplace that names nobody acts for every merchant that gave it consent. */
async function isLinked(db: Reader, { appId, scopes, onBehalf }: Caller, { seller }: Dispute): Promise<boolean> {
  const forOthers = ['disputes/read-partner', 'disputes/update-partner', 'disputes/read-marketplace']
  if (onBehalf || !forOthers.some((scope) => scopes.has(scope))) return false
  return (await db.row(consent, [seller.account_id, appId])) !== undefined
}

/** The merchants whose disputes a partner or marketplace sees when it names nobody. */
export async function linkedAccounts(db: Reader, { appId }: Caller): Promise<string[]> {
  const rows = await db.rows<{ account_id: string }>(consenting, [appId])
  return rows.map(({ account_id }) => account_id)
}

/** Who the caller is at this dispute, when acting. A party whose token lacks its side's scope is told which. */
export function actorOf(caller: Caller, { dispute, side }: { dispute: Dispute; side: Side | 'operator' }): Actor {
  if (side === 'operator') return { side: 'seller', isPartner: false, roles: ['agent'] }
  const { scopes } = caller
  if (scopes.has(`disputes/update-${side}`))
    return { side, isPartner: false, roles: rolesFrom(side, false, caller, dispute) }
  if (side === 'seller' && scopes.has('disputes/update-partner'))
    return { side, isPartner: true, roles: rolesFrom(side, true, caller, dispute) }
  throw forbidden(`As the ${side} of this dispute you need the scope disputes/update-${side}.`)
}

/** Who the caller is at this dispute, when reading. Scopes that do not show this side show nothing. */
export function viewerOf(caller: Caller, { dispute, side }: { dispute: Dispute; side: Side | 'operator' }): Viewer {
  if (side === 'operator') return { view: 'full', side: 'seller', roles: ['agent'] }
  const view = viewFrom(side, caller.scopes)
  if (!view) throw noDispute()
  return { view, side, roles: rolesFrom(side, view === 'partner', caller, dispute) }
}
