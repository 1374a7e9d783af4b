import { actorOf, type Cause, causeId } from '../kernel/cause.ts'
import type { Instant } from '../kernel/clock.ts'
import type { GatheredWrite } from './combine.ts'
import { statementOf } from './sql.ts'

/** What a unit of work changes, and whose it is. */
export interface Subject {
  readonly accountId: string | null
  readonly resourceId: string | null
}

const columns = 'create_time, actor, action, address, request_id, cause, arguments, account_id, resource_id'

/** Nearly every unit of work is about one thing, whose row then need not travel as part of an array. */
const insertRow = statementOf(`insert into audit_log (${columns}) values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`)
const insertRows = statementOf(`
  insert into audit_log (${columns})
  select $1, $2, $3, $4, $5, $6, $7, subject.account_id, subject.resource_id
  from unnest($8::text[], $9::text[]) as subject (account_id, resource_id)`)

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
  const common = [now, actorOf(cause), actionOf(cause), address, requestId, causeId(cause), args]
  const [first] = subjects
  if (subjects.length === 1)
    return { statement: insertRow, guarded: false, values: [...common, first!.accountId, first!.resourceId] }
  const accounts = subjects.map(({ accountId }) => accountId)
  const resources = subjects.map(({ resourceId }) => resourceId)
  return { statement: insertRows, guarded: false, values: [...common, accounts, resources] }
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
