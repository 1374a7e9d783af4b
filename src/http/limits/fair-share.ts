/**
 * Shares out something scarce: each may have `factor` times as much as is still free. Whoever is alone gets a large part,
 * those who come later get less each, and something is always left for the next.
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

  /** Takes this much for `who`, or nothing if that is more than their share. Says whether it did. */
  take(who: string, amount = 1): boolean {
    if (this.heldBy(who) + amount > this.#factor * (this.#max - this.#total)) return false
    this.#hold(who, amount)
    return true
  }

  /** Takes for `who` what somebody else has just given back, whatever the share of `who` is. */
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
