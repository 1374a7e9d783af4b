import type pg from 'pg'
import { type Connector, cut } from './connector.ts'
import { Corks } from './corks.ts'
import { asFault, isAnswer, NoConnectionError } from './errors.ts'
import { Pace } from './pace.ts'
import { Prepared } from './prepared.ts'
import { type Statement, sql } from './sql.ts'

/** So many quick reads may be under way on one lane; anything else has a lane to itself. */
const SHARED_MAX = 4
const WATCH_EVERY_MS = 1_000
/** Longer than the server lets a statement run: a lane that has been silent for so much more has lost its server. */
const SILENCE_MARGIN_MS = 2_000
/** After a connection that could not be made the lanes there are must do for so long. */
const REOPEN_MS = 200

/** Called once, with an error or with a result. */
type Settle = (error: Error | undefined, result?: pg.QueryResult) => void

interface Lane {
  readonly client: pg.Client
  readonly prepared: Prepared
  /** What each statement that is under way is to be told. */
  readonly underWay: Set<Settle>
  /** Only quick reads are under way, so another may follow them. */
  shared: boolean
  /** A transaction has it to itself. */
  held: boolean
  /** When it last had nothing to do or gave an answer. */
  movedAt: number
  /** Why it cannot be used any more. */
  failure?: Error
}

interface Waiting {
  /** It may follow quick reads. */
  shares(): boolean
  take(lane: Lane): void
  fail(error: Error): void
  readonly timer: NodeJS.Timeout
}

export type Run = (statement: Statement, values?: readonly unknown[]) => Promise<pg.QueryResult>

export interface LanesOptions {
  readonly connector: Connector
  readonly max: number
  readonly statementTimeoutMs: number
  readonly waitMs: number
}

/**
 * The connections of a process. Reads that have proved quick are packed onto few of them, one sent before the other is
 * answered, which saves both ends most of the waking and waiting; they never follow a write or a read that takes its
 * time. That is why this is not `pg.Pool`: a read costs 43-58 µs of processor time here and 95-108 µs there.
 *
 * A connection is used until it fails to give an answer of the server, for whatever reason; everything under way on it
 * fails with it. What waits for a connection fails when its time is up, or when none can be made.
 */
export class Lanes {
  readonly #options: LanesOptions
  readonly #lanes: Lane[] = []
  readonly #waiting: Waiting[] = []
  readonly #pace = new Pace()
  readonly #watch: NodeJS.Timeout
  readonly #corks = new Corks()
  #opening = 0
  #failedAt = Number.NEGATIVE_INFINITY
  #closed = false
  #onEmpty = () => {}

  constructor(options: LanesOptions) {
    this.#options = options
    this.#watch = setInterval(() => this.#cutSilent(), WATCH_EVERY_MS)
    this.#watch.unref()
  }

  /** How many statements and transactions wait for a place. */
  get waitingCount(): number {
    return this.#waiting.length
  }

