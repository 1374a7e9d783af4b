import { createHash } from 'node:crypto'
import { after, type Instant, toInstant } from '../../kernel/clock.ts'

/** Seconds before each retry: ten that double, then fifteen at equal distance. Together exactly three days. */
export const retryWaits: readonly number[] = [
  ...Array.from({ length: 10 }, (_, retry) => 5 * 2 ** retry),
  ...Array.from({ length: 15 }, () => 16_939),
]

/** Waits are longer by up to this share, so that what failed together does not come back together. */
export const JITTER = 0.1
/**
 * In a sandbox, what failed together does come back together, so that a clock that moves stops once for all of it. Waits of
 * at least this many seconds end at a full second, which lengthens them by no more than the same share.
 */
const TOGETHER_SECONDS_MIN = 1 / JITTER
const RETRY_AFTER_SECONDS_MAX = 86_400

/** A share between 0 and 1 that is always the same for the same attempt. */
function shareOf(deliveryId: string, attempts: number): number {
  return createHash('sha256').update(`${deliveryId} ${attempts}`).digest().readUInt32BE() / 2 ** 32
}

export interface FailedAttempt {
  readonly deliveryId: string
  /** How many attempts there were, with this one. */
  readonly attempts: number
  readonly now: Instant
  /** What the receiver asked us to wait. */
  readonly retryAfterSeconds?: number | undefined
}

export interface Pace {
  readonly speed: number
  readonly isSandbox: boolean
}

/** When to try again; undefined when the last attempt was the last. */
export function nextAttempt(failed: FailedAttempt, { speed, isSandbox }: Pace): Instant | undefined {
  const wait = retryWaits[failed.attempts - 1]
  if (wait === undefined) return undefined
  const jitter = isSandbox ? 0 : JITTER * shareOf(failed.deliveryId, failed.attempts)
  const planned = (wait * (1 + jitter)) / speed
  const asked = Math.min(failed.retryAfterSeconds ?? 0, RETRY_AFTER_SECONDS_MAX)
  const next = after(failed.now, Math.max(planned, asked))
  return isSandbox && planned >= TOGETHER_SECONDS_MIN ? atFullSecond(next) : next
}

const atFullSecond = (instant: Instant): Instant => toInstant(new Date(Math.ceil(Date.parse(instant) / 1000) * 1000))

/** Reads a `Retry-After` header: a number of seconds, or a date by the receiver's clock, which is real time. */
export function retryAfterSeconds(header: string | undefined, realNow: Instant): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.parse(realNow)) / 1000)
}
