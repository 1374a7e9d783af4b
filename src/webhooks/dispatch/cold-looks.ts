/** When cold webhooks are looked at again: they are many, and rarely worth it. */
export class ColdLooks {
  readonly #whenTime: () => void
  #next = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined

  constructor(whenTime: () => void) {
    this.#whenTime = whenTime
  }

  lookAfter(ms: number): void {
    this.#next = performance.now() + ms
  }

  /** Whether it is time for another look. If it is not, `whenTime` is called when it is. */
  isTime(): boolean {
    const wait = this.#next - performance.now()
    if (wait <= 0) return true
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      this.#whenTime()
    }, wait)
    this.#timer.unref?.()
    return false
  }
}
