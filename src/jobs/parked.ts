import { sql } from '../database/sql.ts'
import type { Reader, Tx } from '../database/transaction.ts'

/** A job that failed for good. */
export interface ParkedJob {
  readonly id: string
  readonly name: string
  readonly account_id: string
  readonly attempts: number
  readonly parked_time: string
  readonly error: string | null
  readonly payload: object
}

/** Which of the parked jobs: one, those of a name, or all of them. */
export interface Which {
  readonly id?: string | undefined
  readonly name?: string | undefined
}

export const PARKED_LISTED_MAX = 200
const COUNTED_MAX = 10_000

const parkedJobs = sql`
  select id::text, name, account_id, attempts, parked_time, split_part(last_error, E'\n', 1) as error, payload from jobs
  where parked_time is not null and ($1::text is null or id::text = $1) and ($2::text is null or name = $2)
  order by parked_time limit $3`
const namesParked = sql`
  select name, count(*)::int as count from (select name from jobs where parked_time is not null limit $1) parked
  group by name order by count desc, name`
const retry = sql`
  update jobs set parked_time = null, attempts = 0, crashes = 0, run_at = $3
  where parked_time is not null and ($1::text is null or id::text = $1) and ($2::text is null or name = $2)`
const drop = sql`delete from jobs where parked_time is not null and id::text = $1`

export const listParked = (db: Reader, { id, name }: Which = {}): Promise<ParkedJob[]> =>
  db.rows<ParkedJob>(parkedJobs, [id ?? null, name ?? null, PARKED_LISTED_MAX])

/** How many there are of each name, counted no further than a page needs. */
export const countParked = (db: Reader): Promise<{ name: string; count: number }[]> =>
  db.rows<{ name: string; count: number }>(namesParked, [COUNTED_MAX])

/** Tries them again from the beginning. */
export function retryParked(tx: Tx, { id, name }: Which): void {
  tx.about(null, id === undefined ? (name ?? 'all parked jobs') : `job ${id}`)
  tx.write(retry, [id ?? null, name ?? null, tx.now])
  tx.wake('jobs')
}

/** Gives a job up: what it was to do is not done. */
export function dropParked(tx: Tx, id: string): void {
  tx.about(null, `job ${id}`)
  tx.write(drop, [id])
}
