import type { Clock, Instant } from '../kernel/clock.ts'
import type { EventType } from '../kernel/event-types.ts'
import type { IdKind, Ids } from '../kernel/ids.ts'
import type { JobRequest } from '../kernel/job.ts'
import { conflict } from '../kernel/problem.ts'
import type { Connection, Database } from './open.ts'
import { type Statement, statementOf } from './sql.ts'

/** Runs single statements. Outside a transaction each stands alone; that is all a read needs. */
export interface Reader {
  rows<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row[]>
  row<Row>(statement: Statement, values?: readonly unknown[]): Promise<Row | undefined>
}

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
  /** The app whose subscribers hear of it; the calling app when absent, nobody's in a job. `null`: all of the account's. */
  readonly appId?: string | null
}

/**
 * One unit of work: the queries, the single instant it happens at, and the only way to change anything, announce an
 * event or promise a job. It gathers; the commit writes everything as one statement.
 */
export interface Tx extends Reader {
  readonly now: Instant
  /** The app whose call this is; absent in jobs. */
  readonly appId: string | undefined
  newId(kind: IdKind): string
  /** Gathers a change. Its effect is not visible to later reads of the same unit of work. */
  write(statement: Statement, values: readonly unknown[]): void
  /** Gathers a change of exactly one row. When it finds another number, nothing is written and the work starts over. */
  guard(statement: Statement, values: readonly unknown[]): void
  emit(event: NewEvent): void
  enqueue(job: JobRequest): void
  /** Withdraws the open promise with this key, if there is one. */
  withdraw(key: string): void
  /** Runs something in this process once everything is committed; lost when the process dies, so only for hints. */
  afterCommit(hint: () => void): void
}

export interface TransactOptions {
  readonly appId?: string
  /**
   * Opens a real transaction, so that `rows` can take locks that hold until the commit. Needed only where a rule spans
   * rows; a change of one document is protected by `guard`.
   */
  readonly locks?: boolean
}

/** Runs the work and commits it, starting over when another writer got in between. The work must be repeatable. */
export type Transact = <T>(work: (tx: Tx) => Promise<T>, options?: TransactOptions) => Promise<T>

const TRIES_MAX = 12

export interface TransactParts {
  readonly database: Database
  readonly clock: Clock
  readonly ids: Ids
  /** Called after a commit that promised work which is due now. */
  readonly onWork: () => void
}

export function makeTransact({ database, clock, ids, onWork }: TransactParts): Transact {
  return async (work, { appId, locks = false } = {}) => {
    for (let attempt = 1; ; attempt++) {
      const unit = new UnitOfWork(clock.now(), ids, appId)
      try {
        const result = locks
          ? await database.transaction((connection) => unit.run(connection, work))
          : await unit.run(database, work)
        if (unit.dueNow) onWork()
        for (const hint of unit.hints) hint()
        return result
      } catch (error) {
        if (!isRetryable(error)) throw error
        if (attempt === TRIES_MAX)
          throw conflict('CONCURRENT_UPDATE', 'Other requests kept changing the same resource; send it again.')
        await pause(attempt)
      }
    }
  }
}

class UnitOfWork {
  readonly now: Instant
  readonly appId: string | undefined
  readonly #ids: Ids
  readonly #writes: { statement: Statement; values: readonly unknown[]; guarded: boolean }[] = []
  readonly #events: (NewEvent & { id: string })[] = []
  readonly hints: (() => void)[] = []
  #connection: Connection | undefined
  dueNow = false

  constructor(now: Instant, ids: Ids, appId: string | undefined) {
    this.now = now
    this.#ids = ids
    this.appId = appId
  }

  async run<T>(connection: Connection, work: (tx: Tx) => Promise<T>): Promise<T> {
    this.#connection = connection
    const result = await work(this)
    await this.#commit(connection)
    return result
  }

  rows<Row>(statement: Statement, values: readonly unknown[] = []): Promise<Row[]> {
    return this.#connection!.rows<Row>(statement, values)
  }

  async row<Row>(statement: Statement, values: readonly unknown[] = []): Promise<Row | undefined> {
    return (await this.rows<Row>(statement, values))[0]
  }

