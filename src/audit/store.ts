import { type Fragment, fragment, joined, raw, sql, unseen } from '../database/sql.ts'
import type { Reader } from '../database/transaction.ts'
import { END, type Place } from '../http/keyset.ts'
import { removeAll, type SweepParts } from '../jobs/sweep.ts'
import { after, type Instant } from '../kernel/clock.ts'

/** A row of the audit log: who did what, to what, for whom and from where. */
export interface AuditEntry {
  readonly create_time: Instant
  readonly seq: bigint
  /** Whose the resource is. */
  readonly account_id: string | null
  readonly actor: string
  /** The name of a person at the console. */
  readonly actor_name: string | null
  readonly action: string
  readonly resource_id: string | null
  readonly address: string | null
  readonly request_id: string | null
  readonly cause: string
  readonly arguments: readonly string[] | null
}

const filterNames = ['resource_id', 'cause', 'account_id', 'actor'] as const

type FilterName = (typeof filterNames)[number]

/** A row must match every value that is given. */
export type AuditFilter = { readonly [Name in FilterName]?: string } & { readonly since?: Instant }

const columns = raw('create_time, seq, account_id, actor, action, resource_id, address, request_id, cause, arguments')
// The log itself holds no names of people. So whoever is removed from `console_people` is no longer named here either.
const named = fragment`${columns}, case when actor like 'person:%' then (
    select name from console_people where console_people.id = substr(actor, 8)) end as actor_name`

/**
 * The stretches of the log that hold any rows, each found by one step in an index. A search by thing or by cause looks into
 * each stretch. This way new entries of those indexes lie side by side, and a write need not fetch pages from all over a
 * large tree.
 */
const stretches = raw(`stretches as (
  (select seq >> 16 as n from audit_log order by seq >> 16 limit 1)
  union all
  select next.n from stretches cross join lateral (
    select seq >> 16 as n from audit_log where seq >> 16 > stretches.n order by seq >> 16 limit 1) next)`)

/** Up to `limit` rows, newest first, from the one after `last` on. */
export function findEntries(db: Reader, filter: AuditFilter, limit: number, last: Place = END): Promise<AuditEntry[]> {
  const { statement, values } = searchOf(filter, limit, last).toQuery()
  return db.rows<AuditEntry>(statement, values)
}

/** There are three ways through the log, each along an index of its own. */
function searchOf(filter: AuditFilter, limit: number, last: Place): Fragment {
  if (filter.resource_id !== undefined || filter.cause !== undefined) return searchByThing(filter, limit, last)
  const by = filterNames.find((name) => filter[name] !== undefined)
  return by === undefined || filter.since !== undefined
    ? searchByTime(filter, limit, last)
    : searchBy(by, filter, limit, last)
}

/**
 * One thing has few entries, in no order that an index knows. So they are found first, by that alone: with the time beside it,
 * an index of times would be read as well, from end to end.
 */
const searchByThing = (filter: AuditFilter, limit: number, last: Place): Fragment => fragment`
  with recursive ${stretches}, found as materialized (
    select rows.* from stretches cross join lateral (
      select ${columns} from audit_log where seq >> 16 = stretches.n and ${matching(filter)}) rows)
  select ${named} from found where ${since(filter)} and ${before(last)}
  order by create_time desc, seq desc limit ${raw(String(limit))}`

/** By the index of times, which ends at `since`. */
const searchByTime = (filter: AuditFilter, limit: number, last: Place): Fragment => fragment`
  select ${named} from audit_log where ${matching(filter)} and ${since(filter)} and ${before(last)}
  order by create_time desc, seq desc limit ${raw(String(limit))}`

/**
 * By the index of one column, of which only that value is read. The column is part of the order, so that no other index will
 * do: the index of times would be read to its end for somebody who did little.
 */
function searchBy(name: FilterName, filter: AuditFilter, limit: number, last: Place): Fragment {
  const column = raw(name)
  const value = wanted(filter, name)
  const { [name]: _, ...others } = filter
  return fragment`
  select ${named} from audit_log where ${matching(others)} and ${column} >= ${value}
    and (${column}, create_time, seq) < (${value}, ${placeIn(last)})
  order by ${column} desc, create_time desc, seq desc limit ${raw(String(limit))}`
}

const wanted = (filter: AuditFilter, name: FilterName) => unseen(filter[name], 'text')

const matching = (filter: AuditFilter): Fragment =>
  joined(
    [
      raw('true'),
      ...filterNames
        .filter((name) => filter[name] !== undefined)
        .map((name) => fragment`${raw(name)} = ${wanted(filter, name)}`),
    ],
    ' and ',
  )

const since = (filter: AuditFilter): Fragment => fragment`create_time >= ${unseen(filter.since ?? '', 'text')}`
const before = (last: Place): Fragment => fragment`(create_time, seq) < (${placeIn(last)})`
const placeIn = ({ create_time, seq }: Place): Fragment =>
  fragment`${unseen(create_time, 'text')}, ${unseen(seq, 'bigint')}`

/** The setting lasts for this statement only. Without it the database refuses to remove anything. */
const removeOld = sql`
  delete from audit_log using (select set_config('quittance.sweeps', 'audit_log', true)) as allowed
  where audit_log.ctid = any(array(
    select ctid from audit_log where create_time < $1 order by create_time, seq limit $2 for update skip locked))
  returning 1`

const DAY_SECONDS = 86_400

/** Removes what is older than so many days; 0 keeps all. */
export async function sweepAudit(parts: SweepParts, days: number): Promise<void> {
  if (days === 0) return
  const { partitions, now } = parts
  const before = after(now, -days * DAY_SECONDS)
  await partitions?.dropAudit(before)
  await removeAll(parts, partitions?.undated(removeOld) ?? removeOld, before)
}
