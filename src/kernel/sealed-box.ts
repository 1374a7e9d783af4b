import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
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

/** A key that is stored nowhere. It is always the same for the same purpose and owner. */
export const derivedKey = (secret: string, purpose: string, owner = ''): Buffer =>
  Buffer.from(hkdfSync('sha256', secret, owner, purpose, 32))

export function makeSealedBox(ring: SecretRing, purpose: string): SealedBox {
  const keys = ring.map((secret) => derivedKey(secret, purpose))
  const openWith = (key: Buffer, sealed: Uint8Array, owner: string): Buffer => {
    const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
    decipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(-TAG_BYTES))
    return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
  }
  const tryWith = (key: Buffer, sealed: Uint8Array, owner: string): Buffer | undefined => {
    try {
      return openWith(key, sealed, owner)
    } catch {
      return undefined
    }
  }
  return {
    close(plain, owner) {
      const nonce = randomBytes(NONCE_BYTES)
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
