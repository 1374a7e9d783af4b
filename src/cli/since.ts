import { after, type Instant, parseDuration, parseInstant } from '../kernel/clock.ts'
import { UsageError } from './command.ts'

/** A thousand years. Before the first there is no instant. */
const SECONDS_MAX = 1_000 * 366 * 86_400

/** An instant, or how long ago, by the time that the service goes by: a sandbox may have been moved. */
export function readInstant(flag: string, text: string, now: Instant): Instant {
  const seconds = parseDuration(text)?.as('seconds')
  const isTooLong = seconds !== undefined && seconds > SECONDS_MAX
  const instant = seconds === undefined ? parseInstant(text) : after(now, isTooLong ? 0 : -seconds)
  if (!instant || isTooLong)
    throw new UsageError(`${flag} must be an instant (2026-03-01T09:00:00Z) or a duration (PT2H, P7D).`)
  return instant
}
