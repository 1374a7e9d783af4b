import { createHmac } from 'node:crypto'
import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import type { Caller } from '../kernel/caller.ts'
import { forbidden, invalidToken } from '../kernel/problem.ts'
import type { Holder } from './authenticate.ts'
import { sameDigest } from './credentials.ts'
import type { Account } from './schema.ts'
import { expandScopes } from './scopes.ts'
import { consentScopes, findAccount, findAccountByEmail } from './store.ts'

const ASSERTION_LENGTH_MAX = 10_000
const assertionKeysOf = sql`select assertion_key from app_secrets where app_id = $1`

/**
 * The caller as the account the assertion names. The assertion is only a name: what the caller may do comes from its
 * own token, and from the consent of that account.
 */
export async function actFor(db: Reader, caller: Caller, holder: Holder, assertion: string): Promise<Caller> {
  const { iss, payer_id, email } = await readAssertion(db, caller, assertion)
  if (iss !== caller.clientId) throw invalidToken('The assertion is not of the app that the access token belongs to.')

  const account = payer_id !== undefined ? await findAccount(db, payer_id) : await findAccountByEmail(db, email ?? '')
  if (account?.id === caller.accountId) return caller
  const scopes = await consentedScopes(db, caller, holder, account)
  if (!account || !scopes) throw forbidden('The account the assertion names does not exist or has not given consent.')
  return { ...caller, accountId: account.id, onBehalf: true, scopes }
}

async function consentedScopes(db: Reader, caller: Caller, holder: Holder, account: Account | undefined) {
  if (account?.status !== 'ACTIVE') return undefined
  if (holder.sandbox) return caller.scopes
  const consented = await consentScopes(db, account.id, caller.appId)
  if (!consented) return undefined
  const allowed = expandScopes(consented)
  return new Set([...caller.scopes].filter((scope) => allowed.has(scope)))
}

interface Claims {
  readonly iss: string | undefined
  readonly payer_id: string | undefined
  readonly email: string | undefined
}

/** Reads an unsigned JWT, or one signed with the app's secret. Its `alg` is never trusted to choose anything else. */
async function readAssertion(db: Reader, caller: Caller, assertion: string): Promise<Claims> {
  const malformed = invalidToken('The assertion must be a JWT with "alg" none that names iss and payer_id or email.')
  if (assertion.length > ASSERTION_LENGTH_MAX) throw malformed
  const parts = assertion.split('.')
  const [header = '', payload = '', signature = ''] = parts
  const alg = decode(header)?.['alg']
  const claims = decode(payload)
  if (parts.length > 3 || !claims) throw malformed
  if (alg === 'none' && signature === '') return textClaims(claims)
  if (alg === 'HS256' && (await signedWithSecret(db, caller, `${header}.${payload}`, signature)))
    return textClaims(claims)
  throw malformed
}

async function signedWithSecret(db: Reader, caller: Caller, signed: string, signature: string): Promise<boolean> {
  const given = Buffer.from(signature, 'base64')
  const rows = await db.rows<{ assertion_key: Buffer }>(assertionKeysOf, [caller.appId])
  return rows.some(({ assertion_key }) =>
    sameDigest(createHmac('sha256', assertion_key).update(signed).digest(), given),
  )
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
