import pg from 'pg'
import { Lanes } from './lanes.ts'
import type { Statement } from './sql.ts'

/** Something that runs one prepared statement at a time. */
export interface Connection {
  rows<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
}

/** The connections to one PostgreSQL database: lanes for statements that stand alone, a pool for transactions. */
export interface Database extends Connection {
  readonly pool: pg.Pool
  /** How many statements and transactions wait for a connection. */
  readonly waitingCount: number
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
/**
 * Every statement of ours has an index to go by. Without this, one that is planned while its table is empty, as queues
 * mostly are, reads the whole table, and goes on doing so when a hundred thousand rows have come to wait there.
 */
const PLANNER = '-c enable_seqscan=off -c jit=off'

// A count or a sum of money is a bigint; the driver's default, text, would compare wrongly without a word.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, (text) => BigInt(text))

/** Of all connections, the share kept for transactions; most units of work commit with one statement and need none. */
const TRANSACTION_SHARE = 0.25

/** Opens the connections, each when it is first needed. Every wait has an end: for a connection, a statement, a lock, an idle transaction. */
export function openDatabase(
  url: string,
  { connectionsMax = 10, statementTimeoutMs = 5_000, applicationName = 'quittance' }: DatabaseOptions = {},
): Database {
  const poolMax = Math.max(1, Math.round(connectionsMax * TRANSACTION_SHARE))
  const settings: pg.ClientConfig = {
    ...connectionSettings(url, PLANNER),
    types,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: applicationName,
    statement_timeout: statementTimeoutMs,
    lock_timeout: LOCK_TIMEOUT_MS,
    idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_MS,
  }
  const lanes = new Lanes({
    settings,
    max: Math.max(1, connectionsMax - poolMax),
    statementTimeoutMs,
    waitMs: CONNECT_TIMEOUT_MS,
  })
  const pool = new pg.Pool({ ...settings, max: poolMax })
  // A connection that breaks while idle is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => {})
  const run = runner((query) => lanes.run(query))
  return {
    pool,
    get waitingCount() {
      return lanes.waitingCount + pool.waitingCount
    },
    rows: run,
    row: async <Row>(statement: Statement, values?: readonly unknown[]) => (await run<Row>(statement, values))[0],
    async transaction(work) {
      const client = await pool.connect()
      try {
        await client.query('begin')
        const result = await work({ rows: runner(async (query) => (await client.query(query)).rows) })
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
    close: async () => void (await Promise.all([lanes.close(), pool.end()])),
  }
}

const runner =
  (run: (query: pg.QueryConfig) => Promise<unknown[]>) =>
  async <Row>({ name, text }: Statement, values: readonly unknown[] = []): Promise<Row[]> => {
    const query = { name, text, values: values as unknown[] }
    try {
      // The driver types rows loosely; each statement's caller states what its columns are.
      return (await run(query)) as Row[]
    } catch (error) {
      // It followed one of the same name that could not be prepared, so it has not run; without a name it stands alone.
      if (isNotPrepared(error)) return (await run({ text, values: values as unknown[] })) as Row[]
      throw error
    }
  }

const isNotPrepared = (error: unknown) => error instanceof Error && 'code' in error && error.code === '26000'

/** `postgres://…` as it is; `socket:<folder>:<port>/<database>` is the embedded server on its unix socket. */
export function connectionSettings(url: string, options = ''): pg.ClientConfig {
  const socket = /^socket:(.+):(\d+)\/([\w-]+)$/.exec(url)
  if (socket) return { host: socket[1]!, port: Number(socket[2]), database: socket[3]!, user: 'postgres', options }
  // The operator's own options come last, so that they win.
  const theirs = URL.canParse(url) ? new URL(url) : undefined
  const wanted = theirs?.searchParams.get('options')
  if (!theirs || !wanted) return { connectionString: url, options }
  theirs.searchParams.set('options', `${options} ${wanted}`)
  return { connectionString: theirs.href }
}
