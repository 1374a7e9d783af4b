import { unavailable } from '../kernel/problem.ts'

/** As long as a statement may wait for a lock. */
const WAIT_MS = 2_000

/**
 * Lets units of work of one process take turns where each depends on what the one before committed. This saves them from
 * starting over again and again, and avoids holding a lock in the database over round trips. A guard keeps other processes
 * out.
 */
export class Turns {
  /** By key: who waits while somebody has the turn. */
  readonly #waiting = new Map<string, (() => void)[]>()

  /** Returns when it is the caller's turn. The caller must call the returned function, and then it is the turn of the next. */
  async take(key: string): Promise<() => void> {
    const waiting = this.#waiting.get(key)
    if (!waiting) this.#waiting.set(key, [])
    else
      await new Promise<void>((resolve, reject) => {
        const begin = () => {
          clearTimeout(timer)
          resolve()
        }
        const timer = setTimeout(() => {
          waiting.splice(waiting.indexOf(begin), 1)
          reject(unavailable('Too many requests wait for each other; try again shortly.'))
        }, WAIT_MS)
        waiting.push(begin)
      })
    return () => this.#end(key)
  }

  #end(key: string): void {
    const next = this.#waiting.get(key)?.shift()
    if (next) next()
    else this.#waiting.delete(key)
  }
}

/** The turns that one unit of work has. */
export class HeldTurns {
  /** The line in which its commit is written, after the commits that had the same turn before. */
  line: string | undefined
  readonly #turns: Turns
  #ends: (() => void)[] = []
  #passes = false

  constructor(turns: Turns) {
    this.#turns = turns
  }

  async take(name: string): Promise<void> {
    this.#ends.push(await this.#turns.take(name))
    this.line = name
  }

  /** The next one need not wait until the writes of this one are committed. */
  pass(): void {
    this.#passes = true
  }

  /** Told that the writes of this one are on their way. */
  sent(): void {
    if (this.#passes) this.end()
  }

  end(): void {
    for (const end of this.#ends.splice(0)) end()
  }
}
