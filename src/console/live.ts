import { setTimeout as pause } from 'node:timers/promises'
import { networkOf } from '../http/limits/rate-limit.ts'
import type { Answer } from '../http/route.ts'
import { unavailable } from '../kernel/problem.ts'
import { eventsAnswer, type LiveMessage } from './respond.ts'

/** Something is said this often at least, so that nobody on the way takes the connection for dead. */
export const HEARTBEAT_SECONDS = 15
/** How soon a browser comes back that lost the connection, or whose service ends. */
const RECONNECT_MS = 1_000
/** At most ten messages a second: what happens in between is told at once. */
const APART_MS = 100

/** How many may follow at once: of a process, from an address, and through the same eyes. */
export const followersMax = { process: 60, address: 20, eyes: 20 } as const

/** What is new after a place in the timeline, asked for when something may have happened or the time is up. */
export interface Told {
  readonly messages: readonly LiveMessage[]
  readonly seq: number
  /** More than can be told one by one: whoever follows loads the page again. */
  readonly isOver: boolean
}

interface Follower {
  readonly address: string
  /** Through whose eyes. */
  readonly eyes: string
  readonly since: string
  /** Waits for what is new, so many seconds at most. Nothing is asked of the database while nothing happens. */
  ask(after: string, seconds: number): Promise<Told>
}

/**
 * Streams of what happens. All of a process wait for the same notice; each is told what is new as it would read it. They
 * end at once when the service does, and a browser goes on elsewhere after the last that it heard.
 */
export class LiveStreams {
  readonly #isEnding: () => boolean
  readonly #open = new Map<string, number>()

  constructor(isEnding: () => boolean) {
    this.#isEnding = isEnding
  }

  /** How many follow now. */
  get count(): number {
    return this.#open.get('process') ?? 0
  }

  follow(follower: Follower): Answer {
    const names = ['process', `address ${networkOf(follower.address)}`, `eyes ${follower.eyes}`]
    const most = Object.values(followersMax)
    if (names.some((name, i) => (this.#open.get(name) ?? 0) >= most[i]!))
      throw unavailable('Too many follow; reload to see more.', HEARTBEAT_SECONDS)
    for (const name of names) this.#open.set(name, (this.#open.get(name) ?? 0) + 1)
    const state = { isLeft: false }
    return eventsAnswer(this.#tell(follower, state), () => {
      state.isLeft = true
      for (const name of names) {
        const left = this.#open.get(name)! - 1
        if (left === 0) this.#open.delete(name)
        else this.#open.set(name, left)
      }
    })
  }

  async *#tell({ since, ask }: Follower, state: { readonly isLeft: boolean }): AsyncGenerator<readonly LiveMessage[]> {
    yield [{ retry: RECONNECT_MS }]
    let after = since
    while (!state.isLeft && !this.#isEnding()) {
      const { messages, seq, isOver } = await ask(after, HEARTBEAT_SECONDS)
      if (state.isLeft) return
      // What was filtered out is told too, or it would be asked for again.
      const isNew = messages.length > 0 || String(seq) !== after
      yield isNew ? [...messages, { id: seq, event: 'seq', data: String(seq) }] : [{}]
      if (isOver) return
      after = String(seq)
      if (isNew) await pause(APART_MS)
    }
  }
}
