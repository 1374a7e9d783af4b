/**
 * Shares out what there is only so much of: each may have `factor` times as much as is still free. One who is alone gets a
 * large part, those who come after that get less each, and there is something left for the next of them.
 */
export class FairShare {
  readonly #max: number
  readonly #factor: number
  readonly #held = new Map<string, number>()
  #total = 0

  constructor(max: number, factor: number) {
    this.#max = max
    this.#factor = factor
  }

  /** How much is held by all together. */
  get total(): number {
    return this.#total
  }

  /** Takes so much for `who`, or nothing when that is more than their share. Says whether it did. */
  take(who: string, amount = 1): boolean {
    const held = this.#held.get(who) ?? 0
    if (held + amount > this.#factor * (this.#max - this.#total)) return false
    this.#held.set(who, held + amount)
    this.#total += amount
    return true
  }

  giveBack(who: string, amount = 1): void {
    const left = (this.#held.get(who) ?? 0) - amount
    if (left > 0) this.#held.set(who, left)
    else this.#held.delete(who)
    this.#total -= amount
  }
}
