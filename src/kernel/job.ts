import type { Instant } from './clock.ts'

/** A promise to do something after this transaction commits. */
export interface JobRequest {
  readonly name: string
  readonly payload: Readonly<Record<string, unknown>>
  /** When it falls due; at once when absent. */
  readonly runAt?: Instant
  /** At most one promise with this key is open at a time; a second one is dropped, or replaces the first. */
  readonly key?: string
  /** With a key: the later promise wins, with its time and payload. */
  readonly replace?: boolean
}
