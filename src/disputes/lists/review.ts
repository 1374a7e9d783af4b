import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'

const underReview = sql`select id from disputes where status = 'UNDER_REVIEW' order by update_time, id limit $1`

/** The disputes of all accounts that wait for the decision of an agent, the oldest first. */
export const listUnderReview = async (db: Reader, limit: number): Promise<string[]> =>
  (await db.rows<{ id: string }>(underReview, [limit])).map(({ id }) => id)
