import pg from 'pg'
import { unavailable } from '../kernel/problem.ts'
import { Pace } from './pace.ts'

/** So many quick reads may be under way on one lane; anything else has a lane to itself. */
const SHARED_MAX = 4
const WATCH_EVERY_MS = 1_000
/** Longer than the server lets a statement run: a lane that has been silent for so much more has lost its server. */
const SILENCE_MARGIN_MS = 2_000

interface Lane {
  readonly client: pg.Client
  underWay: number
  /** Only quick reads are under way, so another may follow them. */
  shared: boolean
  /** When it last had nothing to do or gave an answer. */
  movedAt: number
  /** Why it could not be connected. */
  failure?: Error
}

/** Called once, with an error or with rows. */
type Settle = (error: Error | undefined, rows: unknown[]) => void

interface Waiting {
  readonly query: pg.QueryConfig
  readonly settle: Settle
  readonly timer: NodeJS.Timeout
}

export interface LanesOptions {
  readonly settings: pg.ClientConfig
  readonly max: number
  readonly statementTimeoutMs: number
  readonly waitMs: number
}

/**
 * Connections for statements that stand alone. Reads that have proved quick are packed onto few of them, one sent
 * before the other is answered, which saves both ends most of the waking and waiting; they never follow a write or a
 * read that takes its time.
 */
export class Lanes {
  readonly #options: LanesOptions
  readonly #lanes: Lane[] = []
  readonly #waiting: Waiting[] = []
  readonly #pace = new Pace()
  readonly #watch: NodeJS.Timeout
  /** Lanes that were given statements since the last time what they hold back was sent. */
  readonly #held = new Set<Lane>()
  #closed = false

  constructor(options: LanesOptions) {
    this.#options = options
    this.#watch = setInterval(() => this.#cutSilent(), WATCH_EVERY_MS)
    this.#watch.unref()
  }

  /** How many statements wait for a place. */
  get waitingCount(): number {
    return this.#waiting.length
  }

  /** Runs one statement and gives its rows. */
  run(query: pg.QueryConfig): Promise<unknown[]> {
    return new Promise((resolve, reject) => {
      const settle: Settle = (error, rows) => (error ? reject(error) : resolve(rows))
      if (this.#closed) return reject(new Error('Cannot use a pool after calling end on the pool'))
      const shares = this.#pace.isQuick(query)
      // Nobody overtakes those who wait, or a write might never find a lane empty.
      const lane = this.#waiting.length === 0 ? this.#laneFor(shares) : undefined
      if (lane) this.#send(lane, shares, query, settle)
      else this.#wait(query, settle)
    })
  }

  /** Ends all lanes once what is under way is answered. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#watch)
    await Promise.all(this.#lanes.map(({ client }) => client.end()))
  }

  /** The first lane that can take it, so that the same few stay warm; a new one if there may be more. */
  #laneFor(shares: boolean): Lane | undefined {
    for (const lane of this.#lanes)
      if (lane.underWay === 0 || (shares && lane.shared && lane.underWay < SHARED_MAX)) return lane
    return this.#lanes.length < this.#options.max ? this.#open() : undefined
  }

  #open(): Lane {
    const client = new pg.Client({ ...this.#options.settings, pipeline: true, keepAlive: true })
    const lane: Lane = { client, underWay: 0, shared: false, movedAt: performance.now() }
    // Whatever was under way on a connection that breaks has failed with it; the next statement opens another.
    client.on('error', () => this.#drop(lane))
    client.on('end', () => this.#drop(lane))
    client.connect().catch((error: Error) => {
      lane.failure = error
      this.#drop(lane)
    })
    this.#lanes.push(lane)
    return lane
  }

  #drop(lane: Lane): void {
    const place = this.#lanes.indexOf(lane)
    if (place < 0) return
    this.#lanes.splice(place, 1)
    this.#admitWaiting()
  }

  #send(lane: Lane, shares: boolean, query: pg.QueryConfig, settle: Settle): void {
    if (lane.underWay === 0) lane.movedAt = performance.now()
    lane.underWay++
    lane.shared = shares
    this.#hold(lane)
    lane.client.query(query, (error: Error | null, result?: pg.QueryResult) => {
      const now = performance.now()
      this.#pace.took(query, now - lane.movedAt)
      lane.movedAt = now
      lane.underWay--
      if (error && 'severity' in error && error.severity === 'FATAL') this.#drop(lane)
      if (this.#waiting.length > 0) this.#admitWaiting()
      settle(lane.failure ?? error ?? undefined, result?.rows ?? [])
    })
  }

  /**
   * What comes up while one round of events is handled goes out together at its end. Each send wakes a backend, which
   * on a machine it shares with us would take our place in the middle of the round.
   */
  #hold(lane: Lane): void {
    if (this.#held.has(lane)) return
    if (this.#held.size === 0) setImmediate(() => this.#release())
    this.#held.add(lane)
    lane.client.connection.stream.cork()
  }

  #release(): void {
    const held = [...this.#held]
    this.#held.clear()
    for (const { client } of held) client.connection.stream.uncork()
  }

  #wait(query: pg.QueryConfig, settle: Settle): void {
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(waiting), 1)
      settle(unavailable('The database has more to do than it can in time; try again shortly.'), [])
    }, this.#options.waitMs)
    const waiting: Waiting = { query, settle, timer }
    this.#waiting.push(waiting)
  }

  #admitWaiting(): void {
    for (let first = this.#waiting[0]; first && !this.#closed; first = this.#waiting[0]) {
      const shares = this.#pace.isQuick(first.query)
      const lane = this.#laneFor(shares)
      if (!lane) return
      this.#waiting.shift()
      clearTimeout(first.timer)
      this.#send(lane, shares, first.query, first.settle)
    }
  }

  /** Cuts connections whose server went away without a word, so that nobody waits for them for ever. */
  #cutSilent(): void {
    const limit = performance.now() - this.#options.statementTimeoutMs - SILENCE_MARGIN_MS
    for (const { client, underWay, movedAt } of this.#lanes)
      if (underWay > 0 && movedAt < limit) client.connection.stream.destroy()
  }
}
