import type { KeyObject } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { signMessage } from './signature.ts'

/** As many as the thread pool runs at once; more would only wait there, where nobody can be let past. */
const AT_ONCE = 4
/** While webhooks that answer are being signed for, the others get this share of one core. */
const SECOND_SHARE = 0.25
const BUSY_MS = 1_000

interface Waiting {
  begin(): void
}

/**
 * Signs for everyone, but first for webhooks that are known to answer: a signature takes milliseconds of a core, and a
 * thousand dead webhooks would otherwise stand in line before a healthy one.
 */
export class Signer {
  readonly #first: Waiting[] = []
  readonly #second: Waiting[] = []
  readonly #secondAtOnce = Math.max(1, Math.min(AT_ONCE, availableParallelism()) - 1)
  #running = 0
  #runningSecond = 0
  #firstAt = Number.NEGATIVE_INFINITY

  async sign(message: string, key: KeyObject, { first }: { first: boolean }): Promise<string> {
    await new Promise<void>((resolve) => {
      ;(first ? this.#first : this.#second).push({ begin: resolve })
      this.#next()
    })
    const began = performance.now()
    if (first) this.#firstAt = began
    try {
      return await signMessage(message, key)
    } finally {
      this.#running--
      if (first) this.#next()
      else this.#pause(performance.now() - began)
    }
  }

  /** The slot of the second class comes free at once, or after a pause that keeps it to its share. */
  #pause(tookMs: number): void {
    const free = () => {
      this.#runningSecond--
      this.#next()
    }
    if (performance.now() - this.#firstAt > BUSY_MS) free()
    else setTimeout(free, tookMs * (1 / SECOND_SHARE - 1))
    this.#next()
  }

  #next(): void {
    while (this.#running < AT_ONCE) {
      const first = this.#first.shift()
      const second = first || this.#runningSecond >= this.#secondAtOnce ? undefined : this.#second.shift()
      if (!first && !second) return
      this.#running++
      if (second) this.#runningSecond++
      ;(first ?? second)!.begin()
    }
  }
}
