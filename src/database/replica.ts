import { setTimeout as pause } from 'node:timers/promises'
import { AddressError } from './address.ts'
import { identity, identityOf } from './identity.ts'
import type { Connection, Database } from './open.ts'
import { type Statement, sql, statementOf } from './sql.ts'
import type { Reader } from './transaction.ts'

/** How long a read waits for the replica to have what was committed before it. */
const WAIT_MS = 50
const POLL_MS = 2
const WATCH_EVERY_MS = 500
/** A replica that is silent for so long is taken for gone. */
const SILENT_MS = 1_000
/** The server ended the statement because it took too long. It would take too long elsewhere too. */
const TOO_LONG = '57014'

/**
 * A place in the write-ahead log. After a failover a new timeline begins, and places of different timelines cannot be
 * compared.
 */
interface Place {
  readonly timeline: bigint
  readonly bytes: bigint
}

interface ReplicaPlace extends Place {
  readonly standby: boolean
  /** Which cluster and database it is a replica of. */
  readonly identity: string
}

const primaryPlace = sql`
  select ('x' || left(pg_walfile_name(lsn), 8))::bit(32)::int8 as timeline, (lsn - '0/0')::int8 as bytes
  from (select pg_current_wal_flush_lsn() as lsn) flushed`
/** A role that may not see the receiver learns of a new timeline only with the next restart point, minutes later. */
const replicaPlace = statementOf(`
  select pg_is_in_recovery() as standby, coalesce(pg_last_wal_replay_lsn() - '0/0', 0)::int8 as bytes,
    coalesce((select received_tli from pg_stat_wal_receiver), (select timeline_id from pg_control_checkpoint()))::int8 as timeline,
    ${identity} as identity`)

const has = (place: Place, wanted: Place) => place.timeline === wanted.timeline && place.bytes >= wanted.bytes

/** Why reads go to the primary, in short for the log. */
type Away = 'not looked at yet' | 'behind' | 'gone' | 'no replica'

/** The replica cannot answer this read, and the primary can. */
class NotHere extends Error {
  readonly away: Away | undefined

  constructor(away?: Away) {
    super('The replica does not answer this read.')
    this.away = away
  }
}

export interface ReplicaParts {
  readonly primary: Database
  /** Its connections are for transactions, but for one. */
  readonly replica: Database
  /** Told when reads begin to go elsewhere, and why. If the replica is gone, also told the error. */
  onChange?(away: string | undefined, reason?: unknown): void
}

/**
 * Reads that may come from a replica and still see everything that was committed before they began, by whichever
 * process: the primary is asked how far its log is, once for all reads that ask at the same time, and the replica answers
 * when it has replayed that much. One that takes too long, is gone, or became a primary itself answers nothing; then the
 * primary does, as if there were no replica.
 */
export class Replica implements Reader {
  /** For whoever watches: how many reads each side answered, and how far behind the replica was when last looked at. */
  readonly state = { answered: { replica: 0, primary: 0 }, inUse: false, lagSeconds: 0, lagBytes: 0 }
  readonly #parts: ReplicaParts
  #identity: string | undefined
  #away: Away | undefined = 'not looked at yet'
  /** Who waits for an answer of the replica: they are failed when it is found gone. */
  readonly #waiting = new Set<(error: Error) => void>()
  /** Places of the primary that the replica has not been seen to reach yet, with the time of each look. */
  #missing: { place: Place; at: number }[] = []
  #asking: Promise<Place> | undefined
  #next: Promise<Place> | undefined
  #watch: NodeJS.Timeout | undefined
  #watching: Promise<void> | undefined

  constructor(parts: ReplicaParts) {
    this.#parts = parts
  }

