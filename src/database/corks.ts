import type { Duplex } from 'node:stream'

/**
 * What comes up while one round of events is handled goes out together at its end. Each send wakes a backend, which on
 * a machine it shares with us would take our place in the middle of the round.
 */
export class Corks {
  readonly #streams = new Set<Duplex>()

  put(stream: Duplex): void {
    if (this.#streams.has(stream)) return
    if (this.#streams.size === 0) setImmediate(() => this.#pull())
    this.#streams.add(stream)
    stream.cork()
  }

  #pull(): void {
    const streams = [...this.#streams]
    this.#streams.clear()
    for (const stream of streams) stream.uncork()
  }
}
