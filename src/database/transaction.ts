import { actorOf, type Cause, causeId, threadOf } from '../kernel/cause.ts'
import type { Clock, Instant } from '../kernel/clock.ts'
import { datedEventId } from '../kernel/dated.ts'
import type { Happening } from '../kernel/happening.ts'
import type { IdKind, Ids, IdsOf } from '../kernel/ids.ts'
import type { JobRequest, WorkKind } from '../kernel/job.ts'
import { conflict } from '../kernel/problem.ts'
import { auditWrite, type Subject } from './audit.ts'
import type { AnnouncedEvent, Happened, NewEvent } from './event.ts'
import { JobChanges } from './job-changes.ts'
import type { Connection, Database } from './open.ts'
import type { Partitions } from './partitions.ts'
import { isRetryable, pauseBefore, TRIES_MAX } from './retry.ts'
import type { Statement } from './sql.ts'
import { HeldTurns, Turns } from './turns.ts'
import { Writes } from './writes.ts'

/** Runs single statements. Outside a transaction each stands alone; that is all a read needs. */
export interface Reader {
  rows<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
  row<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row | undefined>
}

/** One change among those of a unit of work. Changes gathered later can refer to what a named one returns. */
export interface Write {
  readonly statement: Statement
  readonly values: readonly unknown[]
  readonly name?: string
  /** For a change with a name: if it returns a row, there is work of this kind to do. */
  readonly wakes?: WorkKind
}

/** The changes that make events known. Handed in from outside, so that this room need not know who listens. */
export type Announce = (events: readonly AnnouncedEvent[]) => readonly Write[]

/**
 * One unit of work: the queries, the single instant it happens at, and the only way to change anything, announce an
 * event or enqueue a job. It gathers; the commit writes everything as one statement, in which no change sees another.
 * Jobs come out as if they had been enqueued and withdrawn in turn; a second change of the same row is refused.
 */
export interface Tx extends Reader {
  readonly now: Instant
  /** Why this happens: the request, job or command. */
  readonly cause: Cause
  /** The app whose call this is; absent in jobs. */
  readonly appId: string | undefined
  /** How often this work has been begun. More than 1 if somebody else got in between. */
  readonly attempt: number
  newId(kind: IdKind): string
  /** Waits for the turn of this name. No other unit of work of this process has it until this one ends. */
  takeTurn(name: string): Promise<void>
  /**
   * Gives up the turn as soon as this unit of work is on its way to the database. To be called if the next one need not read
   * what this one writes; it is written after this one, and must guard that this one was written.
   */
  passTurn(): void
  /**
   * Gathers a change, or one row of a batch. Its effect is not visible to later reads of the same unit of work; later
   * changes can refer to what one with a name returns.
   */
  write(statement: Statement, values: readonly unknown[], name?: string): void
  /** Gathers a change of exactly one row, or a look at one. If there are more or fewer, nothing is written and the work starts over. */
  guard(statement: Statement, values: readonly unknown[]): void
  emit(event: NewEvent): void
  enqueue(job: JobRequest): void
  /** Withdraws the job with this key, if there is one. */
  withdraw(key: string): void
  /** Names what this work changes, and whose it is, for the audit log. */
  about(accountId: string | null, resourceId: string): void
  /** Tells whoever watches a sandbox what this work made happen. Events are told without this. In live it has no effect. */
  happened(tell: () => Happening): void
  /** Lets workers look for due work of this kind after the commit. `enqueue` and `emit` do so by themselves. */
  wake(kind: WorkKind): void
  /**
   * Runs something in this process once everything is committed. It is lost when the process dies and its failure
   * changes nothing, so this is only for hints.
   */
  afterCommit(hint: () => void): void
}

export interface TransactOptions {
  /**
   * Opens a real transaction, so that `rows` can take locks that hold until the commit. Needed only where a rule spans
   * rows; a change of one document is protected by `guard`.
   */
  readonly locks?: boolean
  /** With locks: how long a statement may take, for work that nobody waits for; 0 is without end. */
  readonly limitMs?: number
  /**
   * Where the work reads: a place that has everything committed before. When somebody else gets in between, the work starts
   * over and reads from the database itself. Not to be used with locks.
   */
  readonly reader?: Reader
}

/** Runs the work and commits it, starting over when another writer got in between. The work must be repeatable. */
export type Transact = <T>(work: (tx: Tx) => Promise<T>, options?: TransactOptions) => Promise<T>

/** Makes units of work for one cause. Called where work enters the service. */
export type TransactFor = (cause: Cause) => Transact

const nobody: Announce = () => {
  throw new Error('Events cannot be emitted here: nobody announces them.')
}

export interface TransactParts {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  /** Where each unit of work gets identifiers of its own; from `ids` when not said. */
  readonly idsOf?: IdsOf | undefined
  /** Says whether events carry their day, and makes a partition where one is missing. */
  readonly partitions?: Partitions
  /** Absent where nothing is ever emitted. */
  readonly announce?: Announce
  /** Whether a job of this name goes before the others. */
  readonly isUrgent?: (name: string) => boolean
  /** Called after a commit that enqueued work which is due now. */
  readonly onWork: (kind: WorkKind) => void
  /** Told after a commit what happened by it. Absent where nobody watches. */
  readonly onHappened?: (unit: Happened) => void
  /** Told of hints that failed after their commit. */
  readonly onHintFailure?: (error: unknown) => void
}

