import {
  createCipheriv,
  createDecipheriv,
  createSecretKey,
  hkdfSync,
  type KeyObject,
  randomFillSync,
} from 'node:crypto'
import type { SecretRing } from './secrets.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * Seals what must not be readable where it is stored: without the service's own secret, a copy of the database reveals none
 * of it.
 */
export interface SealedBox {
  /** `owner` names what it belongs to. Moved to another row, it cannot be opened. */
  close(plain: Uint8Array, owner: string): Buffer
  /** Opens what any secret of the ring has sealed. */
  open(sealed: Uint8Array, owner: string): Buffer
  /** Whether it is closed with the first secret of the ring. */
  isNewest(sealed: Uint8Array, owner: string): boolean
}

// Taken from the system in blocks, because a call for each would cost as much as the sealing.
const nonces = Buffer.alloc(NONCE_BYTES * 256)
let used = nonces.length

/** To be used at once: its place gets other bytes later. */
function newNonce(): Buffer {
  if (used === nonces.length) {
    randomFillSync(nonces)
    used = 0
  }
  used += NONCE_BYTES
  return nonces.subarray(used - NONCE_BYTES, used)
}

/** A key that is stored nowhere. It is always the same for the same purpose and owner. */
export const derivedKey = (secret: string, purpose: string, owner = ''): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, owner, purpose, 32))

export function makeSealedBox(ring: SecretRing, purpose: string): SealedBox {
  // Made into keys once: newer engines take longer to do so at every use than to seal a short text.
  const keys = ring.map((secret) => createSecretKey(derivedKey(secret, purpose)))
  const openWith = (key: KeyObject, sealed: Uint8Array, owner: string): Buffer => {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
    decipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  }
  const tryWith = (key: KeyObject, sealed: Uint8Array, owner: string): Buffer | undefined => {
    try {
      return openWith(key, sealed, owner)
    } catch {
      return undefined
    }
  }
  return {
    close(plain, owner) {
      const nonce = newNonce()
      const cipher = createCipheriv('aes-256-gcm', keys[0]!, nonce).setAAD(Buffer.from(owner))
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, owner) {
      for (const key of keys) {
        const plain = tryWith(key, sealed, owner)
        if (plain) return plain
      }
      throw new Error(`No secret of the service opens what ${owner} has sealed.`)
    },
    isNewest: (sealed, owner) => tryWith(keys[0]!, sealed, owner) !== undefined,
  }
}
