import { setTimeout as pause } from 'node:timers/promises'
import type { Connection, Database } from '../database/open.ts'
import { sql, statementOf } from '../database/sql.ts'
import type { Instant } from '../kernel/clock.ts'
import { countRows, readAll, readKeys, readPage } from './rows.ts'
import { Source, type StoredMove } from './source.ts'
import { doors, type MovedTable, type MovedTables, readTables } from './tables.ts'
import { type Arrival, type Changed, Target } from './target.ts'
import { findTies } from './ties.ts'

/** Says why accounts cannot be moved, in one sentence for whoever asked. */
export class MoveError extends Error {}

export interface MoveParts {
  readonly source: Database
  readonly target: Database
  /** The accounts, which move together. */
  readonly ids: readonly string[]
  readonly moveId: string
  /** The address at which they can be reached afterwards, if that is another one. */
  readonly home: string | null
  readonly now: Instant
  /** How long writers are made to wait at most. A try that takes longer is given up before anything is decided. */
  readonly stopMsMax?: number
}

export interface Moved {
  readonly rows: number
  /** How long nothing could be written on either side. Undefined when an earlier call had already decided the move. */
  readonly stopped_ms?: number
}

const STOP_MS_MAX = 1_500
/** This many changes are brought over in a moment. Waiting for none would not end, because a busy account always makes some. */
const FEW = 200
const DRAIN_POLL_MS = 100
const DRAIN_MS_MAX = 120_000
const STOPS_MAX = 50
const LOCK_TIMEOUT = '55P03'
const NO_SUCH_ROW = '23503'
const OTHER_TARGET = 'These accounts are on their way to another database: name that one with --to.'

/** Rows that are swept away with time. They may disappear from either database while the account is on its way. */
const swept = new Set([
  ...['audit_log', 'deliveries', 'delivery_attempts', 'dispute_event_inbox', 'event_audience', 'event_ids', 'events'],
  ...['idempotency', 'quotas', 'console_bulks', 'console_drafts', 'console_draft_files'],
])

/** Accounts of another cell have a row here too, but do not live here. */
const accountsHere = sql`select id from accounts where id = any($1::text[]) and cell is null`
const emailsOf = sql`select email from accounts where id = any($1::text[])`
const accountsWithEmail = sql`select id from accounts where email = any($1::text[]) and id <> all($2::text[]) limit 1`
const signingKeys = sql`select coalesce(json_agg(k), '[]')::text as keys from signing_keys k`
const doorRows = new Map(
  doors.map((name) => [
    name as string,
    statementOf(`select coalesce(json_agg(d), '[]')::text as rows from ${name} d
      where app_id in (select id from apps where account_id = $1)`),
  ]),
)

/**
 * Moves accounts from one database to another while they work. How far it has come is written down in both databases, so it can
 * be stopped at any moment and called again. The source decides with one commit that the accounts have left, and only then does
 * the target let them in.
 */
export async function moveAccounts(parts: MoveParts): Promise<Moved> {
  const tables = await readTables(parts.source)
  const source = new Source(parts.source, tables, parts.ids)
  const target = new Target(parts.target, tables, parts.ids)
  const known = await source.moves()
  const moveId = known[0]?.move_id ?? parts.moveId
  const states = new Set(parts.ids.map((id) => known.find(({ account_id }) => account_id === id)?.state ?? 'HERE'))
  if (states.size > 1 || known.some(({ move_id }) => move_id !== moveId))
    throw new MoveError('Some of these accounts are on their way by themselves: name those that were named then.')
  const [state] = states
  if (state === 'GONE') throw new MoveError('These accounts have been moved already.')
  await requireSameTarget(target, known)
  if (state === 'MOVED') await requireArrived(target, parts.ids, moveId)
  const began =
    state === 'MOVED'
      ? undefined
      : await leave(parts, { tables, source, target, moveId }).catch(async (error: { code?: string }) => {
          // A copied row refers to one that stays: say which, instead of passing on the database's error.
          if (error.code === NO_SUCH_ROW) await requireNoTies(parts)
          throw error
        })
  await target.welcome()
  const took = began === undefined ? undefined : Math.round(performance.now() - began)
  let rows = 0
  for (const id of parts.ids) for (const count of (await target.count(tables.copied, id)).values()) rows += count
  await source.clean(moveId)
  return { rows, ...(took !== undefined && { stopped_ms: took }) }
}

