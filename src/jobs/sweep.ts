import type { Connection } from '../database/open.ts'
import { sql } from '../database/sql.ts'
import type { Instant } from '../kernel/clock.ts'

export const SWEEP_EVERY_MS = 3_600_000

const sweepAnswers = sql`delete from idempotency where expire_time <= $1`
const sweepTokens = sql`delete from tokens where expire_time <= $1`

/** Removes what has run out of time. Not a promise to anybody: when it is late, nothing is wrong but the disk space. */
export async function sweep(database: Connection, now: Instant): Promise<void> {
  await database.rows(sweepAnswers, [now])
  await database.rows(sweepTokens, [now])
}