  newId(kind: IdKind): string {
    return this.#ids.next(kind)
  }

  write(statement: Statement, values: readonly unknown[]): void {
    this.#writes.push({ statement, values, guarded: false })
  }

  guard(statement: Statement, values: readonly unknown[]): void {
    this.#writes.push({ statement, values, guarded: true })
  }

  emit(event: NewEvent): void {
    const id = this.newId('event')
    this.#events.push({ ...event, id })
    this.enqueue({ name: 'fan-out-event', payload: { account_id: event.accountId, event_id: id } })
  }

  enqueue({ name, payload, runAt = this.now, key, replace = false }: JobRequest): void {
    this.write(replace ? replaceJob : insertJob, [name, JSON.stringify(payload), runAt, key ?? null, this.now])
    if (runAt <= this.now) this.dueNow = true
  }

  withdraw(key: string): void {
    this.write(deleteJob, [key])
  }

  afterCommit(hint: () => void): void {
    this.hints.push(hint)
  }

  async #commit(connection: Connection): Promise<void> {
    if (this.#events.length > 0)
      this.write(
        insertEvents(this.#events.length),
        this.#events.flatMap((event) => [
          event.accountId,
          event.id,
          event.appId === undefined ? (this.appId ?? null) : event.appId,
          event.type,
          event.resourceId,
          event.summary,
          JSON.stringify(event.resource),
          this.now,
        ]),
      )
    if (this.#writes.length === 0) return
    const { statement, values } = this.#asOne()
    await connection.rows(statement, values)
  }

  /** All gathered writes as one statement, which is atomic by itself: no begin, no commit, one round trip. */
  #asOne(): { statement: Statement; values: unknown[] } {
    const [only] = this.#writes
    if (this.#writes.length === 1 && !only!.guarded) return { statement: only!.statement, values: [...only!.values] }
    const values: unknown[] = []
    const parts = this.#writes.map((write, i) => {
      const offset = values.length
      values.push(...write.values)
      const text = write.statement.text.replace(/\$(\d+)/g, (_, n: string) => `$${Number(n) + offset}`)
      return `w${i} as (${text}${write.guarded ? ' returning 1' : ''})`
    })
    const guards = this.#writes.flatMap(({ guarded }, i) =>
      guarded ? [`changed_one((select count(*) from w${i}))`] : [],
    )
    return { statement: statementOf(`with ${parts.join(', ')} select ${guards.join(', ') || '1'}`), values }
  }
}

const insertJob = statementOf(
  `insert into jobs (name, payload, run_at, key, create_time) values ($1, $2, $3, $4, $5) on conflict (key) do nothing`,
)
const replaceJob = statementOf(
  `insert into jobs (name, payload, run_at, key, create_time) values ($1, $2, $3, $4, $5)
   on conflict (key) do update set name = excluded.name, payload = excluded.payload, run_at = excluded.run_at,
     attempts = 0, crashes = 0, fence = jobs.fence + 1, lease_until = null, last_error = null, parked_time = null`,
)
const deleteJob = statementOf('delete from jobs where key = $1')

/** One insert for all events of a unit of work, so that their sequence numbers follow the order they were emitted in. */
function insertEvents(count: number): Statement {
  const rows = Array.from({ length: count }, (_, row) => {
    const places = Array.from({ length: 8 }, (_, column) => `$${row * 8 + column + 1}`)
    return `(${places.join(', ')})`
  })
  return statementOf(
    `insert into events (account_id, id, app_id, type, resource_id, summary, resource, create_time) values ${rows.join(', ')}`,
  )
}

/** Serialisation failure, deadlock, and our own guard that found another version of the row. */
const retryableStates = new Set(['40001', '40P01', 'QT001'])

function isRetryable(error: unknown): boolean {
  return error instanceof Error && 'code' in error && retryableStates.has(String(error.code))
}

/** Waits a random time that grows with the tries, so that writers that met once do not meet again. */
const pause = (attempt: number) =>
  new Promise((resolve) => setTimeout(resolve, Math.random() * 2 ** Math.min(attempt, 6)))
