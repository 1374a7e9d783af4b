import { AsyncLocalStorage } from 'node:async_hooks'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { addressOf } from './address.ts'
import { Commits } from './commits.ts'
import { CONNECT_TIMEOUT_MS, Connector } from './connector.ts'
import { Pool, type Run } from './pool.ts'
import { keepsStatements } from './pooler.ts'
import { STATEMENT_TIMEOUT_MS, startOptions, takeTime } from './session.ts'
import { type Statement, unprepared } from './sql.ts'

/** Something that runs one prepared statement at a time. */
export interface Connection {
  rows<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
}

/** The connections to one PostgreSQL database: some for statements that stand alone, some for transactions. */
export interface Database extends Connection {
  /** Runs SQL as it is written, for tests. */
  readonly query: pg.Pool['query']
  /** How many statements and transactions wait for a connection. */
  readonly waitingCount: number
  /** How long ago the last answer to anything asked here was. */
  readonly silentMs: number
  /**
   * Whether the database has been there without a break for a while. Whoever lost a connection and holds something has then
   * had time to renew it.
   */
  readonly isSettled: boolean
  /** One row or none. */
  row<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row | undefined>
  /**
   * Runs one statement that is a whole unit of work, maybe in one transaction with others that come at the same time. Those of
   * one line are written in the order in which they came.
   */
  commit<Row>(statement: Statement, values: readonly unknown[], line?: string): Promise<Row[]>
  /**
   * Runs the work between `begin` and `commit` on a connection of its own. With `limitMs`, each of its statements may take
   * that long (0 means without end), and may read tables from end to end.
   */
  transaction<T>(work: (connection: Connection) => Promise<T>, limitMs?: number): Promise<T>
  /**
   * Runs the work while nothing here is connected. What is under way ends first, and what is asked for meanwhile waits. The
   * work reaches the server by a way of its own.
   */
  whileDisconnected<T>(work: () => Promise<T>): Promise<T>
  /**
   * Runs the work while nobody else here asks anything. What is under way ends first, and what others ask for meanwhile
   * waits.
   */
  alone<T>(work: () => Promise<T>): Promise<T>
  close(): Promise<void>
}

export interface DatabaseOptions {
  readonly connectionsMax?: number
  readonly statementTimeoutMs?: number
  /** How long a connection may take to be made or to come free; two seconds when not said. */
  readonly connectTimeoutMs?: number
  readonly applicationName?: string
  /**
   * The address is that of a pooler, which lends a server for one transaction at a time. So connections bring no settings of
   * their own, and they prepare statements only if the pooler keeps them.
   */
  readonly pooled?: boolean
  /** The address is a replica's, of which all connections but one are for transactions; a primary's when not said. */
  readonly standby?: boolean
}

const WAITING_POLL_MS = 5
/** Longer than it takes to come back, renew what is held and write down what was done meanwhile. */
const SETTLED_MS = 5_000

// A count or a sum of money is a bigint. As text, which is the driver's default, it would silently compare wrongly.
const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, (text) => BigInt(text))
/** The driver has no name for this type. */
const TEXT_ARRAY = 1009 as typeof pg.types.builtins.TEXT
const readArray = pg.types.getTypeParser(TEXT_ARRAY, 'text') as (text: string) => (string | null)[]
/**
 * Scopes, digests and ids hold nothing that is quoted in an array. The driver's parser would go through them letter by
 * letter.
 */
