import type { Duplex } from 'node:stream'

/**
 * Sends together, at the end of one round of events, all that came up in it. Each send wakes a process of the server, which
 * would take our place in the middle of the round if it shares a machine with us.
 */
export class Corks {
  readonly #streams = new Set<Duplex>()
  #isDue = false

  put(stream: Duplex): void {
    if (this.#streams.has(stream)) return
    this.#streams.add(stream)
    stream.cork()
    if (this.#isDue) return
    this.#isDue = true
    setImmediate(() => {
      this.#isDue = false
      for (const corked of [...this.#streams]) this.pull(corked)
    })
  }

  /** Sends what there is for this stream, before the end of the round. */
  pull(stream: Duplex): void {
    if (this.#streams.delete(stream)) stream.uncork()
  }
}
