import { statfs } from 'node:fs/promises'
import { pendingMigrations } from './database/migrate.ts'
import type { Database } from './database/open.ts'
import { sql } from './database/sql.ts'

const DISK_SHARE_MIN = 0.05
const READY_WITHIN_MS = 500
const ping = sql`select 1`

/** Why this process should not be sent requests now; none when it is ready. */
export async function reasonsNotReady(
  database: Database,
  { isDraining }: { readonly isDraining: boolean },
  dataDir: string | undefined,
): Promise<string[]> {
  if (isDraining) return ['shutting down']
  const late = new Promise<string[]>((resolve) =>
    setTimeout(() => resolve([`the database did not answer within ${READY_WITHIN_MS} ms`]), READY_WITHIN_MS).unref(),
  )
  const asked = async () => {
    await database.rows(ping)
    const pending = await pendingMigrations(database)
    return pending.length === 0 ? [] : [`migrations not applied: ${pending.join(', ')}`]
  }
  const reasons = await Promise.race([asked().catch(() => ['the database cannot be reached']), late])
  const free = dataDir === undefined ? 1 : await freeDiskShare(dataDir)
  return free < DISK_SHARE_MIN ? [...reasons, 'the disk is almost full'] : reasons
}

/** How much of the disk below a folder is free, from 0 to 1. */
async function freeDiskShare(folder: string): Promise<number> {
  const { bavail, blocks } = await statfs(folder)
  return blocks === 0 ? 1 : bavail / blocks
}
