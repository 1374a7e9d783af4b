import type pg from 'pg'
import { answerTo } from '../kernel/working.ts'
import { type Connector, cut } from './connector.ts'
import { Corks } from './corks.ts'
import { asFault, BusyError, isAnswer, NoConnectionError } from './errors.ts'
import { queryOf } from './group.ts'
import {
  type Answered,
  isSilent,
  ofOne,
  type PooledConnection,
  pooled,
  SILENCE_MARGIN_MS,
} from './pooled-connection.ts'
import type { Naming } from './prepared.ts'
import { begin, commit, rollback } from './session.ts'
import type { Query as Sent, Statement } from './sql.ts'
import { Timings } from './timings.ts'

/** How many quick reads may be under way on one connection. Anything else has a connection to itself. */
const SHARED_MAX = 4
const WATCH_EVERY_MS = 1_000
/** After a connection could not be made, no other one is tried for so long, and those that are open must do. */
const REOPEN_MS = 200

interface Waiting {
  /** Whether it may follow quick reads on a shared connection. */
  shares(): boolean
  take(connection: PooledConnection): void
  fail(error: Error): void
  readonly timer: NodeJS.Timeout
}

export type Run = (statement: Statement, values?: readonly unknown[]) => Promise<pg.QueryResult>

export interface PoolOptions {
  readonly connector: Connector
  readonly max: number
  readonly statementTimeoutMs: number
  readonly waitMs: number
  readonly naming: Naming
}

/**
 * The connections of a process. Reads that have proved quick are packed onto few of them, and one is sent before the other
 * is answered, which saves both ends most of the waking and waiting. They never follow a write or a read that takes its
 * time. That is why this is not `pg.Pool`: a read costs 43-58 µs of processor time here and 95-108 µs there. A connection is
 * used until something other than an answer of the server comes from it, for whatever reason; then everything under way on
 * it fails. What waits for a connection fails when its time is up, or when none can be made.
 */
export class Pool {
  /** When the server last answered anything. */
  answeredAt = Number.NEGATIVE_INFINITY
  readonly #options: PoolOptions
  readonly #connections: PooledConnection[] = []
  readonly #waiting: Waiting[] = []
  readonly #timings = new Timings()
  readonly #watch: NodeJS.Timeout
  readonly #corks = new Corks()
  #opening = 0
  #failedAt = Number.NEGATIVE_INFINITY
  #closed = false
  #onEmpty = () => {}

  constructor(options: PoolOptions) {
    this.#options = options
    this.#watch = setInterval(() => this.#cutSilent(), WATCH_EVERY_MS)
    this.#watch.unref()
  }

  /** How many statements and transactions wait for a place. */
  get waitingCount(): number {
    return this.#waiting.length
  }

  /** Whether anything is under way or waits for a place. */
  get isBusy(): boolean {
    return this.#waiting.length > 0 || this.#connections.some(({ held, underWay }) => held || underWay.size > 0)
  }

