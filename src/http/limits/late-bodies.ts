import type { IncomingMessage } from 'node:http'

const LOOKS = 10
const LOOK_MS_MIN = 10

/**
 * Ends requests whose body does not arrive in time. It looks at all of them every now and then, because a timer and
 * listeners for each cost more than most bodies take to arrive.
 */
export class LateBodies {
  readonly #withinMs: number
  readonly #end: (request: IncomingMessage) => void
  /** Until when each may arrive, in the order in which they began. */
  readonly #waiting = new Map<IncomingMessage, number>()
  #timer: NodeJS.Timeout | undefined

  /** `end` is called with each that is late, once. */
  constructor(withinMs: number, end: (request: IncomingMessage) => void) {
    this.#withinMs = withinMs
    this.#end = end
  }

  await(request: IncomingMessage): void {
    this.#waiting.set(request, performance.now() + this.#withinMs)
    this.#timer ??= setInterval(() => this.#look(), Math.max(LOOK_MS_MIN, this.#withinMs / LOOKS)).unref()
  }

  /** It was answered, whether all of it came or not: the connection may carry another request by then. */
  answered(request: IncomingMessage): void {
    this.#waiting.delete(request)
  }

  close(): void {
    clearInterval(this.#timer)
    this.#timer = undefined
    this.#waiting.clear()
  }

  #look(): void {
    const now = performance.now()
    for (const [request, until] of this.#waiting) {
      const isOver = request.complete || request.destroyed
      if (!isOver && until > now) continue
      this.#waiting.delete(request)
      if (!isOver) this.#end(request)
    }
    if (this.#waiting.size === 0) this.close()
  }
}
