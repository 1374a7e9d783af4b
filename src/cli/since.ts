import { after, type Instant, parseDuration, parseInstant } from '../kernel/clock.ts'
import { UsageError } from './command.ts'

/** An instant, or how long ago, by the time that the service goes by: a sandbox may have been moved. */
export function readInstant(flag: string, text: string, now: Instant): Instant {
  const duration = parseDuration(text)
  const instant = duration ? after(now, -duration.as('seconds')) : parseInstant(text)
  if (!instant) throw new UsageError(`${flag} must be an instant (2026-03-01T09:00:00Z) or a duration (PT2H, P7D).`)
  return instant
}