/**
 * Gives up a move that has not been decided: the accounts work on as if there had been no move, and nothing of what was copied
 * is left. Like a move, it can be stopped at any moment and called again. Without a target, which may be gone for good, what
 * was copied stays there until a later move to it removes it.
 */
export async function cancelMove({
  source: from,
  target: to,
  ids,
}: Pick<MoveParts, 'source' | 'ids'> & { readonly target: Database | undefined }): Promise<void> {
  const tables = await readTables(from)
  const source = new Source(from, tables, ids)
  const known = await source.moves()
  const moveId = known[0]?.move_id
  if (moveId === undefined || known.length < ids.length || known.some(({ move_id }) => move_id !== moveId))
    throw new MoveError('There is no move of these accounts: name those that were named then.')
  if (known.some(({ state }) => state === 'MOVED' || state === 'GONE'))
    throw new MoveError('These accounts have left already: call again without --cancel, and move them back from there.')
  // This comes first: the accounts must work on, whatever becomes of the target.
  await source.resume()
  if (to) {
    const target = new Target(to, tables, ids)
    await requireSameTarget(target, known)
    await target.forget((other) => other === moveId)
  }
  await source.stay(moveId)
}

interface Ends {
  readonly tables: MovedTables
  readonly source: Source
  readonly target: Target
  readonly moveId: string
}

/** Copies, follows, drains and stops. Returns the time at which writers began to wait. */
async function leave(parts: MoveParts, { tables, source, target, moveId }: Ends): Promise<number> {
  await requireMovable(parts, target)
  const going = { home: parts.home, target: await target.identity(), now: parts.now }
  const wasNoted = await source.begin(moveId, going)
  await target.forget((other) => other !== moveId || !wasNoted)
  const [keys] = await parts.source.rows<{ keys: string }>(signingKeys)
  const arrivals = await target.expect(moveId, keys!.keys, parts.now)
  for (const arrival of arrivals) for (const table of tables.copied) await copy(parts.source, target, arrival, table)
  const follow = makeFollow(tables, source, target)
  while ((await follow(parts.source)) > FEW);
  // Copying takes long. In that time these accounts may have come to share something with one that stays.
  await requireNoTies(parts)
  const countMs = await compare(parts, { tables, source, target, moveId }, follow)
  while ((await follow(parts.source)) > FEW);
  await source.drain()
  try {
    for (let i = 1; i <= STOPS_MAX; i++) {
      await workEnded(source)
      while ((await follow(parts.source)) > FEW);
      const began = await stop(parts, { tables, source, target, moveId }, { follow, countMs })
      if (began !== undefined) return began
    }
    throw new MoveError(
      'These accounts are so busy that their writers could not be stopped for long enough: call again.',
    )
  } catch (error) {
    // The move may be tried again much later; until then the accounts work on here.
    await source.resume().catch(() => {})
    throw error
  }
}

async function requireSameTarget(target: Target, known: readonly StoredMove[]): Promise<void> {
  const identity = await target.identity()
  if (known.some((move) => move.target !== null && move.target !== identity)) throw new MoveError(OTHER_TARGET)
}

/** For accounts that have left: refuses any target but the one they went to. */
async function requireArrived(target: Target, ids: readonly string[], moveId: string): Promise<void> {
  const arrived = (await target.arrivals()).filter(({ move_id }) => move_id === moveId)
  if (arrived.length < ids.length) throw new MoveError(OTHER_TARGET)
}

async function requireMovable({ source, target: to, ids }: MoveParts, target: Target): Promise<void> {
  const here = new Set((await source.rows<{ id: string }>(accountsHere, [ids])).map(({ id }) => id))
  const missing = ids.find((id) => !here.has(id))
  if (missing !== undefined) throw new MoveError(`There is no account ${missing}.`)
  const leaving = await target.leaving()
  if (leaving !== undefined)
    throw new MoveError(`Account ${leaving} has not all left the other database: finish that move first.`)
  const arriving = (await target.arrivals()).filter(({ state }) => state === 'ARRIVING')
  const there = (await to.rows<{ id: string }>(accountsHere, [ids])).map(({ id }) => id)
  const taken = there.find((id) => !arriving.some((one) => one.account_id === id))
  if (taken !== undefined) throw new MoveError(`There is an account ${taken} in the other database already.`)
  const emails = (await source.rows<{ email: string }>(emailsOf, [ids])).map(({ email }) => email)
  const [sameEmail] = await to.rows<{ id: string }>(accountsWithEmail, [emails, ids])
  if (sameEmail) throw new MoveError(`Account ${sameEmail.id} in the other database has the same e-mail address.`)
  await requireNoTies({ source, ids })
}

