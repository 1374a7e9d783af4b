import { actorOf, type Cause, causeId } from '../kernel/cause.ts'
import type { Instant } from '../kernel/clock.ts'
import type { GatheredWrite } from './combine.ts'
import { sql } from './sql.ts'

/** What a unit of work changes, and whose it is. */
export interface Subject {
  readonly accountId: string | null
  readonly resourceId: string | null
}

const insertRows = sql`
  insert into audit_log (create_time, account_id, actor, action, resource_id, address, request_id, cause, arguments)
  select $1, subject.account_id, $4, $5, subject.resource_id, $6, $7, $8, $9
  from unnest($2::text[], $3::text[]) as subject (account_id, resource_id)`

/**
 * The rows of the audit log that belong to a unit of work: one for each thing it says it is about. What somebody asked
 * for leaves a row also when it names nothing; what the service does by itself does not.
 */
export function auditWrite(
  cause: Cause,
  named: readonly Subject[],
  now: Instant,
  hasChanges: boolean,
): GatheredWrite | undefined {
  const subjects = named.length > 0 ? distinct(named) : hasChanges ? assumed(cause) : []
  if (subjects.length === 0) return undefined
  const { address = null, requestId = null, args = null } = originOf(cause)
  return {
    statement: insertRows,
    guarded: false,
    values: [
      now,
      subjects.map(({ accountId }) => accountId),
      subjects.map(({ resourceId }) => resourceId),
      actorOf(cause),
      actionOf(cause),
      address,
      requestId,
      causeId(cause),
      args,
    ],
  }
}

function assumed(cause: Cause): Subject[] {
  if (cause.kind === 'command') return [{ accountId: null, resourceId: null }]
  if (cause.kind !== 'request') return []
  return [{ accountId: cause.accountId ?? null, resourceId: cause.resourceId ?? null }]
}

const distinct = (named: readonly Subject[]): readonly Subject[] =>
  named.length === 1
    ? named
    : [...new Map(named.map((subject) => [`${subject.accountId} ${subject.resourceId}`, subject])).values()]

const actionOf = (cause: Cause): string =>
  cause.kind === 'request' ? cause.operation : cause.kind === 'service' ? cause.task : cause.name

function originOf(cause: Cause): { address?: string; requestId?: string; args?: readonly string[] } {
  if (cause.kind === 'command') return { address: cause.address, args: cause.arguments }
  if (cause.kind !== 'request') return {}
  const { address, requestId } = cause
  return { address, ...(requestId !== undefined && { requestId }) }
}
