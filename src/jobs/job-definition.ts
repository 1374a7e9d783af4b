import type { Reader, Transact } from '../database/transaction.ts'
import type { Instant } from '../kernel/clock.ts'

/** How a kind of job is done. Only jobs reach the outside world, between units of work and never inside one. */
export interface JobDefinition<Payload = never> {
  readonly name: string
  /** Jobs about money and deadlines: they have slots of their own, so they never wait behind mail. */
  readonly urgent?: true
  /** Seconds to wait before each retry. When they run out, or `run` throws ForGood, the job is parked for the operator to see. */
  readonly retryAfter: readonly number[]
  /** What it is going to do, in a sentence, for whoever asks what lies ahead. */
  foretell?(payload: Payload, db: Reader): string | Promise<string>
  /** `now` is the instant the job runs at, on the service's clock. A job may run twice, so what it does must allow for that. */
  run(payload: Payload, context: JobContext): Promise<void>
}

export interface JobContext {
  /** The job's own id, the same each time it is tried: what it does outside can be named after it. */
  readonly id: string
  /** Also the same each time it is tried, and unlike that of any other job anywhere: ids begin anew with every database. */
  readonly label: string
  readonly now: Instant
  readonly db: Reader
  readonly transact: Transact
  /** Aborted when the process is to end, which waits for what is under way, but not long. */
  readonly ending: AbortSignal
  /** Units of work done in the name of a person at the console who asked for the job. The audit log names that person. */
  transactFor(personId: string): Transact
}

/** Names a job and infers the type of its payload. */
export function job<Payload extends object>(definition: JobDefinition<Payload>): JobDefinition {
  // A payload is read back as the JSON that `enqueue` wrote for this name.
  return definition as unknown as JobDefinition
}
