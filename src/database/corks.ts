import type { Duplex } from 'node:stream'

/**
 * What comes up while one round of events is handled goes out together at its end. Each send wakes a backend, which on
 * a machine it shares with us would take our place in the middle of the round.
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

  /** Lets out what there is for this one, before the end of the round. */
  pull(stream: Duplex): void {
    if (this.#streams.delete(stream)) stream.uncork()
  }
}
