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

  heldBy(who: string): number {
    return this.#held.get(who) ?? 0
  }

  /** Takes so much for `who`, or nothing when that is more than their share. Says whether it did. */
  take(who: string, amount = 1): boolean {
    if (this.heldBy(who) + amount > this.#factor * (this.#max - this.#total)) return false
    this.#hold(who, amount)
    return true
  }

  /** Takes what somebody else has just given back for `who`, whatever their share is. */
  takeFreed(who: string): void {
    this.#hold(who, 1)
  }

  #hold(who: string, amount: number): void {
    this.#held.set(who, this.heldBy(who) + amount)
    this.#total += amount
  }

  giveBack(who: string, amount = 1): void {
    const left = this.heldBy(who) - amount
    if (left > 0) this.#held.set(who, left)
    else this.#held.delete(who)
    this.#total -= amount
  }
}
