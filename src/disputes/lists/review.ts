import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'

/** Which of them, and after which a page begins. */
export interface ReviewFilter {
  readonly stage?: string | undefined
  /** Only what waits since before this instant. */
  readonly until?: string | undefined
  readonly after?: { readonly update_time: string; readonly id: string } | undefined
}

interface Waiting {
  readonly id: string
  readonly update_time: string
}

const underReview = sql`
  select id, update_time from disputes
  where status = 'UNDER_REVIEW' and (update_time, id) > ($2, $3) and ($4::text is null or stage = $4)
    and ($5::text is null or update_time < $5)
  order by update_time, id limit $1`

/** The disputes of all accounts that wait for the decision of an agent, the oldest first. */
export const listUnderReview = (
  db: Reader,
  limit: number,
  { stage, until, after }: ReviewFilter = {},
): Promise<Waiting[]> =>
  db.rows<Waiting>(underReview, [limit, after?.update_time ?? '', after?.id ?? '', stage ?? null, until ?? null])
