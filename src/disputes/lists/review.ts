import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import { END } from '../../http/keyset.ts'

/** Which of these disputes to list, and after which one the page begins. */
export interface ReviewFilter {
  readonly stage?: string | undefined
  /** Only disputes that have been waiting since before this instant. */
  readonly until?: string | undefined
  readonly after?: { readonly update_time: string; readonly id: string } | undefined
}

interface Waiting {
  readonly id: string
  readonly update_time: string
}

const underReview = sql`
  select id, update_time from disputes
  where status = 'UNDER_REVIEW' and (update_time, id) > ($2, $3) and update_time < $4
  order by update_time, id limit $1`
const underReviewAt = sql`
  select id, update_time from disputes
  where status = 'UNDER_REVIEW' and stage = $5 and (update_time, id) > ($2, $3) and update_time < $4
  order by update_time, id limit $1`

/** The disputes of all accounts that wait for the decision of an agent, the oldest first. */
export const listUnderReview = (
  db: Reader,
  limit: number,
  { stage, until, after }: ReviewFilter = {},
): Promise<Waiting[]> => {
  const values = [limit, after?.update_time ?? '', after?.id ?? '', until ?? END.create_time]
  return stage === undefined
    ? db.rows<Waiting>(underReview, values)
    : db.rows<Waiting>(underReviewAt, [...values, stage])
}
