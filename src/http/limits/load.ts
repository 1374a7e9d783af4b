import { type IntervalHistogram, monitorEventLoopDelay } from 'node:perf_hooks'
import { unavailable } from '../../kernel/problem.ts'

const SAMPLE_MS = 500
const DELAY_MAX_MS = 500
/** A single pause, such as the first use of many operations at once, is not overload yet. */
const LATE_SAMPLES_MAX = 2

/** Measures how late the event loop runs, in nanoseconds, since it was last reset. */
export type DelayMeter = Pick<IntervalHistogram, 'enable' | 'disable' | 'reset' | 'mean'>

/** Watches how late the event loop runs, and refuses work while it is too late to answer in time. */
export class LoadWatch {
  readonly #meter: DelayMeter
  readonly #timer: NodeJS.Timeout
  #lateSamples = 0

  constructor(meter: DelayMeter = monitorEventLoopDelay({ resolution: 20 })) {
    this.#meter = meter
    meter.enable()
    this.#timer = setInterval(() => {
      this.#lateSamples = meter.mean / 1e6 > DELAY_MAX_MS ? this.#lateSamples + 1 : 0
      meter.reset()
    }, SAMPLE_MS)
    this.#timer.unref()
  }

  /** Refuses while overloaded; health checks do not ask. */
  admit(): void {
    if (this.#lateSamples < LATE_SAMPLES_MAX) return
    throw unavailable('The service has more work than it can do in time; try again shortly.', 2)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#meter.disable()
  }
}
