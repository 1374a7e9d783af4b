import type pg from 'pg'
import type { WorkKind } from '../kernel/job.ts'
import { version } from '../version.ts'
import { addressOf } from './address.ts'
import { CONNECT_TIMEOUT_MS, Connector, cut } from './connector.ts'
import type { Database } from './open.ts'
import { sql } from './sql.ts'

/** What processes tell each other: there is work of a kind, an app or token changed, a sandbox's clock moved or log grew. */
export type Topic = WorkKind | 'access' | 'clock' | 'happenings'

const channel = 'quittance'
const RECONNECT_MS = 1_000
const COALESCE_MS = 10
/** A listener hears nothing for hours, so whether its server is still there must be asked. */
const HEARTBEAT_MS = 5_000
const ANSWER_MS = 2_000

/** What the connection of a process that listens is called, before its version: a command has none. */
export const BROADCAST = 'quittance broadcast'

const notify = sql`select pg_notify('quittance', $1)`

/**
 * Notifications between processes through LISTEN and NOTIFY. One is a hint that saves waiting: whoever misses it,
 * because a connection broke, finds out by itself within its own time limit.
 */
export class Broadcast {
  readonly #connector: Connector
  readonly #database: Database
  readonly #heartbeatMs: number
  readonly #reconnectMs: number
  readonly #listeners = new Map<Topic, (() => void)[]>()
  readonly #pending = new Set<Topic>()
  #client: pg.Client | undefined
  #timer: NodeJS.Timeout | undefined
  #closed = false

  constructor(url: string, database: Database, { heartbeatMs = HEARTBEAT_MS, reconnectMs = RECONNECT_MS } = {}) {
    const settings = { application_name: `${BROADCAST} ${version}`, keepAlive: true }
    this.#connector = new Connector(addressOf(url), settings, { limitMs: CONNECT_TIMEOUT_MS })
    this.#database = database
    this.#heartbeatMs = heartbeatMs
    this.#reconnectMs = reconnectMs
  }

  on(topic: Topic, listener: () => void): void {
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

  async listen(): Promise<void> {
    const client = await this.#connector.connect()
    client.on('notification', ({ payload }) => this.#hear(payload as Topic))
    try {
      await inTime(client, `listen ${channel}`)
    } catch (error) {
      cut(client)
      throw error
    }
    // Only a connection that once stood is missed; whoever asked for one that never did is told by the error.
    client.on('end', () => this.#reconnect())
    this.#client = client
    this.#timer = setInterval(() => void inTime(client, 'select 1').catch(() => cut(client)), this.#heartbeatMs).unref()
    if (this.#closed) await this.close()
  }

  async close(): Promise<void> {
    this.#closed = true
    clearTimeout(this.#timer)
    await this.#client?.end()
  }

  #hear(topic: Topic): void {
    for (const listener of this.#listeners.get(topic) ?? []) listener()
  }

  #reconnect(): void {
    clearTimeout(this.#timer)
    if (this.#closed) return
    this.#timer = setTimeout(() => {
      this.listen().then(
        // What was missed meanwhile is made up for: everyone looks again.
        () => {
          for (const topic of this.#listeners.keys()) this.#hear(topic)
        },
        () => this.#reconnect(),
      )
    }, this.#reconnectMs)
    this.#timer.unref()
  }
}

/** Asks, and gives the connection up when there is no answer. */
async function inTime(client: pg.Client, text: string): Promise<void> {
  const late = setTimeout(() => cut(client), ANSWER_MS)
  try {
    await client.query(text)
  } finally {
    clearTimeout(late)
  }
}
