import { sql, statementOf } from '../database/sql.ts'
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
  /** What a person at the console is called. */
  readonly actor_name: string | null
  readonly action: string
  readonly resource_id: string | null
  readonly address: string | null
  readonly request_id: string | null
  readonly cause: string
  readonly arguments: readonly string[] | null
}

const filterNames = ['resource_id', 'cause', 'account_id', 'actor'] as const

/** Rows must fit all that are given. */
export type AuditFilter = { readonly [Name in (typeof filterNames)[number]]?: string } & { readonly since?: Instant }

type By = (typeof filterNames)[number] | 'any'

const columns = 'create_time, seq, account_id, actor, action, resource_id, address, request_id, cause, arguments'
// The log itself holds nobody's name, so that people can be taken out of it by taking them out of there.
const named = `${columns}, case when actor like 'person:%' then (
    select name from console_people where console_people.id = substr(actor, 8)) end as actor_name`
const within = 'create_time >= $5 and (create_time, seq) < ($6, $7)'
const fitting = filterNames.map((name, i) => `and ($${i + 1}::text is null or ${name} = $${i + 1})`).join(' ')
const is = (by: (typeof filterNames)[number]) => `${by} = $${filterNames.indexOf(by) + 1}`
const newestFirst = 'order by create_time desc, seq desc limit $8'

/** One statement for each index to go by, whatever else is asked for. */
const inOrder = (by: By) =>
  statementOf(
    `select ${named} from audit_log where ${by === 'any' ? '' : `${is(by)} and `}${within} ${fitting} ${newestFirst}`,
  )
/**
 * Of one thing there are few, and their index knows no order. Found first, and by nothing else: with the time beside it an
 * index of times would be read as well, from end to end.
 */
const sorted = (by: 'resource_id' | 'cause') =>
  statementOf(
    `with found as materialized (select ${columns} from audit_log where ${is(by)} ${fitting})
     select ${named} from found where ${within} ${newestFirst}`,
  )
const listings = {
  resource_id: sorted('resource_id'),
  cause: sorted('cause'),
  account_id: inOrder('account_id'),
  actor: inOrder('actor'),
  any: inOrder('any'),
}

/** Up to `limit` rows, newest first, from the one after `last` on. */
export function findEntries(db: Reader, filter: AuditFilter, limit: number, last: Place = END): Promise<AuditEntry[]> {
  const by = filterNames.find((name) => filter[name] !== undefined) ?? 'any'
  const wanted = filterNames.map((name) => filter[name] ?? null)
  return db.rows<AuditEntry>(listings[by], [...wanted, filter.since ?? '', last.create_time, last.seq, limit])
}

/** The setting is there for the length of the statement; without it the database refuses to remove anything. */
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
