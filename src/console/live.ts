import { setTimeout as pause } from 'node:timers/promises'
import { networkOf } from '../http/limits/rate-limit.ts'
import type { Answer } from '../http/route.ts'
import { unavailable } from '../kernel/problem.ts'
import { eventsAnswer, type LiveMessage } from './respond.ts'

/** Something is sent at least this often, so that nobody on the way takes the connection for dead. */
export const HEARTBEAT_SECONDS = 15
/** How soon a browser comes back when it lost the connection or its service ended. */
const RECONNECT_MS = 1_000
/** Something is sent at most ten times a second; what happens in between is sent together. */
const APART_MS = 100

/** How many may follow at once: in a process, from an address, and through the same eyes. */
export const followersMax = { process: 60, address: 20, eyes: 20 } as const

/** What is new after a place in the timeline. It is asked for when something may have happened, or when the time is up. */
export interface Told {
  readonly messages: readonly LiveMessage[]
  readonly seq: number
  /** Whether there is more than can be told one by one; then whoever follows loads the page again. */
  readonly isOver: boolean
}

interface Follower {
  readonly address: string
  /** Through whose eyes they follow. */
  readonly eyes: string
  readonly since: string
  /** Waits for what is new, for this many seconds at most. The database is asked nothing while nothing happens. */
  ask(after: string, seconds: number): Promise<Told>
}

/**
 * Streams of what happens. All streams of a process wait for the same notice, and each is told what is new in the way it would
 * read it. They end at once when the service does; a browser then goes on elsewhere, after the last message that it heard.
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
      // The place is told even when everything before it was filtered out, or the same would be asked for again.
      const isNew = messages.length > 0 || String(seq) !== after
      yield isNew ? [...messages, { id: seq, event: 'seq', data: String(seq) }] : [{}]
      if (isOver) return
      after = String(seq)
      if (isNew) await pause(APART_MS)
    }
  }
}
