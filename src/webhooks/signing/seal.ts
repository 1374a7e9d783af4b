import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { SecretRing } from '../../kernel/secrets.ts'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Keeps secrets at rest. Without the service's own secret a copy of the database reveals none of them. */
export interface Seal {
  /** `owner` names what the secret belongs to: a sealed secret moved to another row does not open there. */
  close(plain: Uint8Array, owner: string): Buffer
  /** Opens what any secret of the ring has closed. */
  open(sealed: Uint8Array, owner: string): Buffer
  /** Whether it is closed with the first secret of the ring. */
  isNewest(sealed: Uint8Array, owner: string): boolean
  /** A secret that is kept nowhere, the same each time for the same owner. */
  derived(owner: string): Buffer
}

const REMEMBERED_MAX = 1_000

/** Opens what it opened lately from memory: a webhook's secret is needed for every delivery to it. */
export function remembering(seal: Seal): (sealedHex: string, owner: string) => Buffer {
  const opened = new RecentMap<string, { sealed: string; plain: Buffer }>(REMEMBERED_MAX)
  return (sealed, owner) => {
    const known = opened.get(owner)
    if (known?.sealed === sealed) return known.plain
    const plain = seal.open(Buffer.from(sealed, 'hex'), owner)
    opened.set(owner, { sealed, plain })
    return plain
  }
}

export function makeSeal(ring: SecretRing): Seal {
  const subkey = (secret: string, purpose: string, owner = '') =>
    Buffer.from(hkdfSync('sha256', secret, owner, purpose, 32))
  const keys = ring.map((secret) => subkey(secret, 'webhook secrets at rest'))
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
    derived: (owner) => subkey(ring[0], 'secrets of simulated deliveries', owner),
  }
}
