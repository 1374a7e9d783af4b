import { sql } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Unknown } from '../../http/validation/unknown.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { Issue } from '../../kernel/problem.ts'

/** A request as a list shows it. */
export interface LoggedRequest {
  readonly number: bigint
  readonly debug_id: string
  readonly account_id: string | null
  readonly app_id: string | null
  readonly client_id: string | null
  readonly operation: string
  readonly method: string
  readonly path: string
  readonly status: number
  readonly details: {
    readonly ms: number
    readonly request: { readonly headers: Readonly<Record<string, string>>; readonly bytes: number }
    readonly answer: { readonly headers: Readonly<Record<string, string>>; readonly bytes: number }
    readonly problem?: { readonly name: string; readonly message: string; readonly details: readonly Issue[] }
    readonly unknowns?: readonly Unknown[]
  }
  readonly create_time: Instant
  readonly real_time: Instant
}

/** A request with what was sent and answered. */
export interface WholeRequest extends LoggedRequest {
  readonly request_body: string | null
  readonly answer_body: string | null
}

export interface RequestFilter {
  readonly statusFrom?: number | undefined
  readonly statusTo?: number | undefined
  readonly operation?: string | undefined
  /** An id of an app or a client. */
  readonly app?: string | undefined
  /** Found anywhere in the path or a body, in any case. */
  readonly text?: string | undefined
}

/** A text is looked for in no more than this many requests at once. Whoever looks further back asks again from there. */
export const SEARCHED_MAX = 3_000

/** Newest first, by the number alone: there are never more than ten thousand. */
const newest = sql`
  select number, debug_id, account_id, app_id, client_id, operation, method, path, status, details, create_time, real_time
  from (select * from request_log where number < $1 order by number desc limit $8) r
  where status between $2 and $3 and ($4::text is null or operation = $4)
    and ($5::text is null or app_id = $5 or client_id = $5)
    and ($6::text is null or strpos(lower(path), $6) > 0 or strpos(lower(request_body collate "C"), $6) > 0
      or strpos(lower(answer_body collate "C"), $6) > 0)
  order by number desc limit $7`
const beyondSearched = sql`
  select number from request_log where number < $1 order by number desc offset $2 limit 1`
/** What the newest requests were refused for, the most frequent first. */
const refusals = sql`
  select operation, coalesce(details#>>'{problem,details,0,issue}', details#>>'{problem,name}') as issue,
    count(*)::int as count, max(create_time) as last_time
  from (select operation, details, status, create_time from request_log order by number desc limit $1) newest
  where status >= 400 group by 1, 2 order by count(*) desc, max(create_time) desc limit $2`
/** How many of the newest requests took less than each of the bounds and no less than the one before. */
const quickness = sql`
  select width_bucket((details->>'ms')::float8, $2::float8[])::int as place, count(*)::int as count
  from (select details from request_log order by number desc limit $1) newest group by 1`
/** When a request is sent twice, each answer has an id of its own, so there is one row for each id. */
const byDebugId = sql`
  select number, debug_id, account_id, app_id, client_id, operation, method, path, status, details, create_time, real_time,
    request_body, answer_body
  from request_log where debug_id = $1 order by number desc limit 1`

/** Changes only plain letters, because that is how the statement compares: folding all letters takes three times as long. */
const smallLetters = (text: string) => text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase())

export const findRequests = (
  db: Reader,
  filter: RequestFilter,
  before: bigint,
  limit: number,
): Promise<LoggedRequest[]> =>
  db.rows<LoggedRequest>(newest, [
    before,
    filter.statusFrom ?? 0,
    filter.statusTo ?? 999,
    filter.operation ?? null,
    filter.app ?? null,
    filter.text === undefined ? null : smallLetters(filter.text),
    limit,
    filter.text === undefined ? null : SEARCHED_MAX,
  ])

/** Where a search that began before this number goes on, if there are older requests that it did not look at. */
export async function searchedUpTo(db: Reader, before: bigint): Promise<bigint | undefined> {
  const next = await db.row<{ number: bigint }>(beyondSearched, [before, SEARCHED_MAX])
  return next && next.number + 1n
}

export const findRequest = (db: Reader, debugId: string): Promise<WholeRequest | undefined> =>
  db.row<WholeRequest>(byDebugId, [debugId])

/** A refusal that happened again and again. */
export interface FrequentRefusal {
  readonly operation: string
  readonly issue: string | null
  readonly count: number
  readonly last_time: Instant
}

export const findRefusals = (db: Reader, limit: number): Promise<FrequentRefusal[]> =>
  db.rows<FrequentRefusal>(refusals, [SEARCHED_MAX, limit])

/**
 * How many of the newest requests took less than each bound of milliseconds and no less than the one before; last, how many
 * took longer than all.
 */
export async function countByDuration(db: Reader, bounds: readonly number[]): Promise<number[]> {
  const rows = await db.rows<{ place: number; count: number }>(quickness, [SEARCHED_MAX, bounds])
  return [...bounds, 0].map((_, n) => rows.find(({ place }) => place === n)?.count ?? 0)
}
