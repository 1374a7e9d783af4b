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
  /** Until when the body of each may arrive, in the order in which they began. */
  readonly #waiting = new Map<IncomingMessage, number>()
  #timer: NodeJS.Timeout | undefined

  /** `end` is called once for each request that is late. */
  constructor(withinMs: number, end: (request: IncomingMessage) => void) {
    this.#withinMs = withinMs
    this.#end = end
  }

  await(request: IncomingMessage): void {
    this.#waiting.set(request, performance.now() + this.#withinMs)
    this.#timer ??= setInterval(() => this.#look(), Math.max(LOOK_MS_MIN, this.#withinMs / LOOKS)).unref()
  }

  /** The request was answered, whether its body arrived or not. By then the connection may already carry another request. */
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
