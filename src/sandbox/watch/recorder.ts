import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Happened } from '../../database/event.ts'
import type { Database } from '../../database/open.ts'
import { sql } from '../../database/sql.ts'
import type { ClaimedJob } from '../../jobs/queue.ts'
import { jobCause, subjectOf } from '../../jobs/runner.ts'
import { threadOf } from '../../kernel/cause.ts'
import { type Clock, type Instant, systemClock } from '../../kernel/clock.ts'
import { errorSentence } from '../../kernel/error-text.ts'
import type { Happening } from '../../kernel/happening.ts'
import { RecentMap } from '../../kernel/recent-map.ts'
import {
  type AnsweredRequest,
  answeredRequest,
  clientOf,
  isKept,
  rowOf,
  shownPath,
  storable,
  withoutBodies,
} from './keep-request.ts'

/** How many requests, and how many happenings, a sandbox remembers. */
export const KEPT_MAX = 10_000
/**
 * Beyond this, the bodies of older requests are dropped: while requests come without a pause, writing them would slow the
 * answers down.
 */
const HELD_BYTES_MAX = 16_777_216
/** Notes are written when nothing came for the first of these times, or after the second while somebody follows. */
const QUIET_MS = 20
const FOLLOWED_MS = 40
/** What comes within this time after a write waits for what comes later: a busy sandbox has many moments that look quiet. */
const BETWEEN_MS = 500

/**
 * Writers wait for each other at the one row that counts, so numbers become visible in their order. Rows that are no longer
 * among the newest ten thousand are removed in the same statement.
 */
const write = sql`
  with told as (
    insert into happenings_told (seq, requests) values ($3, $4)
    on conflict (only_row) do update set seq = happenings_told.seq + excluded.seq,
      requests = happenings_told.requests + excluded.requests
    returning seq, requests),
  logged as (
    insert into request_log (number, debug_id, account_id, app_id, client_id, operation, method, path, status,
      request_body, answer_body, details, create_time, real_time)
    select told.requests - $4 + row_number() over (), r.debug_id, r.account_id, r.app_id, r.client_id, r.operation,
      r.method, r.path, r.status, r.request_body, r.answer_body, r.details, r.create_time, r.real_time
    from told, json_to_recordset($1) as r (debug_id text, account_id text, app_id text, client_id text, operation text,
      method text, path text, status int, request_body text, answer_body text, details jsonb, create_time text,
      real_time text)),
  happened as (
    insert into happenings (seq, thread, kind, account_id, ref, trouble, details, create_time, real_time)
    select told.seq - $3 + row_number() over (), coalesce(h.thread, (
        select e.thread from happenings e where e.ref = h.of_event and e.kind = 'event' order by e.seq desc limit 1),
        h.of_event, '-'),
      h.kind, h.account_id, h.ref, h.trouble, h.details, h.create_time, h.real_time
    from told, json_to_recordset($2) as h (thread text, of_event text, kind text, account_id text, ref text,
      trouble boolean, details jsonb, create_time text, real_time text)),
  old_requests as (delete from request_log where number <= (select requests from told) - $5),
  old_happenings as (delete from happenings where seq <= (select seq from told) - $5)
  select seq from told`

/** A happening as it is held until it is written. */
interface Noted {
  readonly thread: string | null
  readonly of_event?: string
  readonly kind: string
  readonly account_id: string | null
  readonly ref: string | null
  readonly trouble: boolean
  readonly details: object
  readonly create_time: Instant
  readonly real_time: Instant
}

export interface RecorderParts {
  readonly database: Database
  readonly clock: Clock
  /** Called when something was written, for those who follow, here and in other processes. */
  onTold(): void
  onError(error: unknown): void
}

/**
 * Remembers what a sandbox answered and what came of it. While a request is answered, it only takes a note; the notes are
 * written together in the next quiet moment, or when somebody asks. Under a load that never pauses, notes that are no longer
 * among the newest ten thousand are forgotten before they are written, as they would be afterwards, and the newest requests
 * keep their bodies.
 */
export class Recorder {
  readonly #parts: RecorderParts
  #requests: AnsweredRequest[] = []
  #noted: (Noted | AnsweredRequest)[] = []
  #bytes = 0
  #cameAt = 0
  #wroteAt = Number.NEGATIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> | undefined
  #next: Promise<void> | undefined
  #followers = 0
  readonly #threads = new RecentMap<string, string>(KEPT_MAX)

  constructor(parts: RecorderParts) {
    this.#parts = parts
  }

