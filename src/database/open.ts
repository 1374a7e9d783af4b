import pg from 'pg'
import type { Statement } from './sql.ts'

/** Something that runs one prepared statement at a time. */
export interface Connection {
  rows<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
}

/** A pool of connections to one PostgreSQL database. */
export interface Database extends Connection {
  readonly pool: pg.Pool
  /** One row or none. */
  row<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row | undefined>
  /** Runs the work between `begin` and `commit` on a connection of its own. */
  transaction<T>(work: (connection: Connection) => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface DatabaseOptions {
  readonly connectionsMax?: number
  readonly statementTimeoutMs?: number
  readonly applicationName?: string
}

const LOCK_TIMEOUT_MS = 2_000
const IDLE_IN_TRANSACTION_MS = 10_000
const CONNECT_TIMEOUT_MS = 2_000

// A count or a sum of money is a bigint; the driver's default, text, would compare wrongly without a word.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, (text) => BigInt(text))

/** Opens a pool. Every wait in it has an end: for a connection, a statement, a lock, an idle transaction. */
export function openDatabase(
  url: string,
  { connectionsMax = 10, statementTimeoutMs = 5_000, applicationName = 'quittance' }: DatabaseOptions = {},
): Database {
  const pool = new pg.Pool({
    ...connectionSettings(url),
    types,
    max: connectionsMax,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: applicationName,
    statement_timeout: statementTimeoutMs,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  })
  // A connection that breaks while idle is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => {})
  const run = runner(pool)
  return {
    pool,
    rows: run,
    row: async <Row>(statement: Statement, values?: readonly unknown[]) => (await run<Row>(statement, values))[0],
    async transaction(work) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        const result = await work({ rows: runner(client) })
        await client.query('commit')
        client.release()
        return result
      } catch (error) {
        // A connection that cannot even roll back is thrown away, and the server rolls back for it.
        const broken = await client.query('rollback').then(
          () => false,
          () => true,
        )
        client.release(broken)
        throw error
      }
    },
    close: () => pool.end(),
  }
}

const runner =
  (target: pg.Pool | pg.PoolClient) =>
  async <Row>({ name, text }: Statement, values: readonly unknown[] = []): Promise<Row[]> => {
    // The driver types rows loosely; each statement's caller states what its columns are.
    const { rows } = await target.query({ name, text, values: values as unknown[] })
    return rows as Row[]
  }

/** `postgres://…` as it is; `socket:<folder>:<port>/<database>` is the embedded server on its unix socket. */
export function connectionSettings(url: string): pg.ClientConfig {
  const socket = /^socket:(.+):(\d+)\/([\w-]+)$/.exec(url)
  if (!socket) return { connectionString: url }
  return { host: socket[1]!, port: Number(socket[2]), database: socket[3]!, user: 'postgres' }
}
