import { createHmac, createPublicKey, createSecretKey, KeyObject, sign, verify } from 'node:crypto'
import { crc32 } from 'node:zlib'
import { type Instant, toSeconds } from '../../kernel/clock.ts'

/** The name of the certificate signature, as it stands in the header of a delivery. */
export const AUTH_ALGORITHM = 'SHA256withRSA'

const SECRET_PREFIX = 'whsec_'
export const SECRET_BYTES = 32

/** What identifies one delivery of one event to one webhook, and stays the same over its retries. */
export interface Transmission {
  readonly id: string
  readonly time: Instant
  readonly webhookId: string
}

/** The text the certificate's key signs. It names the body by its checksum. */
export function signedMessage({ id, time, webhookId }: Transmission, body: string | Uint8Array): string {
  return `${id}|${toSeconds(time)}|${webhookId}|${crc32(body)}`
}

/** Signs on the thread pool: half a millisecond of arithmetic would hold up every request of the process. */
export function signMessage(message: string, key: KeyObject): Promise<string> {
  return new Promise((resolve, reject) =>
    sign('RSA-SHA256', Buffer.from(message), key, (error, signature) =>
      error ? reject(error) : resolve(signature.toString('base64')),
    ),
  )
}

/** Whether the certificate's key signed exactly this message. A signature that cannot be read did not. */
export function isSignedBy(message: string, signature: string, certificate: string): Promise<boolean> {
  return new Promise((resolve) => {
    try {
      const key = createPublicKey(certificate)
      verify('RSA-SHA256', Buffer.from(message), key, Buffer.from(signature, 'base64'), (error, ok) =>
        resolve(!error && ok),
      )
    } catch {
      resolve(false)
    }
  })
}

export const printSecret = (secret: Uint8Array) => SECRET_PREFIX + Buffer.from(secret).toString('base64')

/** A webhook's secret to sign with. Who signs often makes a key of it once, which costs as much as the signature. */
export type SigningSecret = Uint8Array | KeyObject

/** Newer engines take 10 µs longer for an HMAC with bytes than for one with a key, even when it was made for this one. */
export const signingKey = (secret: SigningSecret) => (secret instanceof KeyObject ? secret : createSecretKey(secret))

/** One signature of the Standard Webhooks specification: `v1,` and the HMAC over id, attempt time and body. */
const standardSignature = (id: string, seconds: number, body: Uint8Array, secret: SigningSecret) =>
  `v1,${createHmac('sha256', signingKey(secret)).update(`${id}.${seconds}.`).update(body).digest('base64')}`

/** The headers of the Standard Webhooks specification; while a secret is being replaced, one signature for each. */
export function standardHeaders(
  { id, seconds, body }: { id: string; seconds: number; body: Uint8Array },
  secrets: readonly SigningSecret[],
): Record<string, string> {
  return {
    'webhook-id': id,
    'webhook-timestamp': String(seconds),
    'webhook-signature': secrets.map((secret) => standardSignature(id, seconds, body, secret)).join(' '),
  }
}
