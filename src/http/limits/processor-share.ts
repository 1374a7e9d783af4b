import { Problem } from '../../kernel/problem.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import type { Worked } from '../../kernel/working.ts'

const NAMES_MAX = 50_000
/** How long somebody counts as present after a call. */
const PRESENT_MS = 1_000
/** How many requests of one name may wait. More are refused. */
const WAITING_MAX = 100
/** What a name may use at once before its share binds: as much as its share gives in this time. */
const BURST_SECONDS = 1.5
/** No name waits for longer than this because of what a single call used, for example an export of everything. */
const KEPT_SECONDS_MAX = 5

/** A place among the requests that are being worked on. It must be given back, and says whom the work is for. */
export interface Turn {
  readonly worked: Worked
  end(): void
}

/** What one name has used. */
class Account implements Worked {
  readonly waiting: (() => void)[] = []
  underWay = 0
  timer: NodeJS.Timeout | undefined
  readonly #msPerSecond: number
  readonly #most: number
  /** Milliseconds that are left. Negative if too much was used. */
  #left: number
  #filledAt = performance.now()

  constructor(msPerSecond: number) {
    this.#msPerSecond = msPerSecond
    this.#most = msPerSecond * BURST_SECONDS
    this.#left = this.#most
  }

  spent(milliseconds: number): void {
    this.#left = Math.max(this.#left - milliseconds, -KEPT_SECONDS_MAX * this.#msPerSecond)
  }

  /** How long it takes until something is left again. */
  missingMs(now: number): number {
    this.#left = Math.min(this.#most, this.#left + ((now - this.#filledAt) / 1000) * this.#msPerSecond)
    this.#filledAt = now
    return this.#left > 0 ? 0 : (-this.#left / this.#msPerSecond) * 1000 + 1
  }
}

/**
 * Shares the time of a process out between names while several of them want it. A name that has used up its share waits, and
 * then goes on with one request at a time. A name that is alone is never kept waiting.
 */
export class ProcessorShare {
  readonly #accounts = new RecentMap<string, Account>(NAMES_MAX)
  #underWay = 0
  #latest = { name: '', at: Number.NEGATIVE_INFINITY }
  /** When somebody came with another name than the latest. */
  #otherAt = Number.NEGATIVE_INFINITY

  /** Gives a turn, at once or when it has come. Refuses if too many requests wait. */
  take(name: string, msPerSecond: number): Turn | Promise<Turn> {
    const now = performance.now()
    this.#came(name, now)
    const account = this.#accounts.getOrMake(name, () => new Account(msPerSecond))
    if (account.waiting.length === 0 && this.#keptMs(name, account, now) === 0) return this.#begin(name, account)
    if (account.waiting.length >= WAITING_MAX)
      throw new Problem(429, 'RATE_LIMIT_REACHED', [], { headers: { 'retry-after': '1' } })
    return new Promise((resolve) => {
      account.waiting.push(() => resolve(this.#begin(name, account)))
      this.#next(name, account)
    })
  }

  #came(name: string, now: number): void {
    if (name !== this.#latest.name) {
      this.#otherAt = this.#latest.at
      this.#latest.name = name
    }
    this.#latest.at = now
  }

  /** How long the next request of this name is kept waiting. Not at all while nobody else is there. */
  #keptMs(name: string, account: Account, now: number): number {
    const isOtherUnderWay = this.#underWay > account.underWay
    const otherAt = isOtherUnderWay ? now : name === this.#latest.name ? this.#otherAt : this.#latest.at
    return Math.min(account.missingMs(now), Math.max(0, otherAt + PRESENT_MS - now))
  }

  #begin(name: string, account: Account): Turn {
    account.underWay++
    this.#underWay++
    return {
      worked: account,
      end: () => {
        account.underWay--
        this.#underWay--
        if (account.waiting.length > 0) this.#next(name, account)
      },
    }
  }

  /** Lets the first waiting request go on, or looks again when that may be possible. */
  #next(name: string, account: Account): void {
    // One at a time, because what each of them uses is known only afterwards.
    if (account.timer || account.underWay > 0) return
    const keptMs = this.#keptMs(name, account, performance.now())
    if (keptMs === 0) account.waiting.shift()?.()
    else
      account.timer = setTimeout(() => {
        account.timer = undefined
        this.#next(name, account)
      }, keptMs)
  }
}
