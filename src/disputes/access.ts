import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import type { Caller, Role } from '../kernel/caller.ts'
import { forbidden, notFound } from '../kernel/problem.ts'
import type { Dispute, Side } from './schema/dispute.ts'
import { findDispute, type StoredDispute } from './store.ts'
import { rolesFrom, sideOf, type Viewer, viewFrom } from './viewer.ts'

const consent = sql`select 1 from consents where account_id = $1 and app_id = $2`
const consenting = sql`select account_id from consents where app_id = $1 order by account_id limit 1000`

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
