import type { Role } from '../kernel/caller.ts'
import type { Link } from '../kernel/links.ts'
import { type PublicAction, publicActions } from './machine/actions/index.ts'
import { disputeLifecycle } from './machine/lifecycle.ts'
import type { Dispute } from './schema/dispute.ts'

export type LinkSpelling = 'both' | 'underscore' | 'hyphen'

/**
 * Relations of several words that clients know in two spellings, with hyphens and with underscores. All others only have
 * underscores.
 */
const spelledTwice: ReadonlySet<string> = new Set([
  'provide-evidence',
  'require-evidence',
  'send-message',
  'provide-supporting-info',
])

/** The page at which people look at the dispute. */
export const disputePageUrl = (consoleUrl: string, id: string) => `${consoleUrl}/console/disputes/${id}`

export const disputeUrl = (publicUrl: string, id: string) => `${publicUrl}/v1/customer/disputes/${id}`

/** What these roles may do now, in the order of the table. Exactly these actions have links. */
export const allowedActions = (dispute: Dispute, roles: readonly Role[]): PublicAction[] =>
  disputeLifecycle
    .allowed(dispute, roles)
    .filter((action): action is PublicAction => publicActions.some((known) => known === action))

export function relations(action: PublicAction, spelling: LinkSpelling): string[] {
  const underscored = action.replaceAll('-', '_')
  if (!spelledTwice.has(action)) return [spelling === 'hyphen' ? action : underscored]
  return spelling === 'both' ? [underscored, action] : [spelling === 'hyphen' ? action : underscored]
}

/** `self` first, then one link for each action. A relation with two spellings comes twice, with the same address. */
export function disputeLinks(
  dispute: Dispute,
  roles: readonly Role[],
  publicUrl: string,
  spelling: LinkSpelling,
): Link[] {
  const self = disputeUrl(publicUrl, dispute.dispute_id)
  return [
    { href: self, rel: 'self', method: 'GET' },
    ...allowedActions(dispute, roles).flatMap((action) =>
      relations(action, spelling).map((rel) => ({ href: `${self}/${action}`, rel, method: 'POST' })),
    ),
  ]
}

/** The body of a successful action: the dispute, under both relations that clients look for. */
export const actionLinks = (publicUrl: string, id: string): { links: Link[] } => ({
  links: ['self', 'detail'].map((rel) => ({ href: disputeUrl(publicUrl, id), rel, method: 'GET' })),
})
