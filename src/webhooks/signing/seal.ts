import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'

const NONCE_BYTES = 12
const TAG_BYTES = 16

/** Keeps secrets at rest. Without the service's own secret a copy of the database reveals none of them. */
export interface Seal {
  /** `owner` names what the secret belongs to: a sealed secret moved to another row does not open there. */
  close(plain: Uint8Array, owner: string): Buffer
  open(sealed: Uint8Array, owner: string): Buffer
  /** A secret that is kept nowhere, the same each time for the same owner. */
  derived(owner: string): Buffer
}

const REMEMBERED_MAX = 1_000

/** Opens what it opened lately from memory: a webhook's secret is needed for every delivery to it. */
export function remembering(seal: Seal): (sealedHex: string, owner: string) => Buffer {
  const opened = new Map<string, { sealed: string; plain: Buffer }>()
  return (sealed, owner) => {
    const known = opened.get(owner)
    if (known?.sealed === sealed) return known.plain
    const plain = seal.open(Buffer.from(sealed, 'hex'), owner)
    if (opened.size >= REMEMBERED_MAX) opened.clear()
    opened.set(owner, { sealed, plain })
    return plain
  }
}

export function makeSeal(serviceSecret: string): Seal {
  const subkey = (purpose: string, owner = '') => Buffer.from(hkdfSync('sha256', serviceSecret, owner, purpose, 32))
  const key = subkey('webhook secrets at rest')
  return {
    close(plain, owner) {
      const nonce = randomBytes(NONCE_BYTES)
      const cipher = createCipheriv('aes-256-gcm', key, nonce).setAAD(Buffer.from(owner))
      return Buffer.concat([nonce, cipher.update(plain), cipher.final(), cipher.getAuthTag()])
    },
    open(sealed, owner) {
      const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, NONCE_BYTES))
      decipher.setAAD(Buffer.from(owner)).setAuthTag(sealed.subarray(-TAG_BYTES))
      return Buffer.concat([decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES)), decipher.final()])
    },
    derived: (owner) => subkey('secrets of simulated deliveries', owner),
  }
}