  /** Runs one statement. */
  run(statement: Statement, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    return answerTo((answered) =>
      this.#whenFree(
        () => this.#timings.isQuick(statement),
        (connection, shares) => this.#send(connection, shares, [{ statement, values }], ofOne(answered)),
        answered,
      ),
    )
  }

  /** Runs several statements as one transaction, each of which sees what the ones before it did. All of them count, or none. */
  runTogether(queries: readonly Sent[], answered: Answered, taken: (connection: PooledConnection) => void): void {
    const take = (connection: PooledConnection) => {
      taken(connection)
      this.#send(connection, false, queries, answered)
    }
    this.#whenFree(() => false, take, answered)
  }

  /** The same right behind others that are under way on this connection. The server turns to these as soon as it has done those. */
  runBehind(connection: PooledConnection, queries: readonly Sent[], answered: Answered): void {
    this.#send(connection, false, queries, answered)
  }

  /** Whether a write has proved to be quick. */
  isQuickWrite(statement: Statement): boolean {
    return this.#timings.isQuickWrite(statement)
  }

  /** Runs the work between `begin` and `commit` on a connection of its own. */
  async transaction<T>(work: (run: Run) => Promise<T>, limitMs = this.#options.statementTimeoutMs): Promise<T> {
    const connection = await new Promise<PooledConnection>((resolve, reject) => {
      const take = (connection: PooledConnection) => {
        resolve(Object.assign(connection, { held: true, limitMs }))
      }
      this.#whenFree(() => false, take, reject)
    })
    const run: Run = (statement, values = []) =>
      answerTo((answered) => this.#send(connection, false, [{ statement, values }], ofOne(answered)))
    try {
      await run(begin)
      const result = await work(run)
      const { command } = await run(commit)
      if (command !== 'COMMIT') throw new Error('A statement of the transaction had failed, so nothing was committed.')
      return result
    } catch (error) {
      // A connection that cannot even roll back is given up, and the server rolls back for it.
      await run(rollback).catch((failure: Error) => this.#drop(connection, failure))
      throw error
    } finally {
      this.#freed(Object.assign(connection, { held: false, limitMs: this.#options.statementTimeoutMs }))
    }
  }

  /** Ends all connections as soon as what is under way is answered. */
  async close(): Promise<void> {
    this.#closed = true
    this.#failWaiting(closing())
    for (const connection of [...this.#connections]) this.#freed(connection)
    const overdue = setTimeout(() => {
      for (const connection of [...this.#connections]) this.#drop(connection, closing())
    }, this.#options.statementTimeoutMs + SILENCE_MARGIN_MS)
    if (this.#connections.length + this.#opening > 0)
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve
      })
    clearTimeout(overdue)
    clearInterval(this.#watch)
  }

  #whenFree(
    shares: () => boolean,
    take: (connection: PooledConnection, shares: boolean) => void,
    fail: (error: Error) => void,
  ): void {
    const quick = shares()
    // Nobody overtakes those who wait. Otherwise a write might never find an idle connection.
    const connection = this.#waiting.length === 0 ? this.#connectionFor(quick) : undefined
    if (this.#closed) fail(closing())
    else if (connection) take(connection, quick)
    else this.#wait({ shares, take: (free) => take(free, shares()), fail })
  }

  #wait(parts: Omit<Waiting, 'timer'>): void {
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      parts.fail(new BusyError('All connections to the database have been busy for too long.'))
    }, this.#options.waitMs)
    const waiting: Waiting = { ...parts, timer }
    this.#waiting.push(waiting)
    this.#openMore()
  }

  /** The first connection that can take it, so that the same few stay warm. */
  #connectionFor(shares: boolean): PooledConnection | undefined {
    return this.#connections.find(
      ({ held, shared, underWay }) =>
        !held && (underWay.size === 0 || (shares && shared && underWay.size < SHARED_MAX)),
    )
  }

  /** Opens as many connections as are waited for, within the limit. */
  #openMore(): void {
    const room = this.#options.max - this.#connections.length - this.#opening
    const missed = this.#waiting.length - this.#opening
    if (this.#closed || (this.#connections.length > 0 && performance.now() - this.#failedAt < REOPEN_MS)) return
    for (let left = Math.min(room, missed); left > 0; left--) {
      this.#opening++
      this.#options.connector.connect().then(
        (client) => this.#opened(client),
        (error: Error) => this.#notOpened(error),
      )
    }
  }

  #opened(client: pg.Client): void {
    this.#opening--
    const connection = pooled(client, this.#options)
    this.#connections.push(connection)
    client.on('error', (error) => this.#drop(connection, asFault(error)))
    client.on('end', () => this.#drop(connection, new NoConnectionError('The connection to the database ended.')))
    this.#freed(connection)
  }

  #notOpened(error: Error): void {
    this.#opening--
    this.#failedAt = performance.now()
    if (this.#connections.length + this.#opening === 0)
      this.#failWaiting(new NoConnectionError(`No connection to the database: ${error.message}`, { cause: error }))
    // As long as one connection is open there is something to wait for. But it may be held for long, so opening is tried again.
    else setTimeout(() => this.#openMore(), REOPEN_MS + 1).unref()
    this.#checkEmpty()
  }

  #failWaiting(error: Error): void {
    for (const { timer, fail } of this.#waiting.splice(0)) {
      clearTimeout(timer)
      fail(error)
    }
  }

  /** Gives a connection up, and with it everything under way. */
  #drop(connection: PooledConnection, failure: Error): void {
    if (connection.failure) return
    connection.failure = failure
    this.#connections.splice(this.#connections.indexOf(connection), 1)
    cut(connection.client)
    const lost = [...connection.underWay]
    connection.underWay.clear()
    for (const answered of lost) answered(failure)
    this.#openMore()
    this.#checkEmpty()
  }

  #send(connection: PooledConnection, shares: boolean, queries: readonly Sent[], answered: Answered): void {
    if (connection.failure) {
      answered(connection.failure)
      return
    }
    if (connection.underWay.size === 0) connection.movedAt = performance.now()
    connection.underWay.add(answered)
    connection.shared = shares
    const { stream } = connection.client.connection
    this.#corks.put(stream)
    const done = (error: Error | null, results?: readonly pg.QueryResult[]) => {
      // The connection may have been dropped before, or the driver may call this twice.
      if (!connection.underWay.delete(answered)) return
      const now = performance.now()
      this.#timings.took(queries, now - connection.movedAt, error !== null)
      connection.movedAt = now
      if (!error || isAnswer(error)) {
        this.answeredAt = now
        this.#freed(connection)
        answered(error ?? undefined, results)
      } else {
        this.#drop(connection, asFault(error))
        answered(connection.failure)
      }
    }
    connection.client.query(queryOf(queries, connection.prepared, done))
    // Several statements are worth waking the server for at once, while we go on.
    if (queries.length > 1 || connection.underWay.size === SHARED_MAX) this.#corks.pull(stream)
  }

  /** A connection may be able to take more. */
  #freed(connection: PooledConnection): void {
    if (this.#closed && !connection.held && connection.underWay.size === 0 && !connection.failure)
      void connection.client.end()
    else if (this.#waiting.length > 0) this.#admitWaiting()
  }

  #admitWaiting(): void {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const connection = this.#connectionFor(first.shares())
      if (!connection) break
      this.#waiting.shift()
      clearTimeout(first.timer)
      first.take(connection)
    }
    this.#openMore()
  }

  #checkEmpty(): void {
    if (this.#closed && this.#connections.length + this.#opening === 0) this.#onEmpty()
  }

  /** Gives up connections whose server went away without a word, so that nobody waits for them for ever. */
  #cutSilent(): void {
    const now = performance.now()
    for (const connection of [...this.#connections])
      if (isSilent(connection, now))
        this.#drop(connection, new NoConnectionError('The database has stopped answering.'))
  }
}

const closing = () => new NoConnectionError('The connections to the database are closed.')
