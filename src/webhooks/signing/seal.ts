import { SettingError } from '../../config.ts'
import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
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

/** The key that signs now; where there is none, any webhook's secret. */
const anySealed = sql`
  (select 0 as place, id as owner, sealed from signing_keys where current)
  union all (select 1, id, secret from webhooks limit 1)
  order by place limit 1`

/** Refuses another `QUITTANCE_SECRET` than this database was sealed with: deliveries would wait for ever, unsigned. */
export async function requireSameSecret(db: Reader, seal: Seal): Promise<void> {
  const found = await db.row<{ owner: string; sealed: Buffer }>(anySealed)
  try {
    if (found) seal.open(found.sealed, found.owner)
  } catch {
    throw new SettingError(
      'QUITTANCE_SECRET is not the one that the keys and webhook secrets in this database were sealed with: set it to what it was before. "Secrets" in docs/operating.md says what to do when that is lost.',
    )
  }
}
