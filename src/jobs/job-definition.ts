import type { Reader, Transact } from '../database/transaction.ts'
import type { Instant } from '../kernel/clock.ts'

/** How a kind of job is done. Only jobs reach the outside world, between units of work and never inside one. */
export interface JobDefinition<Payload = never> {
  readonly name: string
  /** Money and deadlines have slots of their own, and never wait behind mail. */
  readonly urgent?: true
  /** Seconds to wait before each retry; when they run out, or what it throws is ForGood, the job is parked for the operator to see. */
  readonly retryAfter: readonly number[]
  /** What it is going to do, in a sentence, for whoever asks what lies ahead. */
  foretell?(payload: Payload, db: Reader): string | Promise<string>
  /** `now` is the instant the job runs at, on the service's clock. It may run twice: what it does must bear that. */
  run(payload: Payload, context: JobContext): Promise<void>
}

export interface JobContext {
  /** The job's own id, the same each time it is tried: what it does outside can be named after it. */
  readonly id: string
  /** The same, and no other job's anywhere: numbers begin anew with every database. */
  readonly label: string
  readonly now: Instant
  readonly db: Reader
  readonly transact: Transact
  /** Units of work that are the doing of a person at the console, who asked for the job. The audit log names them. */
  transactFor(personId: string): Transact
}

/** Names a job and infers the type of its payload. */
export function job<Payload extends object>(definition: JobDefinition<Payload>): JobDefinition {
  // A payload is read back as the JSON that `enqueue` wrote for this name.
  return definition as unknown as JobDefinition
}
