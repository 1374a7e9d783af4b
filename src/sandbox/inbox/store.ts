import { sql } from '../../database/sql.ts'
import type { Reader, Tx } from '../../database/transaction.ts'
import type { Instant } from '../../kernel/clock.ts'

/** Something that arrived at an inbox. */
export interface Arrival {
  readonly seq: bigint
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  readonly verified: boolean
  readonly status: number
  readonly create_time: Instant
}

/** What a webhook that leads to an inbox signs with. */
interface SigningWebhook {
  readonly account_id: string
  readonly id: string
  readonly url: string
  readonly secret: Buffer
  readonly previous_secret: Buffer | null
}

/** How many arrivals are kept, of all inboxes together: only the newest. */
const ARRIVALS_MAX = 2_000

const answerOf = sql`select status from inbox_answers where name = $1`
const setAnswer = sql`
  insert into inbox_answers (name, status) values ($1, $2) on conflict (name) do update set status = excluded.status`
const insertArrival = sql`
  insert into inbox_arrivals (name, headers, body, verified, status, create_time) values ($1, $2, $3, $4, $5, $6)`
const removeOld = sql`
  delete from inbox_arrivals where seq <= (select max(seq) from inbox_arrivals) - $1::bigint`
const newestOf = sql`
  select seq, headers, body, verified, status, create_time from inbox_arrivals
  where name = $1 and seq < $2 order by seq desc limit $3`
const webhooksTo = sql`
  select account_id, id, url, secret, previous_secret from webhooks where position($1::text in url) > 0
  limit 100`

export const answerIn = async (db: Reader, name: string): Promise<number> =>
  (await db.row<{ status: number }>(answerOf, [name]))?.status ?? 200

export const tellAnswer = (tx: Tx, name: string, status: number): void => tx.write(setAnswer, [name, status])

export function keepArrival(tx: Tx, name: string, arrival: Omit<Arrival, 'seq' | 'create_time'>): void {
  const { headers, body, verified, status } = arrival
  tx.write(insertArrival, [name, JSON.stringify(headers), body, verified, status, tx.now])
  tx.write(removeOld, [ARRIVALS_MAX])
}

export const arrivalsOf = (db: Reader, name: string, before: bigint, limit: number): Promise<Arrival[]> =>
  db.rows<Arrival>(newestOf, [name, before, limit])

/** Found by the path alone: a machine has several names, and each can be written in capitals or not. */
export async function webhooksLeadingTo(db: Reader, path: string): Promise<SigningWebhook[]> {
  const found = await db.rows<SigningWebhook>(webhooksTo, [path])
  return found.filter(({ url }) => new URL(url).pathname.endsWith(path))
}