const isPlain = (text: string) => text.length > 2 && !/["\\]|.\{|NULL/.test(text)
types.setTypeParser(TEXT_ARRAY, (text) => (isPlain(text) ? text.slice(1, -1).split(',') : readArray(text)))

/** The share of all connections that is kept for transactions. Most units of work commit with one statement and need none. */
const TRANSACTION_SHARE = 0.25

/** Opens the connections, each when it is first needed. Every wait has an end: for a connection, a statement, a lock, an idle transaction. */
export function openDatabase(
  url: string,
  {
    connectionsMax = 10,
    statementTimeoutMs = STATEMENT_TIMEOUT_MS,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    applicationName = 'quittance',
    pooled = false,
    standby = false,
  }: DatabaseOptions = {},
): Database {
  const forTransactions = standby ? connectionsMax : Math.max(1, Math.round(connectionsMax * TRANSACTION_SHARE))
  const settings = { types, application_name: applicationName, pipeline: true, keepAlive: true }
  const address = addressOf(url, pooled ? '' : startOptions(statementTimeoutMs), standby ? 'standby' : 'primary')
  const connector = new Connector(address, settings, { limitMs: connectTimeoutMs, pooled })
  const naming = { prepares: !pooled }
  const probing = pooled ? keepsStatements(connector).catch(() => false) : Promise.resolve(true)
  void probing.then((prepares) => {
    naming.prepares = prepares
  })
  const limits = { connector, statementTimeoutMs, waitMs: connectTimeoutMs, naming }
  const openPools = () => {
    const statements = new Pool({ ...limits, max: Math.max(1, connectionsMax - forTransactions) })
    return {
      statements,
      commits: new Commits({ pool: statements, waitMs: connectTimeoutMs }),
      transactions: new Pool({ ...limits, max: forTransactions }),
    }
  }
  let pools = openPools()
  /** There while nothing may be connected, or only one may ask. */
  let gate: Promise<unknown> | undefined
  const alone = new AsyncLocalStorage<true>()
  const isShut = () => gate !== undefined && !alone.getStore()
  const passed = async () => {
    while (isShut()) await gate
  }
  const query = (text: string, values: readonly unknown[] = []) => pools.transactions.run(unprepared(text), values)
  const run: Run = (statement, values) =>
    isShut() ? passed().then(() => pools.statements.run(statement, values)) : pools.statements.run(statement, values)
  const unkept = () => {
    naming.prepares = false
  }
  const rows = rowsFrom(run, unkept)
  const committing =
    (line: string | undefined): Run =>
    async (statement, values = []) => {
      if (isShut()) await passed()
      return pools.commits.run(statement, values, line)
    }
  const waiting = () => pools.statements.waitingCount + pools.transactions.waitingCount
  const isBusy = () => pools.statements.isBusy || pools.commits.openCount > 0 || pools.transactions.isBusy
  const closePools = () => Promise.all([pools.statements.close(), pools.transactions.close()])

  async function disconnected<T>(work: () => Promise<T>): Promise<T> {
    while (waiting() + pools.commits.openCount > 0) await pause(WAITING_POLL_MS)
    await probing
    await closePools()
    return work().finally(() => {
      pools = openPools()
    })
  }

  async function unaccompanied<T>(work: () => Promise<T>): Promise<T> {
    const until = performance.now() + statementTimeoutMs
    // If somebody has a transaction open and asks something outside of it, they wait for us. So we do not wait for them for ever.
    do await pause(1)
    while (isBusy() && performance.now() < until)
    // `AsyncLocalStorage` follows every promise of the process while it is in use, so it is switched off again.
    return alone.run(true, work).finally(() => alone.disable())
  }

  async function whileShut<T>(work: () => Promise<T>): Promise<T> {
    // Nothing happens between the look and the shutting. So of two who wait for the gate, one goes on waiting.
    while (gate) await gate
    const done = work().finally(() => {
      gate = undefined
    })
    gate = done.catch(() => {})
    return done
  }
  return {
    // Of the overloads that `query` of the driver's pool has, tests use only this one.
    query: query as pg.Pool['query'],
    get waitingCount() {
      return waiting()
    },
    get silentMs() {
      return performance.now() - Math.max(pools.statements.answeredAt, pools.transactions.answeredAt)
    },
    get isSettled() {
      return connector.steadyMs > SETTLED_MS
    },
    rows,
    row: async <Row>(statement: Statement, values?: readonly unknown[]) => (await rows<Row>(statement, values))[0],
    commit: (statement, values, line) => rowsFrom(committing(line), unkept)(statement, values),
    transaction: async (work, limitMs) => {
      if (isShut()) await passed()
      return pools.transactions.transaction(async (run) => {
        if (limitMs !== undefined) await run(takeTime, [String(limitMs)])
        return work({ rows: rowsWithin(run, unkept) })
      }, limitMs)
    },
    // Whoever runs alone has shut the gate already.
    whileDisconnected: (work) => (alone.getStore() ? disconnected(work) : whileShut(() => disconnected(work))),
    alone: (work) => (alone.getStore() ? work() : whileShut(() => unaccompanied(work))),
    close: async () => {
      await passed()
      await probing
      await closePools()
    },
  }
}

/** Told when a statement turns out to be prepared where this connection never prepared it. */
type OnUnkept = () => void

// The driver types rows loosely; each statement's caller states what its columns are.
const rowsFrom =
  (run: Run, onUnkept: OnUnkept) =>
  async <Row>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> => {
    try {
      return (await run(statement, values)).rows as Row[]
    } catch (error) {
      if (isThereAlready(error)) onUnkept()
      // PostgreSQL does not know the statement because an earlier Parse in the pipeline failed, or a pooler that kept
      // statements does so no more; nothing ran, so it is sent again unnamed.
      else if (!isNotPrepared(error)) throw error
      return (await run(unprepared(statement.text), values)).rows as Row[]
    }
  }

/** Within a transaction. It has failed as a whole, so whoever began it has to begin it again. */
const rowsWithin =
  (run: Run, onUnkept: OnUnkept) =>
  async <Row>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> => {
    try {
      return (await run(statement, values)).rows as Row[]
    } catch (error) {
      if (isThereAlready(error) || isNotPrepared(error)) onUnkept()
      throw error
    }
  }

const isCoded = (code: string) => (error: unknown) => error instanceof Error && 'code' in error && error.code === code
const isNotPrepared = isCoded('26000')
const isThereAlready = isCoded('42P05')
