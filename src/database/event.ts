import type { Cause } from '../kernel/cause.ts'
import type { Instant } from '../kernel/clock.ts'
import type { EventType } from '../kernel/event-types.ts'
import type { Happening } from '../kernel/happening.ts'

/** Something that happened to a resource, to be told to subscribers. */
export interface NewEvent {
  /** The account the resource belongs to. */
  readonly accountId: string
  readonly type: EventType
  /** Events of one resource are delivered in the order of their commits. */
  readonly resourceId: string
  /** The resource as it is now, in the shape the subscriber receives. */
  readonly resource: object
  readonly summary: string
  /** The app the resource is known to come from. Used when no app is calling for its account. */
  readonly appId?: string | null
}

/** An event with all that is known when it is committed. */
export interface AnnouncedEvent extends NewEvent {
  readonly id: string
  readonly time: Instant
  /** The app that called for the account of the event. Absent when somebody else made it happen, or the passing of time. */
  readonly callingAppId: string | undefined
  /** Whether the calling app belongs to another account than the one it called for. */
  readonly onBehalf: boolean
  /** Who made it happen, and the id that all effects of the same request, job or command share. */
  readonly actor: string
  readonly cause: string
}

/** What happened by one unit of work. */
export interface Happened {
  readonly cause: Cause
  readonly now: Instant
  readonly events: readonly AnnouncedEvent[]
  readonly happenings: readonly (() => Happening)[]
}
