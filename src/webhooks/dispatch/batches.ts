const AFTER_ERROR_MS = 1_000

export interface BatchPorts<Item> {
  /** How long the first of a batch may wait for others to come along. */
  lingerMs(): number
  write(batch: readonly Item[]): Promise<void>
  /** Called after every batch that was written. */
  onWritten(batch: readonly Item[]): void
  onError(error: unknown): void
}

/** A batch of this size is written without waiting for more. */
const FULL = 250

/** Writes down everything that was added meanwhile at once; one batch at a time, so batches grow with the load. */
export class Batches<Item> {
  readonly #ports: BatchPorts<Item>
  #items: Item[] = []
  #writing = false
  #closed = false
  #lingering: NodeJS.Timeout | undefined

  constructor(ports: BatchPorts<Item>) {
    this.#ports = ports
  }

  /** How many wait to be written. */
  get waiting(): number {
    return this.#items.length
  }

  get isIdle(): boolean {
    return !this.#writing && this.#items.length === 0
  }

  /** Gives up what is not written yet: it is another process's by now, or will be when its lease has run out. */
  close(): void {
    this.#closed = true
    this.#items = []
    clearTimeout(this.#lingering)
  }

  add(item: Item): void {
    if (this.#closed) return
    this.#items.push(item)
    if (this.#writing) return
    const wait = this.#items.length >= FULL ? 0 : this.#ports.lingerMs()
    if (wait === 0) this.#writeNow()
    else this.#lingering ??= setTimeout(() => this.#writeNow(), wait)
  }

  #writeNow(): void {
    clearTimeout(this.#lingering)
    this.#lingering = undefined
    if (!this.#writing) void this.#writeAll()
  }

  /** A batch that could not be written is kept and tried again: the attempts were made, whatever the database says. */
  async #writeAll(): Promise<void> {
    this.#writing = true
    while (this.#items.length > 0) {
      const batch = this.#items
      this.#items = []
      try {
        await this.#ports.write(batch)
        this.#writing = this.#items.length > 0
        this.#ports.onWritten(batch)
      } catch (error) {
        this.#ports.onError(error)
        if (this.#closed) break
        this.#items = [...batch, ...this.#items]
        await new Promise((resolve) => setTimeout(resolve, AFTER_ERROR_MS))
      }
    }
    this.#writing = false
  }
}
