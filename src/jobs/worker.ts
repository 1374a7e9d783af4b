import type { WorkSource } from './work-source.ts'

// Several lanes, so that a job that waits for a slow far end does not hold up the others.
const LANES = 4
const BATCH = 5
const POLL_MS = 500
const AFTER_ERROR_MS = 1_000

/** Runs due work as it comes: woken when something was promised, and looking by itself now and then. */
export class Worker {
  readonly #source: WorkSource
  readonly #onError: (error: unknown) => void
  readonly #batches = new Set<Promise<unknown>>()
  readonly #sleeping = new Set<() => void>()
  #running = false
  #wakes = 0
  #paused = 0
  #lanes: Promise<void>[] = []

  constructor(source: WorkSource, onError: (error: unknown) => void) {
    this.#source = source
    this.#onError = onError
  }

  start(): void {
    this.#running = true
    this.#lanes = Array.from({ length: LANES }, () => this.#runLane())
  }

  /** Something may be due. Cheap, and safe to call at any time. */
  wake(): void {
    this.#wakes++
    for (const wake of this.#sleeping) wake()
  }

  /** Takes nothing new, finishes what it holds, and comes back when that is done. */
  async stop(): Promise<void> {
    this.#running = false
    this.wake()
    await Promise.all(this.#lanes)
  }

  /** Runs `work` while this worker stands still, so that nothing else takes due work in between. */
  async whilePaused<T>(work: () => Promise<T>): Promise<T> {
    this.#paused++
    try {
      await Promise.all(this.#batches)
      return await work()
    } finally {
      this.#paused--
      this.wake()
    }
  }

  async #runLane(): Promise<void> {
    while (this.#running) {
      const wakesSeen = this.#wakes
      const ran = this.#paused > 0 ? 0 : await this.#once()
      if (ran === BATCH || this.#wakes !== wakesSeen) continue
      await this.#sleep(ran < 0 ? AFTER_ERROR_MS : POLL_MS)
    }
  }

  /** One batch; -1 when not even claiming it worked, for example because the database is away. */
  async #once(): Promise<number> {
    const batch = this.#source.runBatch(BATCH).catch((error: unknown) => {
      this.#onError(error)
      return -1
    })
    this.#batches.add(batch)
    const ran = await batch
    this.#batches.delete(batch)
    return ran
  }

  #sleep(milliseconds: number): Promise<void> {
    return new Promise((resolve) => {
      const wake = () => {
        clearTimeout(timer)
        this.#sleeping.delete(wake)
        resolve()
      }
      const timer = setTimeout(wake, milliseconds)
      this.#sleeping.add(wake)
    })
  }
}
