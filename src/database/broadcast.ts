import { randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import type { WorkKind } from '../kernel/job.ts'
import { version } from '../version.ts'
import { addressOf } from './address.ts'
import { CONNECT_TIMEOUT_MS, Connector, cut } from './connector.ts'
import type { Database } from './open.ts'
import { sql } from './sql.ts'

/**
 * What processes tell each other: there is work of a kind; an app or token changed (access); a sandbox's clock moved
 * (clock); its log grew (happenings); the log shall hold everything noted so far (notes); or the whole sandbox was reset.
 */
export type Topic = WorkKind | 'access' | 'clock' | 'happenings' | 'notes' | 'reset'

const channel = 'quittance'
const RECONNECT_MS = 1_000
const COALESCE_MS = 10
/** A listener may hear nothing for hours, so it has to ask whether its server is still there. */
const HEARTBEAT_MS = 5_000
const ANSWER_MS = 2_000
/** How long to wait until other processes have done what they were told. A process whose connection broke is back by then. */
const HEARD_MS_MAX = 5_000
const ASK_AGAIN_MS = 20
/** Comes before an id. `?` asks whether all that was told so far is done, and `!` answers that it is. */
const ASKED = '?'
const HEARD = '!'

/** The name of the connection of a listening process, to which its version is added. A command has no such connection. */
export const BROADCAST = 'quittance broadcast'

const notify = sql`select pg_notify('quittance', $1)`
const listening = sql`
  select pid from pg_stat_activity
  where datname = current_database() and starts_with(application_name, $1) and pid <> $2`

/**
 * Notifications between processes through LISTEN and NOTIFY. One is a hint that saves waiting: whoever misses it,
 * because a connection broke, finds out by itself within its own time limit.
 */
export class Broadcast {
  readonly #connector: Connector
  readonly #database: Database
  readonly #heartbeatMs: number
  readonly #reconnectMs: number
  readonly #listeners = new Map<Topic, (() => unknown)[]>()
  readonly #pending = new Set<Topic>()
  /** What listeners are still working on. */
  readonly #underWay = new Set<Promise<unknown>>()
  /** By the id of a question: the processes that answered that they are done. */
  readonly #heard = new Map<string, Set<number>>()
  #client: pg.Client | undefined
  /** The server's process behind our connection, by which other processes know us. */
  #pid = 0
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(url: string, database: Database, { heartbeatMs = HEARTBEAT_MS, reconnectMs = RECONNECT_MS } = {}) {
    const settings = { application_name: `${BROADCAST} ${version}`, keepAlive: true }
    this.#connector = new Connector(addressOf(url), settings, { limitMs: CONNECT_TIMEOUT_MS })
    this.#database = database
    this.#heartbeatMs = heartbeatMs
    this.#reconnectMs = reconnectMs
  }

  /** A listener that returns a promise is at work until the promise is settled. */
  on(topic: Topic, listener: () => unknown): void {
    this.#listeners.set(topic, [...(this.#listeners.get(topic) ?? []), listener])
  }

  /** Tells listeners of this process at once, and other processes shortly after. Never fails and never waits. */
  send(topic: Topic): void {
    this.#hear(topic)
    if (this.#closed || this.#pending.has(topic)) return
    this.#pending.add(topic)
    // Many commits in a moment make one notification: NOTIFY takes a lock that all commits with one share.
    setTimeout(() => {
      this.#pending.delete(topic)
      if (!this.#closed) this.#database.rows(notify, [topic]).catch(() => {})
    }, COALESCE_MS).unref()
  }

  /** Whether this process hears what others tell. While it does not, what others changed may be unknown here. */
  get isListening(): boolean {
    return this.#client !== undefined
  }

  /** How many other processes listen. */
  async others(): Promise<number> {
    return (await this.#otherPids()).size
  }

  /**
   * Tells every process, and returns when all others that listen have acted on it: whoever is answered afterwards finds none of
   * them that still goes by what was before. `others` is the least number to wait for, since some connections may be broken.
   * Never fails: gives whether all have acted on it.
   */
  async tell(topics: readonly Topic[], others = 0): Promise<boolean> {
    for (const topic of topics) this.#hear(topic)
    const id = randomBytes(8).toString('hex')
    const heard = new Set<number>()
    this.#heard.set(id, heard)
    try {
      const until = performance.now() + HEARD_MS_MAX
      for (let pids = await this.#otherPids(); ; pids = await this.#otherPids()) {
        const isDone = heard.size >= others && [...pids].every((pid) => heard.has(pid))
        if (isDone || this.#closed || performance.now() > until) return isDone
        for (const said of [...topics, `${ASKED}${id}`]) await this.#database.rows(notify, [said])
        await pause(ASK_AGAIN_MS)
      }
    } catch {
      // Whoever did not hear of it finds out by itself, as with `send`.
      return false
    } finally {
      this.#heard.delete(id)
    }
  }

  async #otherPids(): Promise<Set<number>> {
    const found = await this.#database.rows<{ pid: number }>(listening, [BROADCAST, this.#pid])
    return new Set(found.map(({ pid }) => pid))
  }

  async #answer(id: string): Promise<void> {
    if (this.#heard.has(id)) return
    await Promise.allSettled(this.#underWay)
    await this.#database.rows(notify, [`${HEARD}${id} ${this.#pid}`])
  }

  #take(payload: string): void {
    if (payload.startsWith(ASKED)) void this.#answer(payload.slice(1)).catch(() => {})
    else if (payload.startsWith(HEARD)) {
      const [id = '', pid] = payload.slice(1).split(' ')
      this.#heard.get(id)?.add(Number(pid))
    } else this.#hear(payload as Topic)
  }

  async listen(): Promise<void> {
    const client = await this.#connector.connect()
    client.on('notification', ({ payload = '' }) => this.#take(payload))
    try {
      await inTime(client, `listen ${channel}`)
    } catch (error) {
      cut(client)
      throw error
    }
    // Reconnects only a connection that once stood. If it never did, the error tells whoever asked for it.
    client.on('end', () => {
      this.#client = undefined
      this.#reconnect()
    })
    this.#client = client
    this.#pid = (client as pg.Client & { readonly processID: number | null }).processID ?? 0
    this.#watch(client)
    if (this.#closed) await this.close()
  }

  /**
   * Asks again and again, each time after the last answer, because a connection says nothing by itself when its server is
   * gone.
   */
  #watch(client: pg.Client): void {
    const ask = () =>
      inTime(client, 'select 1').then(
        () => this.#client === client && !this.#closed && this.#watch(client),
        () => cut(client),
      )
    this.#timer = setTimeout(() => void ask(), this.#heartbeatMs).unref()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    const client = this.#client
    if (!client) return
    // A server that went away without a word never ends the connection.
    const late = setTimeout(() => cut(client), ANSWER_MS)
    await client.end().finally(() => clearTimeout(late))
  }

  #hear(topic: Topic): void {
    for (const listener of this.#listeners.get(topic) ?? []) {
      const done = listener()
      if (!(done instanceof Promise)) continue
      const settled: Promise<unknown> = done.catch(() => {}).finally(() => this.#underWay.delete(settled))
      this.#underWay.add(settled)
    }
  }

  #reconnect(): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      this.listen().then(
        // Everybody looks again, to make up for what was missed meanwhile. A reset is left out, since it leaves nothing to
        // look at.
        () => {
          for (const topic of this.#listeners.keys()) if (topic !== 'reset') this.#hear(topic)
        },
        () => this.#reconnect(),
      )
    }, this.#reconnectMs)
    this.#timer.unref()
  }
}

/** Asks something, and gives the connection up when there is no answer in time. */
async function inTime(client: pg.Client, text: string): Promise<void> {
  const late = setTimeout(() => cut(client), ANSWER_MS)
  try {
    await client.query(text)
  } finally {
    clearTimeout(late)
  }
}
