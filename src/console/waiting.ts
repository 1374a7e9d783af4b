import { sql } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { seededApps } from '../sandbox/people.ts'
import { lanes } from '../webhooks/dispatch/lanes.ts'
import { type Eyes, eyes, eyesNames } from './who.ts'

/** Nothing is counted further than this; beyond it, a page says "99+". */
const COUNTED_MAX = 100

const asSeller = sql`
  select count(*)::int as n from (
    select 1 from disputes where account_id = $1 and seller_state = 'REQUIRED_ACTION' limit $2) counted`
const asBuyer = sql`
  select count(*)::int as n from (
    select 1 from disputes where buyer_account_id = $1 and buyer_state = 'REQUIRED_ACTION' limit $2) counted`
const underReview = sql`
  select count(*)::int as n from (select 1 from disputes where status = 'UNDER_REVIEW' limit $1) counted`

const parked = sql`
  select count(*)::int as n from (select from jobs where parked_time is not null limit $1) counted`

const failing = sql`
  select count(*)::int as n from (
    select from webhooks where account_id = $1 and enabled and lane = $2 limit $3) counted`

/** How many webhooks of an account fail or keep us waiting. */
export const countFailing = async (db: Reader, accountId: string): Promise<number> =>
  (await db.row<{ n: number }>(failing, [accountId, lanes.cold, COUNTED_MAX]))?.n ?? 0

/** How many jobs failed for good, of all accounts. */
export const countParked = async (db: Reader): Promise<number> =>
  (await db.row<{ n: number }>(parked, [COUNTED_MAX]))?.n ?? 0

/** How many disputes wait for the people of an account, or for those who decide for all. */
export async function waitingAt(db: Reader, accountId: string): Promise<Partial<Record<Eyes, number>>> {
  const row =
    accountId === ''
      ? await db.row<{ n: number }>(underReview, [COUNTED_MAX])
      : await db.row<{ n: number }>(asSeller, [accountId, COUNTED_MAX])
  return { [accountId === '' ? 'agent' : 'merchant']: row?.n ?? 0 }
}

/** How many disputes wait for each of the people of a sandbox, so that one can be played from both sides. */
export async function waitingFor(db: Reader): Promise<Partial<Record<Eyes, number>>> {
  const counts = await Promise.all(
    eyesNames.map(async (name) => {
      const accountId = seededApps.find(({ client_id }) => client_id === eyes[name].client)?.owner.id
      const row =
        name === 'agent'
          ? await db.row<{ n: number }>(underReview, [COUNTED_MAX])
          : await db.row<{ n: number }>(name === 'buyer' ? asBuyer : asSeller, [accountId, COUNTED_MAX])
      return [name, row?.n ?? 0] as const
    }),
  )
  return Object.fromEntries(counts)
}
