/**
 * How many milliseconds a clock that is being moved waits for a receiver that has let an attempt on the same journey time
 * out.
 */
const AGAIN_MS = 20
/** After a request, so many failures of one webhook are enough to see. */
const FAILURES_SEEN_MAX = 20
/** A request also does what others go on asking for, but ends this many seconds after the time it would wait for one receiver. */
const OTHERS_SECONDS = 10

/** A receiver that did not answer while the clock was moved. */
export interface Unanswered {
  readonly webhook_id: string
  readonly url: string
  readonly attempts: number
}

/**
 * Bounds how long a move of the clock waits for receivers: so many seconds for one that hangs, however often it is tried on
 * the way. For the sandbox, any amount of time passes in between, so an attempt that is cut short counts as timed out.
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

  /** Nobody waits any longer. What is due and not begun is left to the worker. */
  get isOver(): boolean {
    return false
  }

  /** Webhooks that are not tried any more as long as this patience lasts. */
  get givenUp(): readonly string[] {
    return []
  }

  /** Told that an attempt failed. Says whether the webhook is given up because of it. */
  failed(_webhookId: string): boolean {
    return false
  }
}

/**
 * The patience of a request that is answered when what it started is done. It does not wait for a line that has grown before
 * a receiver that is down, nor for what others go on asking for, because neither is its own.
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
