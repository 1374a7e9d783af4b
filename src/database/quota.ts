import { after, type Instant } from '../kernel/clock.ts'
import { Problem } from '../kernel/problem.ts'
import { RecentMap } from '../kernel/recent-map.ts'
import { sql } from './sql.ts'
import type { Tx } from './transaction.ts'

/** At most `max` within a time that begins with the first use. A `max` of 0 is no limit. */
export interface Quota {
  readonly name: string
  readonly max: number
  readonly seconds: number
}

export interface QuotaUse {
  readonly quota: Quota
  /** What it is counted for within the account, such as a case or an invoice. Absent for the account itself. */
  readonly key?: string
  readonly amount?: number
}

export interface UsedUp {
  readonly quota: Quota
  /** When it can be used again. */
  readonly until: Instant
}

const readUsed = sql`
  select q.name, q.key, q.used, q.until from unnest($2::text[], $3::text[]) as wanted (name, key)
    join quotas q on q.account_id = $1 and q.name = wanted.name and q.key = wanted.key
  where q.until > $4`
const countUse = sql`
  insert into quotas as q (account_id, name, key, used, until) values ($1, $2, $3, $4, $5)
  on conflict (account_id, name, key) do update set
    used = case when q.until > $6 then q.used else 0 end + excluded.used,
    until = case when q.until > $6 then q.until else excluded.until end
  where q.until <= $6 or q.used + excluded.used <= $7`

/**
 * Rows that were used up when this process last looked, and until when. This is never believed; it only makes the work look
 * first.
 */
const usedUpLately = new RecentMap<string, Instant>(10_000)
const rowName = (accountId: string, { quota, key = '' }: QuotaUse) => `${accountId} ${quota.name} ${key}`

/**
 * Counts against every quota, in the same commit as the work it is for. If one of them is used up, counts nothing and says
 * which. A unit of work can count each row only once; `amount` says how much.
 */
export async function useQuota(tx: Tx, accountId: string, uses: readonly QuotaUse[]): Promise<UsedUp | undefined> {
  const counted = uses.filter(({ quota }) => quota.max > 0)
  // Nearly always there is enough left, so nobody looks first. If there is not, the commit finds out, and the work starts
  // over and looks. Whoever comes back too soon is looked up at once, before anything else is done for them in vain.
  const isDoubtful = counted.some(
    (use) => (use.amount ?? 1) > use.quota.max || (usedUpLately.get(rowName(accountId, use)) ?? '') > tx.now,
  )
  const usedUp = tx.attempt > 1 || isDoubtful ? await findUsedUp(tx, accountId, counted) : undefined
  if (usedUp) return usedUp
  for (const { quota, key = '', amount = 1 } of counted)
    tx.guard(countUse, [accountId, quota.name, key, amount, after(tx.now, quota.seconds), tx.now, quota.max])
  return undefined
}

async function findUsedUp(tx: Tx, accountId: string, uses: readonly QuotaUse[]): Promise<UsedUp | undefined> {
  const names = uses.map(({ quota }) => quota.name)
  const keys = uses.map(({ key = '' }) => key)
  const rows = await tx.rows<UsedRow>(readUsed, [accountId, names, keys, tx.now])
  for (const use of uses) {
    const { quota, key = '', amount = 1 } = use
    const row = rows.find((row) => row.name === quota.name && row.key === key)
    const until = row?.until ?? after(tx.now, quota.seconds)
    if (Number(row?.used ?? 0) + amount <= quota.max) usedUpLately.delete(rowName(accountId, use))
    else {
      usedUpLately.set(rowName(accountId, use), until)
      return { quota, until }
    }
  }
  return undefined
}

/** The same, but refuses with 429 and says when the call will work. `what` begins the sentence: "Mails about a case". */
export async function requireQuota(tx: Tx, accountId: string, uses: readonly QuotaUse[], what: string): Promise<void> {
  const usedUp = await useQuota(tx, accountId, uses)
  if (!usedUp) return
  const { quota, until } = usedUp
  const description = `${what} are limited to ${quota.max} in ${inWords(quota.seconds)}; try again after ${until}.`
  const seconds = Math.max(1, Math.ceil((Date.parse(until) - Date.parse(tx.now)) / 1000))
  throw new Problem(429, 'RATE_LIMIT_REACHED', [{ issue: 'QUOTA_EXCEEDED', description }], {
    headers: { 'retry-after': String(seconds) },
  })
}

interface UsedRow {
  readonly name: string
  readonly key: string
  readonly used: bigint
  readonly until: Instant
}

const units: readonly [seconds: number, name: string][] = [
  [86_400, 'day'],
  [3_600, 'hour'],
  [60, 'minute'],
  [1, 'second'],
]

function inWords(seconds: number): string {
  const [size, name] = units.find(([size]) => seconds % size === 0)!
  return seconds === size ? `one ${name}` : `${seconds / size} ${name}s`
}
