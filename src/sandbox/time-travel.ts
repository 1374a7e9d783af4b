import type { Broadcast } from '../database/broadcast.ts'
import { BriefPatience, Patience, type Unanswered } from '../jobs/patience.ts'
import type { Fired, Upcoming, WorkSource } from '../jobs/work-source.ts'
import type { Worker } from '../jobs/worker.ts'
import type { Instant } from '../kernel/clock.ts'
import { refused } from '../kernel/problem.ts'
import type { SandboxClock } from './clock.ts'

const STEPS_MAX = 100_000

export interface TimeTravelParts {
  readonly clock: SandboxClock
  readonly sources: readonly WorkSource[]
  readonly worker: Worker
  readonly broadcast: Broadcast
  /** How long the clock waits for somebody outside who does not answer. */
  readonly patienceSeconds: number
  /** At how many instants a journey may stop. */
  readonly stepsMax?: number | undefined
}

/** What a journey has done so far, even if it fails on the way. */
export interface Journey {
  readonly fired: Fired[]
  isMoved: boolean
}

/** Moves the sandbox clock, stopping at every instant at which something falls due, so that it fires at its own time. */
export class TimeTravel {
  readonly #parts: TimeTravelParts
  #turn: Promise<unknown> = Promise.resolve()
  /** The patience of the present journey, or of the last one. */
  #patience: Patience

  constructor(parts: TimeTravelParts) {
    this.#parts = parts
    this.#patience = new Patience(parts.patienceSeconds)
  }

  /** Runs `work` with no other journey and no worker of this process in between. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.#alone(() => new Patience(this.#parts.patienceSeconds), work)
  }

  /** Like `alone`, for work that takes away all there is: attempts under way are cut short, because nobody will read of them. */
  aloneAtOnce<T>(work: () => Promise<T>): Promise<T> {
    return this.#alone(() => new Patience(0), work)
  }

  /** Does what a request started, and as much of the other due work as the answer can wait for. */
  async settle(): Promise<void> {
    await this.#alone(
      () => new BriefPatience(this.#parts.patienceSeconds),
      () => this.drain(),
    )
  }

  #alone<T>(patience: () => Patience, work: () => Promise<T>): Promise<T> {
    const turn = this.#turn.then(() => {
      this.#patience = patience()
      return this.#parts.worker.whilePaused(work, this.#patience)
    })
    this.#turn = turn.catch(() => {})
    return turn
  }

  /** Those who did not answer on the present journey. */
  get unanswered(): readonly Unanswered[] {
    return this.#patience.unanswered
  }

  /** Moves the clock to `target`, does all that falls due on the way, and then stands still or runs on. */
  async moveTo(target: Instant, frozen: boolean, journey: Journey): Promise<void> {
    const { clock, broadcast } = this.#parts
    const stood = clock.frozen
    try {
      await this.#travel(target, frozen, stood, journey)
    } catch (error) {
      // The clock stays where it got to, and runs on from there if it ran before.
      clock.letGo(stood)
      throw error
    } finally {
      await broadcast.tell(['clock'])
    }
  }

  async #travel(target: Instant, frozen: boolean, stood: boolean, journey: Journey): Promise<void> {
    const { clock, stepsMax = STEPS_MAX } = this.#parts
    for (let steps = 0; ; steps++) {
      if (steps === stepsMax)
        throw refused(
          'CLOCK_STEPS_EXCEEDED',
          `The clock went no further than ${clock.now()}: too much falls due on the way. Move it on from there.`,
        )
      journey.fired.push(...(await this.drain()))
      const due = await this.#nextDue()
      if (due === undefined || due > target) break
      if (due <= clock.now()) continue
      await clock.halt(due, stood)
      journey.isMoved = true
    }
    // A clock that runs has run on meanwhile, perhaps beyond the target, and must not go back.
    const reached = clock.now()
    await clock.set(reached > target ? reached : target, frozen)
  }

  /** What falls due first in all sources. When ids are given, only what names one of them. */
  async upcoming(limit: number, about?: readonly string[]): Promise<Upcoming[]> {
    const all = await Promise.all(this.#parts.sources.map((source) => source.upcoming(limit, about)))
    return all
      .flat()
      .sort((a, b) => (a.at < b.at ? -1 : a.at > b.at ? 1 : 0))
      .slice(0, limit)
  }

  /** Does everything that is due now, in every source, until nothing is. */
  async drain(): Promise<Fired[]> {
    const fired: Fired[] = []
    for (;;) {
      const before = fired.length
      for (const source of this.#parts.sources) fired.push(...(await source.drain(this.#patience)))
      if (fired.length === before) return fired
    }
  }

  async #nextDue(): Promise<Instant | undefined> {
    const dues = await Promise.all(this.#parts.sources.map((source) => source.nextDue()))
    return dues.filter((due) => due !== undefined).sort()[0]
  }
}