  /** Runs one statement. */
  run(statement: Statement, values: readonly unknown[] = []): Promise<pg.QueryResult> {
    return new Promise((resolve, reject) => {
      const settle: Settle = (error, result) => (error ? reject(error) : resolve(result!))
      this.#whenFree(
        () => this.#pace.isQuick(statement),
        (lane, shares) => this.#send(lane, shares, { statement, values }, settle),
        reject,
      )
    })
  }

  /** Runs the work between `begin` and `commit` on a lane of its own. */
  async transaction<T>(work: (run: Run) => Promise<T>): Promise<T> {
    const lane = await new Promise<Lane>((resolve, reject) => {
      const take = (lane: Lane) => {
        lane.held = true
        resolve(lane)
      }
      this.#whenFree(() => false, take, reject)
    })
    const run: Run = (statement, values = []) =>
      new Promise((resolve, reject) => {
        const settle: Settle = (error, result) => (error ? reject(error) : resolve(result!))
        this.#send(lane, false, { statement, values }, settle)
      })
    try {
      await run(begin)
      const result = await work(run)
      const { command } = await run(commit)
      if (command !== 'COMMIT') throw new Error('A statement of the transaction had failed, so nothing was committed.')
      return result
    } catch (error) {
      // A connection that cannot even roll back is given up, and the server rolls back for it.
      await run(rollback).catch((failure: Error) => this.#drop(lane, failure))
      throw error
    } finally {
      lane.held = false
      this.#freed(lane)
    }
  }

  /** Ends all lanes once what is under way is answered. */
  async close(): Promise<void> {
    this.#closed = true
    this.#failWaiting(closing())
    for (const lane of [...this.#lanes]) this.#freed(lane)
    const overdue = setTimeout(() => {
      for (const lane of [...this.#lanes]) this.#drop(lane, closing())
    }, this.#options.statementTimeoutMs + SILENCE_MARGIN_MS)
    if (this.#lanes.length + this.#opening > 0)
      await new Promise<void>((resolve) => {
        this.#onEmpty = resolve
      })
    clearTimeout(overdue)
    clearInterval(this.#watch)
  }

  #whenFree(shares: () => boolean, take: (lane: Lane, shares: boolean) => void, fail: (error: Error) => void): void {
    const quick = shares()
    // Nobody overtakes those who wait, or a write might never find a lane empty.
    const lane = this.#waiting.length === 0 ? this.#laneFor(quick) : undefined
    if (this.#closed) fail(closing())
    else if (lane) take(lane, quick)
    else this.#wait({ shares, take: (free) => take(free, shares()), fail })
  }

  #wait(parts: Omit<Waiting, 'timer'>): void {
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      parts.fail(new NoConnectionError('All connections to the database have been busy for too long.'))
    }, this.#options.waitMs)
    const waiting: Waiting = { ...parts, timer }
    this.#waiting.push(waiting)
    this.#openMore()
  }

  /** The first lane that can take it, so that the same few stay warm. */
  #laneFor(shares: boolean): Lane | undefined {
    return this.#lanes.find(
      ({ held, shared, underWay }) =>
        !held && (underWay.size === 0 || (shares && shared && underWay.size < SHARED_MAX)),
    )
  }

  /** Opens as many lanes as are waited for and allowed. */
  #openMore(): void {
    const room = this.#options.max - this.#lanes.length - this.#opening
    const missed = this.#waiting.length - this.#opening
    if (this.#closed || (this.#lanes.length > 0 && performance.now() - this.#failedAt < REOPEN_MS)) return
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
    const underWay = new Set<Settle>()
    const prepared = new Prepared(client)
    const lane: Lane = { client, prepared, underWay, shared: false, held: false, movedAt: performance.now() }
    this.#lanes.push(lane)
    client.on('error', (error) => this.#drop(lane, asFault(error)))
    client.on('end', () => this.#drop(lane, new NoConnectionError('The connection to the database ended.')))
    this.#freed(lane)
  }

  #notOpened(error: Error): void {
    this.#opening--
    this.#failedAt = performance.now()
    // With a lane left there is something to wait for.
    if (this.#lanes.length + this.#opening === 0)
      this.#failWaiting(new NoConnectionError(`No connection to the database: ${error.message}`, { cause: error }))
    this.#checkEmpty()
  }

  #failWaiting(error: Error): void {
    for (const { timer, fail } of this.#waiting.splice(0)) {
      clearTimeout(timer)
      fail(error)
    }
  }

  /** Gives a lane up, and with it everything under way. */
  #drop(lane: Lane, failure: Error): void {
    if (lane.failure) return
    lane.failure = failure
    this.#lanes.splice(this.#lanes.indexOf(lane), 1)
    cut(lane.client)
    const lost = [...lane.underWay]
    lane.underWay.clear()
    for (const settle of lost) settle(failure)
    this.#openMore()
    this.#checkEmpty()
  }

  #send(lane: Lane, shares: boolean, { statement, values }: Sent, settle: Settle): void {
    if (lane.failure) {
      settle(lane.failure)
      return
    }
    if (lane.underWay.size === 0) lane.movedAt = performance.now()
    lane.underWay.add(settle)
    lane.shared = shares
    this.#corks.put(lane.client.connection.stream)
    lane.prepared.use(statement)
    const query = { name: statement.name, text: statement.text, values: values as unknown[] }
    lane.client.query(query, (error: Error | null, result?: pg.QueryResult) => {
      // The lane may have been dropped, or the driver may speak twice.
      if (!lane.underWay.delete(settle)) return
      const now = performance.now()
      this.#pace.took(statement, now - lane.movedAt)
      lane.movedAt = now
      if (!error || isAnswer(error)) {
        this.#freed(lane)
        settle(error ?? undefined, result)
      } else {
        this.#drop(lane, asFault(error))
        settle(lane.failure)
      }
    })
  }

  /** A lane may be able to take more. */
  #freed(lane: Lane): void {
    if (this.#closed && !lane.held && lane.underWay.size === 0 && !lane.failure) void lane.client.end()
    else if (this.#waiting.length > 0) this.#admitWaiting()
  }

  #admitWaiting(): void {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const lane = this.#laneFor(first.shares())
      if (!lane) break
      this.#waiting.shift()
      clearTimeout(first.timer)
      first.take(lane)
    }
    this.#openMore()
  }

  #checkEmpty(): void {
    if (this.#closed && this.#lanes.length + this.#opening === 0) this.#onEmpty()
  }

  /** Gives up connections whose server went away without a word, so that nobody waits for them for ever. */
  #cutSilent(): void {
    const limit = performance.now() - this.#options.statementTimeoutMs - SILENCE_MARGIN_MS
    for (const lane of [...this.#lanes])
      if (lane.underWay.size > 0 && lane.movedAt < limit)
        this.#drop(lane, new NoConnectionError('The database has stopped answering.'))
  }
}

interface Sent {
  readonly statement: Statement
  readonly values: readonly unknown[]
}

const begin = sql`begin`
const commit = sql`commit`
const rollback = sql`rollback`

const closing = () => new NoConnectionError('The connections to the database are closed.')
