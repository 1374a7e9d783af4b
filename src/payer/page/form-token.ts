import { createHmac, randomBytes } from 'node:crypto'
import { cookieOf } from '../../http/cookies.ts'
import { after, type Instant } from '../../kernel/clock.ts'
import { isSigned, type SecretRing } from '../../kernel/secrets.ts'
import type { Service } from '../../room.ts'

/** How long a form can be sent after its page was shown. */
export const FORM_SECONDS = 3_600

/** A token that lets one browser send one form once, for one purpose, within the hour. */
export interface FormToken {
  readonly nonce: string
  readonly text: string
}

export interface FormPurpose {
  /** The value of a cookie of this browser. Another site can neither read nor guess it. */
  readonly session: string
  /** What the form does and with which values. The token of another form does not fit. */
  readonly purpose: string
}

export function issueFormToken(
  [secret]: SecretRing,
  { session, purpose }: FormPurpose,
  now: Instant,
  seconds = FORM_SECONDS,
): FormToken {
  const nonce = randomBytes(18).toString('base64url')
  const expires = after(now, seconds)
  return {
    nonce,
    text: `${nonce}.${Date.parse(expires)}.${sign(secret, session, purpose, nonce, String(Date.parse(expires)))}`,
  }
}

/** The nonce of a token that fits. Undefined for one that is forged, old, or of another browser or form. */
export function readFormToken(
  ring: SecretRing,
  { session, purpose }: FormPurpose,
  text: string,
  now: Instant,
): string | undefined {
  const [nonce, expires, signature] = text.split('.')
  if (nonce === undefined || expires === undefined || signature === undefined) return undefined
  if (!isSigned(ring, signature, (secret) => sign(secret, session, purpose, nonce, expires))) return undefined
  return Number(expires) > Date.parse(now) ? nonce : undefined
}

const sign = (secret: string, ...parts: string[]) =>
  createHmac('sha256', `payer form\0${secret}`).update(JSON.stringify(parts)).digest('base64url')

const COOKIE = 'payer'

/** The browser's session as its cookie says, or a new one. */
export function sessionOf(cookies: string | undefined): { session: string; isNew: boolean } {
  const found = cookieOf(cookies, COOKIE)
  return found !== undefined && /^[\w-]{43}$/.test(found)
    ? { session: found, isNew: false }
    : { session: randomBytes(32).toString('base64url'), isNew: true }
}

export const sessionCookie = (session: string, publicUrl: string): string =>
  `${COOKIE}=${session}; Path=/invoice; HttpOnly; SameSite=Strict${publicUrl.startsWith('https:') ? '; Secure' : ''}`

/**
 * Whether a form came from a page of ours. A browser always says where a form comes from, so a form that does not say is
 * refused. A sandbox may be opened under any name of the machine, so there the name in the request counts too.
 */
export function isOwnOrigin(
  headers: Readonly<Record<string, string | string[] | undefined>>,
  { publicUrl, environment }: Pick<Service, 'publicUrl' | 'environment'>,
): boolean {
  const { origin, host } = headers
  const site = headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin') return false
  if (typeof origin !== 'string' || !URL.canParse(origin)) return false
  return origin === new URL(publicUrl).origin || (environment === 'sandbox' && new URL(origin).host === host)
}
