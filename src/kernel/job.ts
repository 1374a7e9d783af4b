import type { Instant } from './clock.ts'

/** Where work waits to be done: the jobs table, or the queue of webhook deliveries. */
export type WorkKind = 'jobs' | 'deliveries'

/** Something to be done after this unit of work commits. */
export interface JobRequest {
  readonly name: string
  /** Accounts take turns, so every job says which account it is for. */
  readonly payload: Readonly<Record<string, unknown> & { account_id: string }>
  /** When it falls due. At once if absent. */
  readonly runAt?: Instant
  /** At most one job with this key is open at a time; a second one is dropped, or replaces the first. A parked one makes way. */
  readonly key?: string
  /** With a key: the later job replaces the earlier one, with its time and payload. */
  readonly replace?: boolean
}
