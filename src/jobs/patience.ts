/** How many milliseconds a clock that is being moved waits for somebody who let an attempt on the same journey pass. */
const AGAIN_MS = 20

/** Somebody who did not answer while the clock was moved. */
export interface Unanswered {
  readonly webhook_id: string
  readonly url: string
  readonly attempts: number
}

/**
 * Bounds what a move of the clock waits for receivers: so many seconds for one that hangs, however often it is tried on the way.
 * To the sandbox all the time there is passes in between, so an attempt that is cut short has timed out.
 */
export class Patience {
  readonly #seconds: number
  readonly #lost = new Map<string, Unanswered>()

  constructor(seconds: number) {
    this.#seconds = seconds
  }

  get unanswered(): Unanswered[] {
    return [...this.#lost.values()]
  }

  /** How many milliseconds the next attempt may take. */
  for(url: string): number {
    return this.#lost.has(url) ? AGAIN_MS : this.#seconds * 1_000
  }

  lost(webhookId: string, url: string): void {
    const attempts = (this.#lost.get(url)?.attempts ?? 0) + 1
    this.#lost.set(url, { webhook_id: webhookId, url, attempts })
  }
}