async function requireNoTies({ source, ids }: Pick<MoveParts, 'source' | 'ids'>): Promise<void> {
  const ties = await findTies(source, ids)
  if (ties.length > 0)
    throw new MoveError(
      `These accounts share ${ties.map(({ by, id }) => `${by} with ${id}`).join(', ')}: move them together.`,
    )
}

/** Copies the rows of a table, going on where an earlier call ended. */
async function copy(source: Database, target: Target, arrival: Arrival, table: MovedTable): Promise<void> {
  let after = arrival.progress[table.name]
  while (after !== true) {
    const page = await readPage(source, table, arrival.account_id, after)
    const progress = page.count === 0 ? true : page.last
    await target.put(arrival, table, page, progress)
    after = progress
  }
}

type Follow = (db: Connection) => Promise<number>

/** Brings over some of the changes that were made since, and returns how much that was. */
function makeFollow(tables: MovedTables, source: Source, target: Target): Follow {
  const byName = new Map(tables.copied.map((table) => [table.name, table]))
  return async (db) => {
    const { changes, weight, done } = await source.changes(db)
    const changed: Changed[] = []
    for (const { table: name, keys, count } of changes) {
      const table = byName.get(name)
      if (table) changed.push({ table, keys, count, found: await readKeys(db, table, keys) })
    }
    if (changed.length > 0) await target.follow(changed)
    if (weight > 0) await done()
    return weight
  }
}

/** Waits until workers here have finished what they began. */
async function workEnded(source: Source): Promise<void> {
  const until = performance.now() + DRAIN_MS_MAX
  while (await source.hasWorkUnderWay()) {
    if (performance.now() > until)
      throw new MoveError('Work of these accounts is under way and does not end; call again when it has.')
    await pause(DRAIN_POLL_MS)
  }
}

/** Brings the target to what the source is at one instant, and compares them; tells how long counting took. */
const compare = ({ ids }: MoveParts, { tables, source, target }: Ends, follow: Follow): Promise<number> =>
  source.atOneInstant(async (db) => {
    while ((await follow(db)) > 0);
    const began = performance.now()
    for (const id of ids) await requireSame(db, target, tables, id)
    return performance.now() - began
  })

interface Compared {
  readonly follow: Follow
  readonly countMs: number
}

/** Returns undefined when it could not be done in time, or when work had begun again. In that case nothing has happened. */
async function stop(
  parts: MoveParts,
  { tables, source, target }: Ends,
  { follow, countMs }: Compared,
): Promise<number | undefined> {
  // Writers who come from here on wait behind us, even while we wait for those who came before.
  const began = performance.now()
  const stopMsMax = parts.stopMsMax ?? STOP_MS_MAX
  const inTime = () => performance.now() - began < stopMsMax
  try {
    const left = await source.stopped(async (db) => {
      if (await source.hasWorkUnderWay(db)) return false
      while ((await follow(db)) > 0) if (!inTime()) return false
      for (const id of parts.ids) {
        // Compared again only if that is quick, because writers wait now. It was compared before they began to wait.
        if (countMs < stopMsMax / 4) await requireSame(db, target, tables, id)
        await target.holdBack(id, await heldRowsOf(db, tables, id))
      }
      return inTime()
    })
    return left ? began : undefined
  } catch (error) {
    if ((error as { code?: string }).code === LOCK_TIMEOUT) return undefined
    throw error
  }
}

async function requireSame(db: Connection, target: Target, tables: MovedTables, id: string): Promise<void> {
  const kept = tables.copied.filter(({ name }) => !swept.has(name))
  const [here, there] = await Promise.all([countRows(db, kept, id), target.count(kept, id)])
  for (const [name, count] of here)
    if (there.get(name) !== count)
      throw new MoveError(`${name} has ${count} rows of ${id}, and ${there.get(name)} arrived: nothing was switched.`)
}

async function heldRowsOf(db: Connection, tables: MovedTables, id: string): Promise<Map<string, string>> {
  const held = new Map<string, string>()
  const accounts = tables.copied.find(({ name }) => name === 'accounts')!
  for (const table of [...tables.heldBack, accounts]) held.set(table.name, (await readAll(db, table, id)).rows)
  for (const [name, statement] of doorRows) {
    const [row] = await db.rows<{ rows: string }>(statement, [id])
    held.set(name, row!.rows)
  }
  return held
}
