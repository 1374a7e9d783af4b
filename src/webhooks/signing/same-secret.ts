import { SettingError } from '../../config.ts'
import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Seal } from './seal.ts'

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
