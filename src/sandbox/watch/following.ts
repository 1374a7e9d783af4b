import type { Broadcast } from '../../database/broadcast.ts'
import type { Recorder } from './recorder.ts'

/** Lets those who follow what happens wait for it. Nothing is asked as long as nothing is told, here or in another process. */
export class Following {
  readonly #recorder: Recorder
  readonly #waiting = new Set<() => void>()
  /** How often something was told. */
  heard = 0
  #closed = false

  constructor(recorder: Recorder, broadcast: Broadcast) {
    this.#recorder = recorder
    broadcast.on('happenings', () => this.#wake())
  }

  /**
   * Comes back when something may have been told since `heard` had this value, when the time is up, or when the service ends.
   * Without the value, whoever asks and then waits would miss what is told while the answer is on its way.
   */
  async wait(milliseconds: number, heard: number): Promise<void> {
    if (this.#closed || this.heard !== heard) return
    const end = this.#recorder.follow()
    await new Promise<void>((resolve) => {
      const done = () => {
        clearTimeout(timer)
        this.#waiting.delete(done)
        resolve()
      }
      const timer = setTimeout(done, milliseconds)
      this.#waiting.add(done)
    })
    end()
  }

  get closed(): boolean {
    return this.#closed
  }

  /** Ends every wait: a service that stops does not wait for those who only look. */
  close(): void {
    this.#closed = true
    this.#wake()
  }

  #wake(): void {
    this.heard++
    for (const done of [...this.#waiting]) done()
  }
}
