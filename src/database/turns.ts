import { unavailable } from '../kernel/problem.ts'

/** As long as a statement waits for a lock. */
const WAIT_MS = 2_000

/**
 * Lets units of work of one process take turns where each depends on what the one before committed. It saves them from
 * starting over again and again, and a lock in the database from being held over round trips; what keeps other processes
 * out is a guard.
 */
export class Turns {
  /** Who waits, by key, while somebody has the turn. */
  readonly #waiting = new Map<string, (() => void)[]>()

  /** Comes back with the turn. Whoever has it must call what it is given, and then somebody else has it. */
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
  /** What is written takes its place behind what was written with the same turn. */
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

  /** The next one need not wait until what this one writes is committed. */
  pass(): void {
    this.#passes = true
  }

  /** What it writes is on its way. */
  sent(): void {
    if (this.#passes) this.end()
  }

  end(): void {
    for (const end of this.#ends.splice(0)) end()
  }
}
