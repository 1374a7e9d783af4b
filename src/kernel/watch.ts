/** Something that began, and is late a fixed time after that unless it ended before. */
export interface Watched {
  readonly since: number
}

/**
 * Watches over things that nearly always end in time, all with the same patience. They stand in the order in which they
 * began, so one timer, set for the first of them, does for all: a timer for each would cost more than what it guards.
 */
export class Watch<Item extends Watched> {
  readonly #patienceMs: number
  readonly #late: (item: Item) => void
  readonly #items = new Set<Item>()
  #timer: NodeJS.Timeout | undefined

  constructor(patienceMs: number, late: (item: Item) => void) {
    this.#patienceMs = patienceMs
    this.#late = late
  }

  begin(item: Item): void {
    this.#items.add(item)
    this.#timer ??= this.#wake(this.#patienceMs)
  }

  end(item: Item): void {
    this.#items.delete(item)
  }

  #wake(ms: number): NodeJS.Timeout {
    return setTimeout(() => this.#look(), ms).unref()
  }

  #look(): void {
    this.#timer = undefined
    const late: Item[] = []
    for (const item of this.#items) {
      const left = item.since + this.#patienceMs - performance.now()
      if (left > 0) {
        this.#timer = this.#wake(Math.ceil(left))
        break
      }
      this.#items.delete(item)
      late.push(item)
    }
    // Only now, because whoever is told may begin something else.
    for (const item of late) this.#late(item)
  }
}
