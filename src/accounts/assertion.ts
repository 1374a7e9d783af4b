import type { Reader } from '../database/transaction.ts'
import type { Caller } from '../kernel/caller.ts'
import { forbidden, invalidToken } from '../kernel/problem.ts'
import { consentedScopes } from './consent.ts'
import type { Account } from './schema.ts'
import { findAccount, findAccountByEmail } from './store.ts'

const ASSERTION_LENGTH_MAX = 10_000
/** What the seeded accounts of a sandbox were called before their ids had the published form. */
const formerIds: Readonly<Record<string, string>> = {
  MERCHANT00001: 'MERCHANTAAAAA',
  MERCHANT00002: 'MERCHANTBBBBB',
  BUYER00000001: 'BUYERAAAAAAAA',
  PARTNER000001: 'PARTNERAAAAAA',
}

/**
 * The caller, acting as the account that the assertion names. The assertion is only a name: what the caller may do comes from
 * its own token, and from the consent of that account. Only a seeded app of a sandbox needs no consent.
 */
export async function actFor(
  db: Reader,
  caller: Caller,
  assertion: string,
  { needsConsent }: { needsConsent: boolean },
): Promise<Caller> {
  const { iss, payer_id, email } = readAssertion(assertion)
  if (iss !== caller.clientId) throw invalidToken('The assertion is not of the app that the access token belongs to.')

  const account = payer_id !== undefined ? await byId(payer_id) : await findAccountByEmail(db, email ?? '')
  if (account?.id === caller.accountId) return caller
  // Asked about an account that does not exist too, so that the time of the answer tells nothing.
  const scopes = needsConsent ? await consentedScopes(db, account?.id ?? '', caller) : caller.scopes
  if (account?.status !== 'ACTIVE' || scopes.size === 0)
    throw forbidden('The account the assertion names does not exist or has not given consent.')
  // Only an account that lives in this cell can have consented here, so the caller is not turned away to another one.
  const { elsewhere: _own, ...acting } = caller
  return { ...acting, accountId: account.id, onBehalf: true, scopes }

  async function byId(id: string): Promise<Account | undefined> {
    const former = needsConsent ? undefined : formerIds[id]
    return (await findAccount(db, id)) ?? (former === undefined ? undefined : findAccount(db, former))
  }
}

interface Claims {
  readonly iss: string | undefined
  readonly payer_id: string | undefined
  readonly email: string | undefined
}

/**
 * Reads an unsigned JWT. A signature would prove nothing that the access token beside it does not, and checking one
 * would mean keeping what it was made with, so a signed assertion is refused.
 */
function readAssertion(assertion: string): Claims {
  const [header = '', payload = '', signature = '', ...more] = assertion.split('.', 4)
  const claims = decode(payload)
  const isUnsigned = decode(header)?.['alg'] === 'none' && signature === '' && more.length === 0
  if (assertion.length > ASSERTION_LENGTH_MAX || !isUnsigned || !claims)
    throw invalidToken('The assertion must be a JWT with "alg" none, unsigned, that names iss and payer_id or email.')
  return textClaims(claims)
}

function decode(part: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part, 'base64').toString('utf8'))
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

const textClaims = (claims: Record<string, unknown>): Claims => {
  const text = (name: string) => (typeof claims[name] === 'string' && claims[name] !== '' ? claims[name] : undefined)
  return { iss: text('iss'), payer_id: text('payer_id'), email: text('email') }
}