  /** Notes a request that was answered. */
  answered(request: FastifyRequest, reply: FastifyReply): void {
    if (!isKept(request)) return
    const now = this.#parts.clock.now()
    const realTime = systemClock.now()
    const kept = answeredRequest(request, reply, now, realTime)
    this.#requests.push(kept)
    this.#bytes += kept.bytes
    if (this.#bytes > HELD_BYTES_MAX) this.#letBodiesGo()
    this.#take(kept)
  }

  /** Notes what a unit of work made happen. */
  happened({ cause, now, events, happenings }: Happened): void {
    const thread = threadOf(cause)
    for (const tell of happenings) this.note(tell(), { thread, now })
    for (const { id, type, accountId, resourceId } of events) {
      this.#threads.set(id, thread)
      const details = { type, resource_id: resourceId }
      this.note({ kind: 'event', accountId, ref: id, details }, { thread, now })
    }
  }

  /** Notes an attempt to deliver an event. */
  readonly attempt = (happening: Happening, ofEvent: string): void => this.note(happening, { ofEvent })

  /** Notes that a job's time has come. */
  jobDue(job: ClaimedJob): void {
    this.note(dueOf(job), { thread: threadOf(jobCause(job)) })
  }

  jobFailed(job: ClaimedJob & { readonly parked: boolean }, error: unknown): void {
    const { details, ...due } = dueOf(job)
    const failed = { ...details, error: errorSentence(error, 500), parked: job.parked }
    this.note({ ...due, trouble: true, details: failed }, { thread: threadOf(jobCause(job)) })
  }

  /** Notes something that no unit of work did. For a delivery the event is known, and from it the thread. */
  note(
    { kind, accountId, ref, trouble = false, details }: Happening,
    { thread, ofEvent, now = this.#parts.clock.now() }: { thread?: string; ofEvent?: string; now?: Instant },
  ): void {
    const known = thread ?? (ofEvent === undefined ? '-' : this.#threads.get(ofEvent))
    this.#take({
      thread: known ?? null,
      ...(known === undefined && { of_event: ofEvent }),
      kind,
      account_id: accountId,
      ref,
      trouble,
      details,
      create_time: now,
      real_time: systemClock.now(),
    })
  }

  /** While somebody follows, notes are written soon. Returns what ends that. */
  follow(): () => void {
    this.#followers++
    return () => void this.#followers--
  }

  /** Comes back when all that was noted until now is written. What is noted meanwhile is written in a moment of its own. */
  flush(): Promise<void> {
    if (this.#noted.length === 0) return this.#writing ?? Promise.resolve()
    if (!this.#writing) return this.#write()
    // Whoever asks while a write is under way shares the next write.
    this.#next ??= this.#writing
      .catch(() => {})
      .then(() => {
        this.#next = undefined
        return this.flush()
      })
    return this.#next
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    while (this.#writing || this.#noted.length > 0) await this.flush().catch(() => {})
    clearTimeout(this.#timer)
  }

  #take(noted: Noted | AnsweredRequest): void {
    this.#noted.push(noted)
    this.#cameAt = performance.now()
    if (this.#noted.length >= 2 * KEPT_MAX) this.#forgetOldest()
    this.#timer ??= setTimeout(() => this.#lookAgain(), this.#followers > 0 ? FOLLOWED_MS : QUIET_MS).unref()
  }

  #forgetOldest(): void {
    this.#noted = this.#noted.slice(-KEPT_MAX)
    this.#requests = this.#requests.slice(-KEPT_MAX)
    this.#bytes = this.#requests.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  /**
   * Drops the bodies of the oldest requests until only half of what may be held is left, so that this is not done again for
   * every request.
   */
  #letBodiesGo(): void {
    for (const request of this.#requests) {
      if (this.#bytes <= HELD_BYTES_MAX / 2) return
      this.#bytes -= request.bytes
      withoutBodies(request)
    }
  }

  #lookAgain(): void {
    this.#timer = undefined
    if (this.#noted.length === 0) return
    const now = performance.now()
    const isQuiet = now - this.#cameAt >= QUIET_MS - 1 && now - this.#wroteAt >= BETWEEN_MS
    if (isQuiet || this.#followers > 0) void this.flush().catch((error: unknown) => this.#parts.onError(error))
    else this.#timer = setTimeout(() => this.#lookAgain(), QUIET_MS).unref()
  }

  #write(): Promise<void> {
    const requests = this.#requests
    const noted = this.#noted
    this.#requests = []
    this.#noted = []
    this.#bytes = 0
    this.#wroteAt = performance.now()
    const rows = requests.slice(-KEPT_MAX).map(rowOf)
    const values = [
      storable(JSON.stringify(rows)),
      storable(JSON.stringify(noted.map(asNoted))),
      noted.length,
      rows.length,
      KEPT_MAX,
    ]
    this.#writing = this.#parts.database.rows(write, values).then(
      () => {
        this.#writing = undefined
        this.#parts.onTold()
      },
      (error: unknown) => {
        this.#writing = undefined
        throw error
      },
    )
    return this.#writing
  }
}

/** A job as something that fell due. */
function dueOf({ name, key, account_id, payload, attempts }: ClaimedJob): Happening {
  return { kind: 'due', accountId: account_id, ref: subjectOf(payload), details: { work: name, key, attempts } }
}

/** Puts together what can wait until it is written, so that a request does not wait for it while it is answered. */
function asNoted(noted: Noted | AnsweredRequest): Noted {
  if ('thread' in noted) return noted
  const { id, method, operation, status, caller } = noted
  const path = shownPath(noted.url)
  return {
    thread: id,
    kind: 'request',
    account_id: caller?.accountId ?? null,
    ref: id,
    trouble: status >= 400,
    details: { method, path, operation, status, ms: Math.round(noted.ms), client_id: clientOf(noted) },
    create_time: noted.now,
    real_time: noted.realTime,
  }
}
