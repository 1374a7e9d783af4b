import type pg from 'pg'
import { requireCell, requireEnvironment } from '../database/environment.ts'
import type { Reader } from '../database/transaction.ts'
import type { Settings } from '../settings.ts'

/** Refuses a database that is not that of a service with these settings. */
export async function requireOurs(db: Reader, { environment, cell, secrets }: Settings): Promise<void> {
  await requireEnvironment(db, environment)
  await requireCell(db, cell)
  if (secrets === undefined) return
  const { makeSeal, requireSameSecret } = await import('../webhooks/signing/seal.ts')
  await requireSameSecret(db, makeSeal(secrets))
}

/** The same of one whose schema is of an earlier version, before anything of it is changed. */
export const beforeMigrating =
  (settings: Settings) =>
  async (client: pg.Client): Promise<void> => {
    const { readerOf } = await import('../backup/load.ts')
    await requireOurs(readerOf(client), settings).catch(unlessMissing)
  }

/** A schema from before there was such a thing has nothing to say about it. */
export function unlessMissing(error: unknown): void {
  if (!['42P01', '42703'].includes((error as { code?: string }).code ?? '')) throw error
}
