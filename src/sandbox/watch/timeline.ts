import { sql, statementOf } from '../../database/sql.ts'
import type { Reader } from '../../database/transaction.ts'
import type { Instant } from '../../kernel/clock.ts'
import type { HappeningKind } from '../../kernel/happening.ts'

/** A row of the timeline, with what is read from elsewhere. */
export interface HappeningRow {
  readonly seq: bigint
  readonly thread: string
  readonly kind: HappeningKind
  readonly account_id: string | null
  readonly ref: string | null
  readonly trouble: boolean
  readonly details: Readonly<Record<string, unknown>>
  readonly create_time: Instant
  readonly real_time: Instant
  /** For a mail only. */
  readonly recipients: readonly string[] | null
  readonly subject: string | null
}

/** What one cause did at one go, in the order in which it was told. */
export interface Thread {
  readonly id: string
  readonly first: bigint
  readonly last: bigint
  readonly rows: readonly HappeningRow[]
}

/** A thread is found when one of its rows fits all that is given. */
export interface TimelineFilter {
  readonly kinds?: readonly HappeningKind[] | undefined
  /** The id of an account, or the client id of a caller. */
  readonly person?: string | undefined
  /** The id of an invoice, dispute, payment, event, delivery, mail or request. */
  readonly subject?: string | undefined
  readonly trouble?: boolean | undefined
}

const fits = `($2::text[] is null or h.kind = any($2)) and ($3::text is null or h.account_id = $3 or h.details->>'client_id' = $3)
  and ($4::text is null or h.ref = $4 or h.details->>'resource_id' = $4 or h.details->>'event_id' = $4
    or h.kind = 'request' and strpos(h.details->>'path', $4) > 0) and (not $5 or h.trouble)`

const rowsOf = (chosen: string, order: string) => `
  with chosen as (${chosen})
  select h.seq, h.thread, h.kind, h.account_id, h.ref, h.trouble, h.details, h.create_time, h.real_time,
    m.recipients, m.body->>'subject' as subject
  from chosen join happenings h on h.thread = chosen.thread
    left join mails m on h.kind = 'mail' and m.account_id = h.account_id and m.id = h.ref
  order by ${order}, h.seq`

/** A thread stands where it began, however long it goes on. There are never more than ten thousand rows to look through. */
const newest = statementOf(
  rowsOf(
    `select h.thread, min(h.seq) as place from happenings h group by h.thread
     having min(h.seq) < $1 and bool_or(${fits}) order by place desc limit $6`,
    'chosen.place desc',
  ),
)
/** Whole threads, ordered by when something was last told of each: whoever has seen one has seen all before it. */
const changed = statementOf(
  rowsOf(
    `select h.thread, max(h.seq) as place from happenings h where h.seq > $1 group by h.thread
     having bool_or(${fits}) order by place limit $6`,
    'chosen.place',
  ),
)
const told = sql`select seq from happenings_told`

const valuesOf = ({ kinds, person, subject, trouble }: TimelineFilter) => [
  kinds ?? null,
  person ?? null,
  subject ?? null,
  trouble ?? false,
]

export async function findThreads(
  db: Reader,
  filter: TimelineFilter,
  before: bigint,
  limit: number,
): Promise<Thread[]> {
  return threadsOf(await db.rows<HappeningRow>(newest, [before, ...valuesOf(filter), limit]))
}

/** Threads of which something was told, and the number up to which everything is told with them. */
export interface Changes {
  readonly threads: readonly Thread[]
  readonly seq: bigint
}

/** What was told after the number `after`. */
export async function findChanges(db: Reader, filter: TimelineFilter, after: bigint, limit: number): Promise<Changes> {
  const last = await lastTold(db)
  // The log began anew meanwhile, because another state of the sandbox was loaded.
  const from = after > last ? 0n : after
  const threads = threadsOf(await db.rows<HappeningRow>(changed, [from, ...valuesOf(filter), limit]))
  const isAll = threads.length < limit
  const latest = threads.reduce((seq, thread) => (thread.last > seq ? thread.last : seq), from)
  return { threads, seq: isAll && last > latest ? last : latest }
}

/** The number up to which everything is told. */
export const lastTold = async (db: Reader): Promise<bigint> => (await db.row<{ seq: bigint }>(told))?.seq ?? 0n

function threadsOf(rows: readonly HappeningRow[]): Thread[] {
  const threads = new Map<string, HappeningRow[]>()
  for (const row of rows) {
    const thread = threads.get(row.thread)
    if (thread) thread.push(row)
    else threads.set(row.thread, [row])
  }
  return [...threads].map(([id, of]) => ({ id, first: of[0]!.seq, last: of.at(-1)!.seq, rows: of }))
}
