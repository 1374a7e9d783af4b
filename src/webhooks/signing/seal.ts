import type { KeyObject } from 'node:crypto'
import { SettingError } from '../../config.ts'
import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import { derivedKey, makeSealedBox, type SealedBox } from '../../kernel/sealed-box.ts'
import { type SecretRing, secretId } from '../../kernel/secrets.ts'
import { signingKey } from './signature.ts'

/** Keeps the secrets of webhooks and signing keys at rest. */
export interface Seal extends SealedBox {
  /** A secret that is kept nowhere, the same each time for the same owner. */
  derived(owner: string): Buffer
  /** Whether something was made with one of these secrets, judged by the id of the secret that is kept with it. */
  madeWith(id: string): boolean
}

const REMEMBERED_MAX = 1_000

/** Keeps what it opened lately in memory: the secret of a webhook is needed for every delivery to it. */
export function remembering(seal: Seal): (sealedHex: string, owner: string) => KeyObject {
  // Keyed by the sealed text. A webhook has two while one secret replaces another; which of them sign is read each time.
  const opened = new RecentMap<string, KeyObject>(REMEMBERED_MAX)
  return (sealed, owner) =>
    opened.getOrMake(`${owner} ${sealed}`, () => signingKey(seal.open(Buffer.from(sealed, 'hex'), owner)))
}

export const makeSeal = (ring: SecretRing): Seal => ({
  ...makeSealedBox(ring, 'webhook secrets at rest'),
  derived: (owner) => derivedKey(ring[0], 'secrets of simulated deliveries', owner),
  madeWith: (id) => ring.some((secret) => secretId(secret) === id),
})

/** The key that signs now. Where there is none, the secret of any webhook. */
const anySealed = sql`
  (select 0 as place, id as owner, sealed from signing_keys where current)
  union all (select 1, id, secret from webhooks limit 1)
  order by place limit 1`
/** Which secrets the client secrets were digested with. Rows older than this column do not tell. */
const digestedBy = sql`select distinct key_id from app_secrets where key_id is not null`

/**
 * Refuses another `QUITTANCE_SECRET` than the one this database was sealed with, because deliveries would wait for ever,
 * unsigned. If nothing is sealed yet, refuses one with which none of the client secrets was digested, because no client
 * could get in.
 */
export async function requireSameSecret(
  db: Reader,
  seal: Seal,
  { of = 'this database', mend = 'set it to what it was before' } = {},
): Promise<void> {
  const found = await db.row<{ owner: string; sealed: Buffer }>(anySealed)
  const isOurs = found ? opens(seal, found) : hasMadeOne(seal, await db.rows(digestedBy))
  if (!isOurs)
    throw new SettingError(
      `QUITTANCE_SECRET is not the one that the keys and secrets in ${of} were made with: ${mend}. "Secrets" in docs/operating.md says what to do when that is lost.`,
    )
}

function opens(seal: Seal, { owner, sealed }: { owner: string; sealed: Buffer }): boolean {
  try {
    seal.open(sealed, owner)
    return true
  } catch {
    return false
  }
}

const hasMadeOne = (seal: Seal, digested: readonly { key_id: string }[]) =>
  digested.length === 0 || digested.some(({ key_id }) => seal.madeWith(key_id))
