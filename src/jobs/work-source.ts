import type { Instant } from '../kernel/clock.ts'

/** Something that was due and has been done. */
export interface Fired {
  readonly work: string
  readonly at: Instant
  readonly key?: string
}

/** A place where due work waits: the jobs table, and whatever else keeps a timetable of its own. */
export interface WorkSource {
  /** When the earliest waiting work falls due, if there is any. */
  nextDue(): Promise<Instant | undefined>
  /** Does everything that is due now, in order, and comes back when it is done. */
  drain(): Promise<Fired[]>
  /** Does up to `count` pieces of due work side by side, and says how many there were. */
  runBatch(count: number): Promise<number>
  /** Ends or gives back what is under way. Called after the last batch. */
  close?(): Promise<void>
}
