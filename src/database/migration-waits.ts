import type pg from 'pg'

/** A wait that lasts this long is told. */
const TOLD_AFTER_MS = 3_000
/** The same wait is told again when it has lasted this much longer. */
const TOLD_AGAIN_MS = 60_000
const LOOK_EVERY_MS = 1_000
/** A wait whose statement steps aside for at most this long, before it tries again, counts as one wait. */
const ASIDE_MS_MAX = 3_000

/**
 * Whom a session waits for in the server, or who holds the lock of migrations, which a session asks for again and again
 * instead of waiting. Everybody may see process, role and name of other sessions, but only some may see when their
 * transactions began.
 */
const waitedFor = `
  select other.pid, other.migrates, s.application_name as name, s.usename as role, s.xact_start as began, a.query,
    coalesce((select min(waitstart) from pg_locks where pid = a.pid and not granted), a.query_start) as since
  from pg_stat_activity a
    cross join lateral (
      select unnest(pg_blocking_pids(a.pid)) as pid, false as migrates
      union
      select l.pid, true from pg_locks l
      where l.locktype = 'advisory' and l.granted and l.pid <> a.pid and l.database = a.datid and l.objsubid = 1
        and (l.classid::bigint << 32) + l.objid::bigint = $2::bigint) other
    left join pg_stat_activity s on s.pid = other.pid
  where a.pid = $1 order by other.pid`

interface Blocker {
  /** 0 for a prepared transaction, which no process holds. */
  readonly pid: number
  readonly migrates: boolean
  readonly name: string | null
  readonly role: string | null
  readonly began: Date | null
  /** The last statement of the waiting session, and since when it waits. */
  readonly query: string
  readonly since: Date
}

/** What is needed to report the waits of a session while it migrates. */
export interface WaitsWatched {
  /** Opens a connection beside the one that is watched. Called only when something lasts. */
  connect(): Promise<pg.Client>
  readonly pid: number
  readonly lock: number
  tell(sentence: string): void
}

/** Reports whom a session waits for, when it waits for long. Returns a function that ends this. */
export function watchWaits({ connect, pid, lock, tell }: WaitsWatched): () => Promise<void> {
  let client: pg.Client | undefined
  let isOver = false
  let waiting: { readonly who: string; readonly from: number; seenAt: number; toldAt?: number } | undefined

  async function look(): Promise<void> {
    client ??= await connect()
    if (isOver) return client.end()
    const { rows } = await client.query<Blocker>(waitedFor, [pid, lock])
    if (isOver) return
    const now = performance.now()
    if (rows.length === 0) {
      if (waiting && now - waiting.seenAt > ASIDE_MS_MAX) waiting = undefined
      return
    }
    const who = rows.map((one) => one.pid).join()
    if (waiting?.who !== who) waiting = { who, from: now, seenAt: now }
    waiting.seenAt = now
    const { from, toldAt } = waiting
    if (toldAt === undefined ? now - from < TOLD_AFTER_MS : now - toldAt < TOLD_AGAIN_MS) return
    waiting.toldAt = now
    tell(sentenceOf(rows))
  }

  const later = () =>
    setTimeout(async () => {
      // If the waits cannot be seen, nothing is reported; the migration goes on all the same.
      await look().catch(() => {})
      if (!isOver) timer = later()
    }, LOOK_EVERY_MS)
  let timer = later()
  return async () => {
    isOver = true
    clearTimeout(timer)
    await client?.end()
  }
}

const indexNamed = /\bindex\s+(?:concurrently\s+)?(?:if\s+(?:not\s+)?exists\s+)?(\w+)/i
const instant = (time: Date) => time.toISOString().replace(/\.\d+Z$/, 'Z')

function sentenceOf(blockers: readonly Blocker[]): string {
  const { query, since, migrates } = blockers[0]!
  const [, index] = (!migrates && indexNamed.exec(query)) || []
  const what = migrates ? 'Migrating' : index === undefined ? 'A migration' : `The index ${index}`
  const from = migrates ? '' : ` since ${instant(since)}`
  return `${what} waits${from} for ${blockers.map(described).join(' and ')}, and goes on when that has ended.`
}

function described({ pid, migrates, name, role, began }: Blocker): string {
  if (pid === 0) return 'a prepared transaction (pg_prepared_xacts shows it)'
  const whose = [name || 'without an application name', ...(role === null ? [] : [`role ${role}`])].join(', ')
  if (migrates) return `process ${pid} (${whose}), which migrates this database`
  return `a transaction of process ${pid} (${whose})${began === null ? '' : ` that began at ${instant(began)}`}`
}