export function makeTransact({ database, clock, ids, onWork, ...parts }: TransactParts): TransactFor {
  const {
    announce = nobody,
    isUrgent = () => false,
    onHappened,
    onHintFailure = () => {},
    idsOf = () => () => ids,
    partitions,
  } = parts
  const turns = new Turns()
  return (cause) =>
    async (work, { locks = false, limitMs, reader } = {}) => {
      const begin = idsOf(cause)
      for (let attempt = 1; ; attempt++) {
        const isDated = partitions?.isOn ?? false
        const unit = new UnitOfWork(clock.now(), begin(), { announce, isUrgent, turns, attempt, isDated }, cause)
        try {
          const result = locks
            ? await database.transaction((connection) => unit.run(connection, work), limitMs)
            : await unit.run(database, work, attempt === 1 ? reader : undefined)
          if (onHappened && unit.events.length + unit.happenings.length > 0) unit.afterCommit(() => onHappened(unit))
          giveHints([...[...unit.work].map((kind) => () => onWork(kind)), ...unit.hints], onHintFailure)
          return result
        } catch (error) {
          if (!isRetryable(error) && !(await partitions?.mend(error))) throw error
          if (attempt === TRIES_MAX)
            throw conflict('CONCURRENT_UPDATE', 'Other requests kept changing the same resource; send it again.')
          await pauseBefore(attempt)
        }
      }
    }
}

/** What is committed stays committed, so a failing hint must not look like a failure to the caller. */
function giveHints(hints: readonly (() => void)[], onFailure: (error: unknown) => void): void {
  for (const hint of hints)
    try {
      hint()
    } catch (error) {
      onFailure(error)
    }
}

/** The database, or a transaction that was begun there. */
type Committing = Connection & Partial<Pick<Database, 'commit'>>

interface UnitParts extends Required<Pick<TransactParts, 'announce' | 'isUrgent'>> {
  readonly turns: Turns
  readonly attempt: number
  readonly isDated: boolean
}

class UnitOfWork {
  readonly now: Instant
  readonly cause: Cause
  readonly #ids: Ids
  readonly #parts: UnitParts
  readonly #turns: HeldTurns
  readonly #subjects: Subject[] = []
  readonly #writes = new Writes()
  readonly #jobs = new JobChanges()
  readonly events: AnnouncedEvent[] = []
  readonly happenings: (() => Happening)[] = []
  readonly hints: (() => void)[] = []
  readonly work = new Set<WorkKind>()
  #reads: Connection | undefined

  constructor(now: Instant, ids: Ids, parts: UnitParts, cause: Cause) {
    this.now = now
    this.#ids = ids
    this.#parts = parts
    this.#turns = new HeldTurns(parts.turns)
    this.cause = cause
  }

  get appId(): string | undefined {
    return this.cause.kind === 'request' ? this.cause.appId : undefined
  }

  /** Reads from the reader if there is one, and otherwise from the connection that it commits on. */
  async run<T>(connection: Committing, work: (tx: Tx) => Promise<T>, reader?: Connection): Promise<T> {
    this.#reads = reader ?? connection
    try {
      const result = await work(this)
      await this.#commit(connection)
      return result
    } finally {
      this.#turns.end()
    }
  }

  get attempt(): number {
    return this.#parts.attempt
  }

  takeTurn(name: string): Promise<void> {
    return this.#turns.take(name)
  }

  passTurn(): void {
    this.#turns.pass()
  }

  rows<Row>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#reads!.rows<Row>(statement, values)
  }

  async row<Row>(statement: Statement, values: readonly unknown[] = []): Promise<Row | undefined> {
    return (await this.rows<Row>(statement, values))[0]
  }

  newId(kind: IdKind): string {
    const id = this.#ids.next(kind)
    return kind === 'event' && this.#parts.isDated ? datedEventId(id, this.now) : id
  }

  write(statement: Statement, values: readonly unknown[], name?: string): void {
    this.#writes.add({ statement, values, guarded: false, ...(name !== undefined && { name }) })
  }

  guard(statement: Statement, values: readonly unknown[]): void {
    this.#writes.add({ statement, values, guarded: true })
  }

  emit(event: NewEvent): void {
    const request = this.cause.kind === 'request' ? this.cause : undefined
    // A buyer's app that acts on a seller's resource is not one that the seller's events are for.
    const callingAppId = request?.accountId === event.accountId ? request.appId : undefined
    const onBehalf = request?.onBehalf ?? false
    const [actor, cause] = [actorOf(this.cause), causeId(this.cause)]
    this.events.push({ ...event, id: this.newId('event'), time: this.now, callingAppId, onBehalf, actor, cause })
  }

  enqueue(job: JobRequest): void {
    const { runAt = this.now } = job
    this.#jobs.enqueue({ ...job, runAt, isUrgent: this.#parts.isUrgent(job.name) })
    if (runAt <= this.now) this.wake('jobs')
  }

  withdraw(key: string): void {
    this.#jobs.withdraw(key)
  }

  about(accountId: string | null, resourceId: string): void {
    this.#subjects.push({ accountId, resourceId })
  }

  happened(tell: () => Happening): void {
    this.happenings.push(tell)
  }

  wake(kind: WorkKind): void {
    this.work.add(kind)
  }

  afterCommit(hint: () => void): void {
    this.hints.push(hint)
  }

  async #commit(connection: Committing): Promise<void> {
    for (const write of this.#jobs.writes(this.now, threadOf(this.cause))) this.#writes.add(write)
    if (this.events.length > 0)
      for (const write of this.#parts.announce(this.events)) this.#writes.add({ ...write, guarded: false })
    const audit = auditWrite(this.cause, this.#subjects, this.now, !this.#writes.isEmpty)
    if (audit) this.#writes.add(audit)
    if (this.#writes.isEmpty) return
    const { statement, values } = this.#writes.asOne()
    const write = connection.commit ?? connection.rows
    const written = write<{ wakes?: readonly WorkKind[] }>(statement, values, this.#turns.line)
    this.#turns.sent()
    const [row] = await written
    for (const kind of row?.wakes ?? []) this.wake(kind)
  }
}
