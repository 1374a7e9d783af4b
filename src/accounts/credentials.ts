import { createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'
import { marked, markOf } from '../kernel/cell.ts'
import { keyOf, type SecretRing } from '../kernel/secrets.ts'

const TOKEN_PREFIX = 'A21AA'
const TOKEN_BYTES = 69

/**
 * The access token with this id. It is derived, not stored, so that the same token can be handed out again while the
 * database holds only its digest.
 */
export function tokenOf(id: string, serviceSecret: string): string {
  const bytes = hkdfSync('sha256', serviceSecret, id, 'access token', TOKEN_BYTES)
  return TOKEN_PREFIX + Buffer.from(bytes).toString('base64url')
}

/** The text of a token that was handed out; undefined when the secret that it was derived from is gone. */
export function tokenTextOf({ id, digest }: { id: string; digest: Buffer }, ring: SecretRing): string | undefined {
  const texts = ring.flatMap((secret) => {
    const text = tokenOf(id, secret)
    return [text, marked('accessToken', text, markOf('token', id))]
  })
  return texts.find((candidate) => sameDigest(tokenDigest(candidate), digest))
}

const tokenForm = new RegExp(`^${TOKEN_PREFIX}[A-Za-z0-9_-]{92}$`)
export const looksLikeToken = (text: string): boolean => tokenForm.test(text)

export const tokenDigest = (token: string): Buffer => hash('sha256', token, 'buffer')

/**
 * A client secret is random and long, so one keyed hash protects it. A slow hash would only let strangers keep the token
 * endpoint busy.
 */
export const secretDigest = (secret: string, serviceSecret: string): Buffer =>
  createHmac('sha256', keyOf(serviceSecret)).update(secret).digest()

export const sameDigest = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)
