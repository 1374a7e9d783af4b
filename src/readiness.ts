import { statfs } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import { BusyError } from './database/errors.ts'
import { pendingMigrations } from './database/migrate.ts'
import type { Database } from './database/open.ts'

const DISK_SHARE_MIN = 0.05
/** A balancer that asks must have its answer soon. */
const ANSWER_WITHIN_MS = 500
/** A database that answered anything lately is slow, and one that did not is away without a word. */
const SILENT_MAX_MS = 5_000

/** Why this process should not be sent requests now; none when it is ready. */
export async function reasonsNotReady(
  database: Database,
  { isDraining }: { readonly isDraining: boolean },
  dataDir: string | undefined,
): Promise<string[]> {
  if (isDraining) return ['shutting down']
  const reasons = await Promise.race([schemaReasons(database), late(database)])
  const free = dataDir === undefined ? 1 : await freeDiskShare(dataDir)
  return free < DISK_SHARE_MIN ? [...reasons, 'the disk is almost full'] : reasons
}

async function schemaReasons(database: Database): Promise<string[]> {
  try {
    const pending = await pendingMigrations(database)
    return pending.length === 0 ? [] : [`migrations not applied: ${pending.join(', ')}`]
  } catch (error) {
    return error instanceof BusyError ? silence(database) : ['the database cannot be reached']
  }
}

async function late(database: Database): Promise<string[]> {
  await pause(ANSWER_WITHIN_MS, undefined, { ref: false })
  return silence(database)
}

/**
 * To be slow is no reason: the load of a process that is taken out makes the others slower still, until none is left. Its calls
 * have limits of their own.
 */
const silence = ({ silentMs }: Database) =>
  silentMs < SILENT_MAX_MS ? [] : [`the database has not answered for ${SILENT_MAX_MS / 1000} s`]

/** How much of the disk below a folder is free, from 0 to 1. */
async function freeDiskShare(folder: string): Promise<number> {
  const { bavail, blocks } = await statfs(folder)
  return blocks === 0 ? 1 : bavail / blocks
}
