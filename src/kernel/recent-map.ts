/** A map with a limited number of entries. When there is no room for another one, the entry that was unused for longest goes. */
export class RecentMap<Key, Value> {
  readonly #max: number
  readonly #entries = new Map<Key, Value>()

  constructor(max: number) {
    this.#max = max
  }

  get size(): number {
    return this.#entries.size
  }

  get(key: Key): Value | undefined {
    const value = this.#entries.get(key)
    // A map keeps the order of insertion, so what is used goes to its end.
    if (value !== undefined) this.#moveToEnd(key, value)
    return value
  }

  set(key: Key, value: Value): void {
    this.#moveToEnd(key, value)
    if (this.#entries.size > this.#max) this.#entries.delete(this.oldest()![0])
  }

  /** What `get` finds. If there is nothing, what `make` makes, which is then kept. */
  getOrMake(key: Key, make: () => Value): Value {
    const known = this.get(key)
    if (known !== undefined) return known
    const made = make()
    this.set(key, made)
    return made
  }

  delete(key: Key): void {
    this.#entries.delete(key)
  }

  clear(): void {
    this.#entries.clear()
  }

  /** The entry that would go next. */
  oldest(): readonly [Key, Value] | undefined {
    return this.#entries.entries().next().value
  }

  #moveToEnd(key: Key, value: Value): void {
    this.#entries.delete(key)
    this.#entries.set(key, value)
  }
}
