import { createHmac, createSecretKey, type KeyObject, timingSafeEqual } from 'node:crypto'
import { RecentMap } from './recent-map.ts'

/** The service's secrets. The first one seals and signs, and all of them open and verify. This way one can replace another. */
export type SecretRing = readonly [string, ...string[]]

const SECRET_LENGTH_MIN = 32

/**
 * Reads secrets that are separated by line ends, or else by commas. Undefined if one of them is too short. A comma that
 * would leave too little on either side is part of a secret, because there was a single secret before there could be
 * several.
 */
export function readSecretRing(text: string, lengthMin = SECRET_LENGTH_MIN): SecretRing | undefined {
  const ring = (parts: readonly string[]) => ringOf(parts, lengthMin)
  return text.includes('\n') ? ring(text.split('\n')) : (ring(text.split(',')) ?? ring([text]))
}

function ringOf(parts: readonly string[], lengthMin: number): SecretRing | undefined {
  const [first, ...others] = parts.map((secret) => secret.trim()).filter((secret) => secret !== '')
  if (first === undefined || [first, ...others].some((secret) => secret.length < lengthMin)) return undefined
  return [first, ...others]
}

/** The secret of a sandbox, if nobody sets one. */
export const SANDBOX_SECRET = 'sandbox-secret-known-to-everybody'
const KINDS_OF_CHARACTERS_MIN = 10

/**
 * Whether others know or can guess it. The sandbox's own secret counts as known anywhere in the ring. The first secret,
 * which makes everything new, must also not have few different characters, repeat a word, or consist of runs such as abcdef
 * and 9876. Behind a better one, such a secret may still open what it sealed.
 */
export function isGuessable(ring: SecretRing): boolean {
  const [first] = ring
  const isRepeated = Array.from(first, (_, i) => i).some(
    (i) => i > 0 && i <= first.length / 2 && first.startsWith(first.slice(i)),
  )
  return ring.includes(SANDBOX_SECRET) || new Set(first).size < KINDS_OF_CHARACTERS_MIN || isRepeated || isRun(first)
}

/** Whether most characters are neighbours of the one before. Among random hexadecimal digits, one in nine is. */
function isRun(secret: string): boolean {
  const steps = Array.from(secret.slice(1), (_, i) => secret.charCodeAt(i + 1) - secret.charCodeAt(i))
  return steps.filter((step) => Math.abs(step) === 1).length > steps.length / 2
}

/** The few secrets that a process has, as keys. Every request for a token asks for one, and made anew it costs as much as its use. */
const keys = new RecentMap<string, KeyObject>(16)

export const keyOf = (secret: string): KeyObject => keys.getOrMake(secret, () => createSecretKey(Buffer.from(secret)))

/** The ids of the few secrets that a process has. Every request for a token asks for one. */
const ids = new RecentMap<string, string>(16)

/** Tells with which secret something was made, and reveals nothing else about it. */
export const secretId = (secret: string): string =>
  ids.getOrMake(secret, () => createHmac('sha256', secret).update('the id of this secret').digest('hex').slice(0, 16))

/** Whether this is what `sign` makes with one of the secrets. */
export function isSigned(ring: SecretRing, signature: string, sign: (secret: string) => string): boolean {
  const given = Buffer.from(signature, 'base64url')
  return ring.some((secret) => {
    const right = Buffer.from(sign(secret), 'base64url')
    return given.length === right.length && timingSafeEqual(given, right)
  })
}
