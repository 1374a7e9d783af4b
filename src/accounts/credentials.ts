import { createHash, createHmac, hash, hkdfSync, timingSafeEqual } from 'node:crypto'

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

const tokenForm = new RegExp(`^${TOKEN_PREFIX}[A-Za-z0-9_-]{92}$`)
export const looksLikeToken = (text: string): boolean => tokenForm.test(text)

export const tokenDigest = (token: string): Buffer => hash('sha256', token, 'buffer')

/**
 * A client secret is random and long, so one keyed hash protects it; a slow one would only let strangers keep the
 * token endpoint busy.
 */
export const secretDigest = (secret: string, serviceSecret: string): Buffer =>
  createHmac('sha256', serviceSecret).update(secret).digest()

export const sameDigest = (a: Buffer, b: Buffer): boolean => a.length === b.length && timingSafeEqual(a, b)

const HMAC_BLOCK_BYTES = 64

/**
 * The key of HMAC-SHA-256 for this secret. A key longer than a block is hashed before use, so for the secrets we make
 * this is their hash, and an assertion signed with the secret can be checked without keeping it.
 */
export const assertionKey = (secret: string): Buffer => {
  const bytes = Buffer.from(secret)
  return bytes.length > HMAC_BLOCK_BYTES ? createHash('sha256').update(bytes).digest() : bytes
}
