import { accountsWith, scopesAt } from '../accounts/consent.ts'
import type { Reader } from '../database/transaction.ts'
import type { Caller, Role } from '../kernel/caller.ts'
import { forbidden, notFound } from '../kernel/problem.ts'
import type { Dispute, Side } from './schema/dispute.ts'
import { findDispute, type StoredDispute } from './store.ts'

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

/** The scopes that open figures and suggestions, which are about whole lists. */
export const figureScopes = ['disputes/read-buyer', 'disputes/read-seller', 'disputes/read'] as const

/** The widest view that these scopes give from a side. Undefined if they do not show that side at all. */
const viewFrom = (side: Side, scopes: ReadonlySet<string>): View | undefined =>
  viewsByScope[side].find(([scope]) => scopes.has(scope))?.[1]

/** Which side of a dispute an account is on. A person who disputes a payment to themselves counts as the seller. */
function sideOf(dispute: Pick<Dispute, 'seller' | 'buyer'>, accountId: string): Side | undefined {
  if (dispute.seller.account_id === accountId) return 'seller'
  return dispute.buyer.account_id === accountId ? 'buyer' : undefined
}

/**
 * The roles a caller has on a side. In the sandbox every party also plays the agent, except a partner and the buyer of a
 * dispute that a bank opened.
 */
function rolesFrom(side: Side, isPartner: boolean, { dispute, held }: Found): Role[] {
  if (isPartner) return ['partner']
  const outsider = side === 'buyer' && dispute.dispute_channel !== 'INTERNAL'
  return outsider ? [side] : [side, ...held.roles]
}

/** Someone about to act on a dispute. */
export interface Actor {
  readonly side: Side
  /** Whether it acts as a partner and may not act as the seller. */
  readonly isPartner: boolean
  readonly roles: readonly Role[]
}

export const noDispute = () => notFound('The dispute')

/** The passing of time as an actor. It has no side of its own. */
export const clockActor: Actor = { side: 'seller', isPartner: false, roles: ['clock'] }

const isOperator = ({ scopes, roles }: Caller) => scopes.has('operator') && roles.includes('agent')

/**
 * What somebody holds at one dispute: roles that do not depend on the side, and scopes. For a partner, only the scopes
 * consented to.
 */
type Held = Pick<Caller, 'roles' | 'scopes'>

/** A dispute with who the caller is at it. Whatever a caller sees or does there is decided from this alone. */
export interface Found {
  readonly dispute: Dispute
  readonly side: Side | 'operator'
  readonly held: Held
}

/** A partner needs one of these scopes. Otherwise the disputes of the merchant do not exist for it. */
const sellerScopes = [
  ...viewsByScope.seller.map(([scope]) => scope),
  'disputes/update-seller',
  'disputes/update-partner',
]

/**
 * A dispute of which the caller is a party, a partner or the operator. For everybody else it does not exist. A partner that
 * names nobody acts for every merchant who gave it consent, as far as the consent goes: it must also open the operation.
 */
export async function findForCaller(
  db: Reader,
  caller: Caller,
  id: string,
  operation: readonly string[],
): Promise<StoredDispute & Found> {
  return foundFor(db, caller, await findDispute(db, id), operation)
}

/** The same for a dispute that was read already. Undefined stands for one that does not exist. */
export async function foundFor<Read extends Pick<Found, 'dispute'>>(
  db: Reader,
  caller: Caller,
  found: Read | undefined,
  operation: readonly string[],
): Promise<Read & Found> {
  if (!found) throw noDispute()
  if (isOperator(caller)) {
    if (caller.onlyUnderReview && found.dispute.status !== 'UNDER_REVIEW') throw noDispute()
    return { ...found, side: 'operator', held: caller }
  }
  const side = sideOf(found.dispute, caller.accountId)
  if (side) return { ...found, side, held: caller }
  const scopes = await scopesAt(db, caller, found.dispute.seller.account_id)
  if (!sellerScopes.some((scope) => scopes.has(scope))) throw noDispute()
  const opening = operation.filter((scope) => sellerScopes.includes(scope))
  if (!opening.some((scope) => scopes.has(scope)))
    throw forbidden(
      opening.length === 0
        ? 'This operation is not for partners of the seller.'
        : `The merchant has not consented to ${opening.join(' or ')}.`,
    )
  return { ...found, side: 'seller', held: { roles: caller.roles, scopes } }
}

/** Whose disputes an operation shows to a caller: those of sellers, with what is held at each, and its own as buyer. */
export interface Sight {
  readonly sellers: ReadonlyMap<string, ReadonlySet<string>>
  readonly buyer: string | undefined
  readonly own: Held
}

/**
 * The sight of a caller: its own disputes as seller and as buyer, and those of the merchants whose consent opens the
 * operation.
 */
export async function sightOf(db: Reader, caller: Caller, operation: readonly string[]): Promise<Sight> {
  const asSeller = operation.filter((scope) => viewsByScope.seller.some(([one]) => one === scope))
  const asBuyer = operation.filter((scope) => viewsByScope.buyer.some(([one]) => one === scope))
  return {
    sellers: await accountsWith(db, caller, asSeller),
    buyer: asBuyer.some((scope) => caller.scopes.has(scope)) ? caller.accountId : undefined,
    own: caller,
  }
}

/** Who the caller is at a dispute, when its sight has shown the dispute from this side. */
export function seenIn({ sellers, own }: Sight, dispute: Dispute, side: Side): Found {
  if (side === 'buyer') return { dispute, side, held: own }
  return { dispute, side, held: { roles: own.roles, scopes: sellers.get(dispute.seller.account_id)! } }
}

/** The sellers of a sight at whose disputes the caller has the widest view. */
export const fullySeen = ({ sellers }: Sight): string[] =>
  [...sellers].filter(([, scopes]) => viewFrom('seller', scopes) === 'full').map(([id]) => id)

/** Who the caller is at this dispute, when acting. If a party's token lacks the scope of its side, the refusal names it. */
export function actorOf(found: Found): Actor {
  const { side, held } = found
  if (side === 'operator') return { side: 'seller', isPartner: false, roles: ['agent'] }
  const asParty = held.scopes.has(`disputes/update-${side}`)
  const asPartner = side === 'seller' && held.scopes.has('disputes/update-partner')
  if (!asParty && !asPartner)
    throw forbidden(`As the ${side} of this dispute you need the scope disputes/update-${side}.`)
  const roles = rolesFrom(side, !asParty, found)
  // A partner that may do what the seller does can still tell what it did itself.
  return { side, isPartner: !asParty, roles: asParty && asPartner ? [...roles, 'partner'] : roles }
}

/** Who the caller is at this dispute, when reading. If its scopes do not show this side, it sees nothing. */
export function viewerOf(found: Found): Viewer {
  const { side, held } = found
  if (side === 'operator') return { view: 'full', side: 'seller', roles: ['agent'] }
  const view = viewFrom(side, held.scopes)
  if (!view) throw noDispute()
  return { view, side, roles: rolesFrom(side, linksAsPartner(found, view), found) }
}

/**
 * Whether the links are those of a partner. That depends on what the caller may change or, if that is nothing, on what it
 * sees.
 */
const linksAsPartner = ({ side, held: { scopes } }: Found, view: View): boolean =>
  side === 'seller' &&
  !scopes.has('disputes/update-seller') &&
  (scopes.has('disputes/update-partner') || view === 'partner')
