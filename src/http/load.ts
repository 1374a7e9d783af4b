import { monitorEventLoopDelay } from 'node:perf_hooks'
import { unavailable } from '../kernel/problem.ts'

const SAMPLE_MS = 500
const DELAY_MAX_MS = 500

/** Watches how late the event loop runs, and refuses work while it is too late to answer in time. */
export class LoadWatch {
  readonly #histogram = monitorEventLoopDelay({ resolution: 20 })
  readonly #timer: NodeJS.Timeout
  #overloaded = false

  constructor() {
    this.#histogram.enable()
    this.#timer = setInterval(() => {
      this.#overloaded = this.#histogram.mean / 1e6 > DELAY_MAX_MS
      this.#histogram.reset()
    }, SAMPLE_MS)
    this.#timer.unref()
  }

  /** Refuses while overloaded; health checks do not ask. */
  admit(): void {
    if (this.#overloaded) throw unavailable('The service has more work than it can do in time; try again shortly.', 2)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#histogram.disable()
  }
}
