import { sql, statementOf } from '../database/sql.ts'
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
/** Parked jobs of one name are counted up to this number. */
export const PARKED_COUNTED_MAX = 1_000

/** The place after which a list begins. The oldest come first. */
export interface ParkedPlace {
  readonly parked_time: string
  readonly id: string
}

const columns = `id::text, name, account_id, attempts, parked_time, split_part(last_error, E'\n', 1) as error, payload`
/** Ordered by the number and not by its text, which `columns` prints under the same name: 10 comes after 9. */
const listed = (filter: string) =>
  statementOf(`
    select ${columns} from jobs where parked_time is not null ${filter} and (parked_time, id) > ($2, $3::bigint)
    order by jobs.parked_time, jobs.id limit $1`)
const allParked = listed('')
const parkedOfName = listed('and name = $4')
const parkedById = statementOf(`select ${columns} from jobs where id = $1::bigint and parked_time is not null`)
// There are few names however many jobs there are. Each is found by one step in the index from the one before.
const namesParked = sql`
  with recursive names (name) as (
    (select name from jobs where parked_time is not null order by name limit 1)
    union all
    select (select j.name from jobs j where j.parked_time is not null and j.name > names.name order by j.name limit 1)
    from names where names.name is not null)
  select name, (select count(*)::int from (
      select from jobs j where j.parked_time is not null and j.name = names.name limit $1) counted) as count
  from names where name is not null order by count desc, name`
const countAll = sql`
  select count(*)::int as n from jobs where parked_time is not null and ($1::text is null or name = $1)`
const retryAll = sql`
  update jobs set parked_time = null, attempts = 0, crashes = 0, run_at = $2
  where parked_time is not null and ($1::text is null or name = $1)`
const retryOne = sql`
  update jobs set parked_time = null, attempts = 0, crashes = 0, run_at = $2
  where parked_time is not null and id = $1::bigint`
const drop = sql`delete from jobs where parked_time is not null and id = $1::bigint`

const isId = (text: string) => /^\d{1,18}$/.test(text)

/** The one of this id, while it is parked. */
export const findParked = async (db: Reader, id: string): Promise<ParkedJob | undefined> =>
  isId(id) ? db.row<ParkedJob>(parkedById, [id]) : undefined

/** The oldest of all or of a name, from the one after a place on. */
export const listParked = (
  db: Reader,
  { name, limit = PARKED_LISTED_MAX, after }: { name?: string | undefined; limit?: number; after?: ParkedPlace } = {},
): Promise<ParkedJob[]> => {
  const values = [limit, after?.parked_time ?? '', after?.id ?? '0']
  return name === undefined
    ? db.rows<ParkedJob>(allParked, values)
    : db.rows<ParkedJob>(parkedOfName, [...values, name])
}

/** How many there are of each name, counted up to `PARKED_COUNTED_MAX`. */
export const countParked = (db: Reader): Promise<{ name: string; count: number }[]> =>
  db.rows<{ name: string; count: number }>(namesParked, [PARKED_COUNTED_MAX])

/** How many there are of all names or of one, to the last. */
export const countAllParked = async (db: Reader, name: string | undefined): Promise<number> =>
  (await db.row<{ n: number }>(countAll, [name ?? null]))!.n

/** Tries them again from the beginning. */
export function retryParked(tx: Tx, { id, name }: Which): void {
  tx.about(null, id === undefined ? (name ?? 'all parked jobs') : `job ${id}`)
  if (id === undefined) tx.write(retryAll, [name ?? null, tx.now])
  else if (isId(id)) tx.write(retryOne, [id, tx.now])
  tx.wake('jobs')
}

/** Gives a job up: what it was to do is not done. */
export function dropParked(tx: Tx, id: string): void {
  tx.about(null, `job ${id}`)
  if (isId(id)) tx.write(drop, [id])
}
