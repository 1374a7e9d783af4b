import type pg from 'pg'
import { sql } from './sql.ts'

const LOCK_TIMEOUT_MS = 2_000
const IDLE_IN_TRANSACTION_MS = 10_000

/** How long the server lets a statement run where nobody says otherwise. */
export const STATEMENT_TIMEOUT_MS = 5_000

/** What every session of the service has: its limits, and how the planner goes about it. */
const sessionSettings = (statementTimeoutMs: number) => ({
  statement_timeout: statementTimeoutMs,
  lock_timeout: LOCK_TIMEOUT_MS,
  idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  // Every statement of ours has an index to go by. Without this setting, a statement that is planned while its table is
  // empty, as queues mostly are, would read the whole table, and go on doing so when a hundred thousand rows have come to
  // wait there.
  enable_seqscan: 'off',
  jit: 'off',
})

/** The same as start parameters of a connection. */
export const startOptions = (statementTimeoutMs: number) =>
  Object.entries(sessionSettings(statementTimeoutMs))
    .map(([name, value]) => `-c ${name}=${value}`)
    .join(' ')

const wanted = Object.entries(sessionSettings(STATEMENT_TIMEOUT_MS)).map(([name, value]) => `${name}=${value}`)

/**
 * Gives the role these settings in this database. A pooler opens sessions and lends them to anybody, so settings made at the
 * start of a connection would hold for others, or for nobody.
 */
export async function settleRole(client: pg.Client): Promise<void> {
  const { rowCount } = await client.query(
    `select from pg_db_role_setting s join pg_roles r on r.oid = s.setrole join pg_database d on d.oid = s.setdatabase
     where r.rolname = session_user and d.datname = current_database() and s.setconfig @> $1`,
    [wanted],
  )
  if (rowCount === 1) return
  const changes = wanted.map((one) => {
    const [name, value] = one.split('=')
    return `execute format('alter role %I in database %I set ${name} = ${value}', session_user, current_database());`
  })
  // Processes that start together take turns. Without the lock, the second would fail because the row changed under it.
  await client.query(`do $$ begin perform pg_advisory_xact_lock(${ROLE_LOCK}); ${changes.join(' ')} end $$`)
}

/** An arbitrary number for an advisory lock. */
const ROLE_LOCK = 7_231_548_603

/** Whether a role may make tables, and may change all existing ones. */
export const mayChange = `
  select has_schema_privilege(coalesce(current_schema(), 'public'), 'create') as "mayCreate",
    not exists (select from pg_class where relnamespace = current_schema()::regnamespace and relkind in ('r', 'p')
      and not pg_has_role(relowner, 'usage')) as "isOwner"`

export const begin = sql`begin`
export const commit = sql`commit`
export const rollback = sql`rollback`

/** For a transaction that several units of work share: it gives up where it would have to wait for a lock. */
export const waitLittle = sql`select set_config('lock_timeout', '50ms', true)`

/** For a transaction that takes its time: another time limit, and permission to read tables from end to end. */
export const takeTime = sql`
  select set_config('statement_timeout', $1, true), set_config('enable_seqscan', 'on', true)`

/** For a session that changes the schema: no time limits, and permission to read tables from end to end. */
export const unlimited =
  'set statement_timeout = 0; set idle_in_transaction_session_timeout = 0; set enable_seqscan = on'
