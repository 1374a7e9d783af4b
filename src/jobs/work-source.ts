import type { Instant } from '../kernel/clock.ts'
import type { WorkKind } from '../kernel/job.ts'
import type { Patience } from './patience.ts'

/** Something that was due and has been done. */
export interface Fired {
  readonly work: string
  readonly at: Instant
  readonly key?: string
}

/** Something that will fall due. */
export interface Upcoming {
  readonly work: string
  readonly at: Instant
  /** What it will do, in a sentence. */
  readonly what: string
  readonly accountId: string
  /** What it is about: a dispute, an invoice, a payment, an event. */
  readonly subject: string | null
  readonly key?: string
  /** How often it was tried already. */
  readonly attempts: number
}

/** A place where due work waits, with a scheduler of its own: the jobs table and the delivery queue. */
export interface WorkSource {
  readonly kind: WorkKind
  /**
   * Told that something may be due. Takes as much as there is room for, and goes on by itself until nothing is left. Never
   * waits.
   */
  wake(): void
  /** Takes nothing more until it is woken, and gives back what it has not begun. Returns when the rest has ended. */
  pause(patience?: Patience): Promise<void>
  /** When the earliest waiting work falls due, if there is any. */
  nextDue(): Promise<Instant | undefined>
  /** What falls due first, with what it will do. Includes what is due already; with `about`, only what these ids name. */
  upcoming(limit: number, about?: readonly string[]): Promise<Upcoming[]>
  /** Does everything that is due now, in order, as long as the patience lasts. Returns when it is done. */
  drain(patience?: Patience): Promise<Fired[]>
  /** Frees due work that is held. Only for a process that has the database to itself, before anything else is done. */
  takeOver(): Promise<void>
  /** Takes nothing more, and ends or gives back what is under way. */
  close(): Promise<void>
}
