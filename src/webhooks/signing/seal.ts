import { RecentMap } from '../../kernel/recent-map.ts'
import { derivedKey, makeSealedBox, type SealedBox } from '../../kernel/sealed-box.ts'
import type { SecretRing } from '../../kernel/secrets.ts'

/** Keeps the secrets of webhooks and signing keys at rest. */
export interface Seal extends SealedBox {
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

export const makeSeal = (ring: SecretRing): Seal => ({
  ...makeSealedBox(ring, 'webhook secrets at rest'),
  derived: (owner) => derivedKey(ring[0], 'secrets of simulated deliveries', owner),
})
