import type { WorkKind } from '../kernel/job.ts'
import type { Patience } from './patience.ts'
import type { WorkSource } from './work-source.ts'

const POLL_MS = 500

/** Wakes the sources of due work: one of them at once when it was given some, and all of them now and then. */
export class Worker {
  readonly #sources: readonly WorkSource[]
  #timer: NodeJS.Timeout | undefined
  #paused = 0

  constructor(sources: readonly WorkSource[]) {
    this.#sources = sources
  }

  /** Before it starts, where no other process works: nobody waits for the leases of one that was killed. */
  async takeOver(): Promise<void> {
    await Promise.all(this.#sources.map((source) => source.takeOver()))
  }

  start(): void {
    // Nobody announces what falls due as time passes, and a notification can be lost.
    this.#timer = setInterval(() => this.#wakeAll(), POLL_MS)
    this.#wakeAll()
  }

  /** Something of this kind may be due. Cheap, and safe to call at any time. */
  wake(kind: WorkKind): void {
    if (this.#timer === undefined || this.#paused > 0) return
    for (const source of this.#sources) if (source.kind === kind) source.wake()
  }

  /** Wakes nobody any more. Returns when what is under way has ended or was given back. */
  async stop(): Promise<void> {
    clearInterval(this.#timer)
    this.#timer = undefined
    await Promise.all(this.#sources.map((source) => source.close()))
  }

  /** Runs `work` while this worker stands still, so that nothing else takes due work in between. */
  async whilePaused<T>(work: () => Promise<T>, patience?: Patience): Promise<T> {
    this.#paused++
    try {
      await Promise.all(this.#sources.map((source) => source.pause(patience)))
      return await work()
    } finally {
      this.#paused--
      this.#wakeAll()
    }
  }

  #wakeAll(): void {
    for (const { kind } of this.#sources) this.wake(kind)
  }
}
