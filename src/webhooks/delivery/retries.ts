import { createHash } from 'node:crypto'
import { after, type Instant } from '../../kernel/clock.ts'

/** Seconds before each retry: ten that double, then fifteen at equal distance. Together exactly three days. */
export const retryWaits: readonly number[] = [
  ...Array.from({ length: 10 }, (_, retry) => 5 * 2 ** retry),
  ...Array.from({ length: 15 }, () => 16_939),
]

/** Waits are longer by up to this share, so that what failed together does not come back together. */
export const JITTER = 0.1
const RETRY_AFTER_SECONDS_MAX = 86_400

/** A share between 0 and 1 that is the same whenever it is asked for the same attempt. */
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

/** When to try again; undefined when the last attempt was the last. */
export function nextAttempt(failed: FailedAttempt, speed: number): Instant | undefined {
  const wait = retryWaits[failed.attempts - 1]
  if (wait === undefined) return undefined
  const planned = (wait * (1 + JITTER * shareOf(failed.deliveryId, failed.attempts))) / speed
  const asked = Math.min(failed.retryAfterSeconds ?? 0, RETRY_AFTER_SECONDS_MAX)
  return after(failed.now, Math.max(planned, asked))
}

/** Reads a `Retry-After` header: seconds, or a date of the receiver's, which lives in real time. */
export function retryAfterSeconds(header: string | undefined, realNow: Instant): number | undefined {
  if (header === undefined) return undefined
  if (/^\d{1,9}$/.test(header)) return Number(header)
  const date = Date.parse(header)
  return Number.isNaN(date) ? undefined : Math.max(0, (date - Date.parse(realNow)) / 1000)
}
