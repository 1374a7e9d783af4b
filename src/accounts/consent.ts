import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import type { Caller } from '../kernel/caller.ts'
import { expandScopes } from './scopes.ts'

// The consent of a suspended account does not count, just as its own tokens do not.
const consentOf = sql`
  select c.scopes from consents c join accounts a on a.id = c.account_id
  where c.account_id = $1 and c.app_id = $2 and a.status = 'ACTIVE'`
const consentsWith = sql`
  select c.account_id, c.scopes from consents c join accounts a on a.id = c.account_id
  where c.app_id = $1 and c.scopes && $2 and a.status = 'ACTIVE' order by c.account_id limit $3`

/** A partner that names no merchant is shown things of at most this many accounts; to see more, it must name the merchant. */
export const ACCOUNTS_AT_ONCE_MAX = 1_000

const nothing: ReadonlySet<string> = new Set()

const both = (scopes: ReadonlySet<string>, consented: readonly string[]): ReadonlySet<string> => {
  const allowed = expandScopes(consented)
  return new Set([...scopes].filter((scope) => allowed.has(scope)))
}

/** Which of these scopes the app may use for an account, by that account's present consent. */
export async function consentedScopes(
  db: Reader,
  accountId: string,
  { appId, scopes }: Pick<Caller, 'appId' | 'scopes'>,
): Promise<ReadonlySet<string>> {
  const consent = await db.row<{ scopes: string[] }>(consentOf, [accountId, appId])
  return consent ? both(scopes, consent.scopes) : nothing
}

/**
 * What the caller may do with things of an account: everything that its token allows when it is the account that the caller
 * acts for, and what the account has consented to when it is another. Every way to another account's things asks here.
 */
export async function scopesAt(db: Reader, caller: Caller, accountId: string): Promise<ReadonlySet<string>> {
  if (accountId === caller.accountId) return caller.scopes
  return caller.hasConsents && !caller.onBehalf ? consentedScopes(db, accountId, caller) : nothing
}

/** The accounts at which the caller holds any of these scopes, its own included, each with all the scopes held there. */
export async function accountsWith(
  db: Reader,
  caller: Caller,
  wanted: readonly string[],
): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const held = wanted.filter((scope) => caller.scopes.has(scope))
  if (held.length === 0) return new Map()
  const others =
    caller.hasConsents && !caller.onBehalf
      ? await db.rows<{ account_id: string; scopes: string[] }>(consentsWith, [
          caller.appId,
          held,
          ACCOUNTS_AT_ONCE_MAX,
        ])
      : []
  return new Map([
    ...others.map(({ account_id, scopes }) => [account_id, both(caller.scopes, scopes)] as const),
    [caller.accountId, caller.scopes],
  ])
}
