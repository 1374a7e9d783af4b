import type { KeyObject } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { signMessage } from './signature.ts'
import { type Signing, SigningThreads } from './signing-threads.ts'

/** As many as the thread pool runs at once. More would only wait inside the pool, where nobody can overtake them. */
const AT_ONCE = 4
/** From this number on, whole batches are signed. Whoever comes next waits for a batch, so batches are small. */
const MANY = 8
const BATCH_MAX = 16
/** While webhooks that answer need signatures, all others together get this share of one core. */
const SECOND_SHARE = 0.25
const BUSY_MS = 1_000
const CORES = Math.min(AT_ONCE, availableParallelism())

/**
 * Signs for everyone, but first for webhooks that are known to answer: a signature takes half a millisecond of a core,
 * and a thousand dead webhooks would otherwise stand in line before a healthy one.
 */
export class Signer {
  readonly #first: Signing[] = []
  readonly #second: Signing[] = []
  readonly #secondAtOnce = Math.max(1, CORES - 1)
  readonly #threads = new SigningThreads(CORES, () => this.#next())
  #running = 0
  #runningSecond = 0
  #firstAt = Number.NEGATIVE_INFINITY
  #soon: NodeJS.Immediate | undefined

  sign(message: string, key: KeyObject, { first }: { first: boolean }): Promise<string> {
    return new Promise((resolve, reject) => {
      ;(first ? this.#first : this.#second).push({ message, key, resolve, reject })
      // What is asked for together is shared out together.
      this.#soon ??= setImmediate(() => {
        this.#soon = undefined
        this.#next()
      })
    })
  }

  close(): Promise<void> {
    return this.#threads.close()
  }

  #next(): void {
    if (this.#first.length > 0) this.#firstAt = performance.now()
    const areMany = this.#threads.isBusy || this.#first.length >= MANY
    while (this.#first.length > 0 && (areMany ? this.#threads.room > 0 : this.#running < AT_ONCE)) {
      if (areMany) this.#threads.sign(this.#batch())
      else this.#signOne(this.#first.shift()!, () => this.#next())
    }
    while (
      this.#first.length === 0 &&
      this.#second.length > 0 &&
      this.#running < AT_ONCE &&
      this.#runningSecond < this.#secondAtOnce
    ) {
      const began = performance.now()
      this.#runningSecond++
      this.#signOne(this.#second.shift()!, () => this.#pause(performance.now() - began))
    }
  }

  /** An even share of what waits, as far as it is to be signed with the same key. */
  #batch(): Signing[] {
    const share = Math.min(BATCH_MAX, Math.ceil(this.#first.length / this.#threads.room))
    const { key } = this.#first[0]!
    const others = this.#first.findIndex((signing) => signing.key !== key)
    return this.#first.splice(0, others < 0 ? share : Math.min(share, others))
  }

  #signOne({ message, key, resolve, reject }: Signing, then: () => void): void {
    this.#running++
    signMessage(message, key)
      .then(resolve, reject)
      .finally(() => {
        this.#running--
        then()
      })
  }

  /** The slot of the second class is free again at once, or after a pause that keeps the class to its share. */
  #pause(tookMs: number): void {
    const free = () => {
      this.#runningSecond--
      this.#next()
    }
    if (performance.now() - this.#firstAt > BUSY_MS) free()
    else setTimeout(free, tookMs * (1 / SECOND_SHARE - 1))
    this.#next()
  }
}
