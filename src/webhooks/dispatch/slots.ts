import type { AttemptHandle, DispatchRules, Lane } from './lanes.ts'
import { pace } from './lanes.ts'

/** An attempt under way. */
export interface Running extends AttemptHandle {
  readonly since: number
  /** The lane whose slot it took, and whether it still has it. */
  readonly lane: Lane
  hasSlot: boolean
  isOver: boolean
  /** Ends the time in which it has its slot. */
  giveBack?: NodeJS.Timeout
}

/**
 * Who is being attempted. Every attempt begins in a slot of its lane and holds it for a moment only; one that takes
 * longer goes on without, beside a bounded number of others.
 */
export class Slots {
  readonly #rules: DispatchRules
  readonly #onFree: () => void
  readonly #used: Record<Lane, number> = { 0: 0, 1: 0, 2: 0 }
  readonly #overflow = new Set<Running>()

  /** `onFree` is called when a slot is given back before its attempt is over. */
  constructor(rules: DispatchRules, onFree: () => void) {
    this.#rules = rules
    this.#onFree = onFree
  }

  /** Attempts under way, with or without a slot. */
  get inFlight(): number {
    return this.#used[0] + this.#used[1] + this.#used[2] + this.#overflow.size
  }

  free(lane: Lane): number {
    return this.#rules.lanes[lane].slots - this.#used[lane]
  }

  take(lane: Lane): Running {
    const running: Running = { since: performance.now(), lane, hasSlot: true, isOver: false }
    this.#used[lane]++
    running.giveBack = setTimeout(() => this.#giveBack(running), this.#rules.lanes[lane].slotMs)
    running.giveBack.unref?.()
    return running
  }

  end(running: Running): void {
    running.isOver = true
    clearTimeout(running.giveBack)
    if (running.hasSlot) this.#used[running.lane]--
    else this.#overflow.delete(running)
  }

  #giveBack(running: Running): void {
    if (running.isOver) return
    if (!this.#hasRoom()) {
      setTimeout(() => this.#giveBack(running), pace.roomPollMs)
      return
    }
    this.#used[running.lane]--
    running.hasSlot = false
    this.#overflow.add(running)
    this.#onFree()
  }

  /** Whether one more attempt may go on without a slot; when not, the oldest is asked to end. */
  #hasRoom(): boolean {
    if (this.#overflow.size < this.#rules.overflow) return true
    const [oldest] = this.#overflow
    if (oldest?.abandon && performance.now() - oldest.since >= this.#rules.overflowMs) oldest.abandon('others wait')
    return this.#overflow.size < this.#rules.overflow
  }
}
