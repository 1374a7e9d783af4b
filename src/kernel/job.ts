import type { Instant } from './clock.ts'

/** Something to be done after this unit of work commits. */
export interface JobRequest {
  readonly name: string
  readonly payload: Readonly<Record<string, unknown>>
  /** When it falls due; at once when absent. */
  readonly runAt?: Instant
  /** At most one job with this key is open at a time; a second one is dropped, or replaces the first. A parked one makes way. */
  readonly key?: string
  /** With a key: the later job wins, with its time and payload. */
  readonly replace?: boolean
}