  /** Watches the replica from now on. Refuses a replica of another database. One that is away may come back. */
  async start(): Promise<void> {
    await this.#look()
    this.#watch = setInterval(() => {
      this.#watching ??= this.#look()
        .catch(() => {})
        .finally(() => {
          this.#watching = undefined
        })
    }, WATCH_EVERY_MS)
    this.#watch.unref()
  }

  async rows<Row>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    try {
      const rows = await this.#read<Row>(statement, values)
      this.state.answered.replica++
      return rows
    } catch (error) {
      if ((error as { code?: string }).code === TOO_LONG) throw error
      if (error instanceof NotHere && error.away) this.#turn(error.away)
      this.state.answered.primary++
      return this.#parts.primary.rows<Row>(statement, values)
    }
  }

  async row<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row | undefined> {
    return (await this.rows<Row>(statement, values))[0]
  }

  async close(): Promise<void> {
    clearInterval(this.#watch)
    await this.#watching
    await this.#parts.replica.close()
  }

  async #read<Row>(statement: Statement, values: readonly unknown[]): Promise<Row[]> {
    const { replica } = this.#parts
    // A replica that is overloaded gets no reads that it would only come to later.
    if (this.#away || replica.waitingCount > 0) throw new NotHere()
    const wanted = await this.#primaryPlace()
    const answer = replica.transaction(async (connection) => {
      // Asked on the same connection that then reads, because several replicas may stand behind one address.
      await this.#reach(connection, wanted)
      return connection.rows<Row>(statement, values)
    })
    return this.#unlessGone(answer)
  }

  /**
   * Calls `reject` directly, and does not race answers against one promise: that promise would keep every answer in memory
   * until it is settled.
   */
  #unlessGone<Answer>(answer: Promise<Answer>): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject)
      void answer.then(resolve, reject).finally(() => this.#waiting.delete(reject))
    })
  }

  async #reach(connection: Connection, wanted: Place): Promise<void> {
    const place = await this.#waitFor(connection, wanted)
    if (this.#isOther(place)) throw new NotHere('no replica')
    if (!has(place, wanted)) throw new NotHere('behind')
  }

  /** Where the replica is, once it has reached the wanted place or that took too long. */
  async #waitFor(connection: Connection, wanted: Place): Promise<ReplicaPlace> {
    const until = performance.now() + WAIT_MS
    for (;;) {
      const [place] = await connection.rows<ReplicaPlace>(replicaPlace)
      if (has(place!, wanted) || !place!.standby || performance.now() > until) return place!
      await pause(POLL_MS)
    }
  }

  /** Whether the server is not our replica any more: it takes writes of its own, or it follows another primary. */
  #isOther({ standby, identity }: ReplicaPlace): boolean {
    return !standby || identity !== this.#identity
  }

  /** Where the log of the primary ends. Whoever asks while a query is under way shares the next query with all others who do. */
  #primaryPlace(): Promise<Place> {
    this.#next ??= (this.#asking ?? Promise.resolve())
      .catch(() => {})
      .then(async () => {
        this.#asking = this.#next
        this.#next = undefined
        const [place] = await this.#parts.primary.rows<Place>(primaryPlace)
        return place!
      })
    return this.#next
  }

  /** Finds out how far behind the replica is, and whether reads can go there. */
  async #look(): Promise<void> {
    const place = await this.#primaryPlace().catch(() => undefined)
    // Without a primary, nothing can be said about the replica, and nothing may be read that has to be current.
    if (!place) return
    const began = performance.now()
    let reason: unknown
    const found = await this.#lookAtReplica(place).catch((error: unknown) => {
      reason = error
      return undefined
    })
    const now = performance.now()
    this.#missing.push({ place, at: began })
    this.#missing = this.#missing.filter(
      (one) => one.place.timeline === place.timeline && !(found && has(found, one.place)),
    )
    // When there are many, the oldest place tells for how long the replica is behind, and the newest when it has caught up.
    if (this.#missing.length > MISSING_MAX) this.#missing.splice(1, 1)
    this.state.lagSeconds = (this.#missing[0] ? now - this.#missing[0].at : 0) / 1000
    if (!found) return this.#turn('gone', reason)
    this.state.lagBytes = Number(place.bytes > found.bytes ? place.bytes - found.bytes : 0n)
    this.#identity ??= (await this.#parts.primary.row<{ identity: string }>(identityOf))?.identity
    if (found.identity !== this.#identity && this.#away === 'not looked at yet')
      throw new AddressError('DATABASE_READ_URL leads to a server that is no replica of the one at DATABASE_URL.')
    if (this.#isOther(found)) return this.#turn('no replica')
    this.#turn(has(found, place) ? undefined : 'behind')
  }

  /** Waits as a read would, on a connection that no read takes. */
  async #lookAtReplica(wanted: Place): Promise<ReplicaPlace> {
    const late = new AbortController()
    const silence = pause(SILENT_MS, undefined, { signal: late.signal, ref: false }).then(() => {
      throw new NotHere()
    })
    silence.catch(() => {})
    try {
      return await Promise.race([this.#waitFor(this.#parts.replica, wanted), silence])
    } finally {
      late.abort()
    }
  }

  #turn(away: Away | undefined, reason?: unknown): void {
    if (away === 'gone') for (const fail of this.#waiting) fail(new NotHere())
    if (away === this.#away) return
    this.#away = away
    this.state.inUse = away === undefined
    this.#parts.onChange?.(away, reason)
  }
}

/** How many places are remembered, half a second apart. */
const MISSING_MAX = 600
