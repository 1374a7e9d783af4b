import type { KeyObject } from 'node:crypto'
import type { Worker } from 'node:worker_threads'
import { startThread } from '../../jobs/thread.ts'
import type { Signed, SignOrder } from './sign-worker.ts'

/** One message on its way to a signature. */
export interface Signing {
  readonly message: string
  readonly key: KeyObject
  resolve(signature: string): void
  reject(error: Error): void
}

interface SigningThread {
  readonly worker: Worker
  key: KeyObject | undefined
  /** What it was given and has not signed yet. */
  readonly batches: (readonly Signing[])[]
}

/** While a thread signs one batch, the next one already waits for it, so that the thread never has to wait. */
const BATCHES_EACH = 2

/**
 * Threads that sign whole batches. The thread pool takes messages one by one, and handing one over costs the caller a
 * third of what signing it costs the pool.
 */
export class SigningThreads {
  readonly #max: number
  readonly #threads: SigningThread[] = []
  readonly #onFree: () => void
  #waiting = 0

  constructor(max: number, onFree: () => void) {
    this.#max = max
    this.#onFree = onFree
  }

  get isBusy(): boolean {
    return this.#waiting > 0
  }

  /** How many batches can be given now. */
  get room(): number {
    return this.#max * BATCHES_EACH - this.#waiting
  }

  /** Signs these, all with the key of the first; only while there is room. */
  sign(batch: readonly Signing[]): void {
    const thread = this.#leastBusy()
    const { key } = batch[0]!
    const order: SignOrder = { messages: batch.map(({ message }) => message), ...(thread.key !== key && { key }) }
    thread.key = key
    thread.batches.push(batch)
    this.#waiting++
    thread.worker.ref()
    thread.worker.postMessage(order)
  }

  /** Ends all threads; what they were signing fails. */
  async close(): Promise<void> {
    await Promise.all(this.#threads.map(({ worker }) => worker.terminate()))
  }

  #leastBusy(): SigningThread {
    const idle = this.#threads.find(({ batches }) => batches.length === 0)
    if (idle) return idle
    if (this.#threads.length < this.#max) return this.#start()
    return this.#threads.find(({ batches }) => batches.length < BATCHES_EACH)!
  }

  #start(): SigningThread {
    const worker = startThread('sign-worker', import.meta.url)
    const thread: SigningThread = { worker, key: undefined, batches: [] }
    worker.on('message', (signed: Signed) => {
      const batch = thread.batches.shift()!
      this.#waiting--
      // An idle thread does not keep the process alive.
      if (thread.batches.length === 0) worker.unref()
      this.#onFree()
      for (const [i, { resolve }] of batch.entries()) resolve(signed[i]!)
    })
    const stop = (error: unknown) => {
      const place = this.#threads.indexOf(thread)
      if (place < 0) return
      this.#threads.splice(place, 1)
      this.#waiting -= thread.batches.length
      for (const { reject } of thread.batches.flat()) reject(error instanceof Error ? error : new Error(String(error)))
      this.#onFree()
    }
    worker.on('error', stop)
    worker.on('exit', () => stop(new Error('A signing thread stopped.')))
    this.#threads.push(thread)
    return thread
  }
}
