/** How many milliseconds a clock that is being moved waits for somebody who let an attempt on the same journey pass. */
const AGAIN_MS = 20
/** So many failures of one webhook are enough to see after a request. */
const FAILURES_SEEN_MAX = 20
/** What others go on asking for is done for a request this much longer than anybody is waited for. */
const OTHERS_SECONDS = 10

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

  /** Nobody waits any longer; what is due and not begun is left to the worker. */
  get isOver(): boolean {
    return false
  }

  /** Webhooks that are not tried any more while this lasts. */
  get givenUp(): readonly string[] {
    return []
  }

  /** An attempt failed. Says whether the webhook is given up with it. */
  failed(_webhookId: string): boolean {
    return false
  }
}

/**
 * That of a request whose answer waits for what it started: a line that has grown before a receiver that is down, and what others
 * go on asking for, are not its own.
 */
export class BriefPatience extends Patience {
  readonly #end: number
  readonly #failures = new Map<string, number>()

  constructor(seconds: number) {
    super(seconds)
    this.#end = performance.now() + (seconds + OTHERS_SECONDS) * 1_000
  }

  override get isOver(): boolean {
    return performance.now() >= this.#end
  }

  override get givenUp(): readonly string[] {
    return [...this.#failures].filter(([, failures]) => failures >= FAILURES_SEEN_MAX).map(([id]) => id)
  }

  override failed(webhookId: string): boolean {
    const failures = (this.#failures.get(webhookId) ?? 0) + 1
    this.#failures.set(webhookId, failures)
    return failures >= FAILURES_SEEN_MAX
  }
}
