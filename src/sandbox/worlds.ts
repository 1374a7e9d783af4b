import { randomBytes } from 'node:crypto'
import type { Broadcast } from '../database/broadcast.ts'
import { Copies, IN_USE, TAKEN } from '../database/copies.ts'
import type { Connection, Database } from '../database/open.ts'
import { sql } from '../database/sql.ts'
import { type Instant, systemClock } from '../kernel/clock.ts'
import { notFound, refused, unavailable } from '../kernel/problem.ts'
import type { SandboxClock } from './clock.ts'
import type { TimeTravel } from './time-travel.ts'

/** A state of the sandbox that was kept under a name. */
export interface Snapshot {
  readonly name: string
  readonly create_time: Instant
  /** What the clock of the sandbox said then. */
  readonly now: Instant
}

/** A second sandbox that began as a copy of this one, at an address of its own. It ends with this one. */
export interface Fork {
  readonly name: string
  readonly url: string
}

export interface WorldParts {
  readonly databaseUrl: string
  readonly database: Database
  readonly clock: SandboxClock
  readonly travel: TimeTravel
  /** Writes down what was noted and is not in the database yet. */
  flush(): Promise<void>
  /** Makes all processes forget what they believed about the state before. */
  readonly broadcast: Pick<Broadcast, 'others' | 'tell'>
  /** Opens a sandbox like this one on another database. */
  open(databaseUrl: string): Promise<{ readonly url: string; close(): Promise<void> }>
  /** How many forks there may be at once. */
  readonly forksMax: number
  onError(error: unknown): void
}

export type Worlds = ReturnType<typeof openWorlds>

/** Says what a sandbox that ends could not remove, in a sentence for whoever ends it. */
export class LeftBehind extends Error {}

const SNAPSHOTS_MAX = 100
const SNAPSHOT = 's_'
const FORK = 'f_'

/**
 * What clients may have kept and what therefore stays, as after a reset: the access tokens that count, and the keys that sign.
 */
const readKept = sql`
  select (select coalesce(jsonb_agg(to_jsonb(tokens)), '[]') from tokens
      join apps on apps.id = app_id and token_generation = generation) as tokens,
    (select coalesce(jsonb_agg(to_jsonb(signing_keys)), '[]') from signing_keys) as keys,
    (select coalesce(jsonb_agg(to_jsonb(signing_authority)), '[]') from signing_authority) as authority`
const clearTokens = sql`delete from tokens`
const clearKeys = sql`delete from signing_keys`
const clearAuthority = sql`delete from signing_authority`
// Tokens that counted go on counting, however often the tokens of their app had been ended by the time of the snapshot.
const putTokensBack = sql`
  insert into tokens select (jsonb_populate_record(kept, jsonb_build_object('generation', apps.token_generation))).*
  from jsonb_populate_recordset(null::tokens, $1) as kept join apps on apps.id = kept.app_id`
const putKeysBack = sql`insert into signing_keys select * from jsonb_populate_recordset(null::signing_keys, $1)`
const putAuthorityBack = sql`
  insert into signing_authority select * from jsonb_populate_recordset(null::signing_authority, $1)`

type Kept = Readonly<Record<'tokens' | 'keys' | 'authority', object[]>>

async function putBack(db: Connection, { tokens, keys, authority }: Kept): Promise<void> {
  for (const statement of [clearTokens, clearKeys, clearAuthority]) await db.rows(statement)
  await db.rows(putTokensBack, [JSON.stringify(tokens)])
  await db.rows(putKeysBack, [JSON.stringify(keys)])
  await db.rows(putAuthorityBack, [JSON.stringify(authority)])
}

/** Snapshots and forks of a sandbox: whole copies of its database. */
export function openWorlds(parts: WorldParts) {
  const { databaseUrl, database, clock, travel, flush, broadcast, open, forksMax, onError } = parts
  const copies = new Copies(databaseUrl)
  const forks = new Map<string, Fork & { close(): Promise<void>; letGo(): Promise<void> }>()
  /** Names of forks that run or are about to. */
  const made = new Set<string>()
  let tidying: Promise<unknown> = Promise.resolve()

  /** Nobody waits for this: a server that forces everything to the disk takes its time to drop a database. */
  const tidy = () => {
    tidying = tidying.then(() => copies.tidy(FORK)).catch(onError)
  }
  const allowed = <T>(work: () => Promise<T>): Promise<T> =>
    work().catch((error: { code?: string }) => {
      if (error.code === IN_USE) throw unavailable(STILL_IN_USE)
      throw NOT_ALLOWED.includes(error.code ?? '') ? mayNotCopy() : error
    })
  /** Waits until nothing is left to be written down. */
  const noted = () => tidying.then(flush)
  /**
   * Work under way comes to its end first, and what is asked for meanwhile waits. The processes that we cut off hear of us
   * again before we are done.
   */
  const copying = async <T>(work: () => Promise<T>) => {
    await noted()
    const others = await broadcast.others()
    return allowed(() => database.whileDisconnected(work)).finally(() => broadcast.tell([], others))
  }
  const list = async (): Promise<Snapshot[]> =>
    (await allowed(() => copies.list()))
      .filter(({ name }) => name.startsWith(SNAPSHOT))
      // The note was written by `save`.
      .map(({ name, note }) => ({ name: name.slice(SNAPSHOT.length), ...(JSON.parse(note) as Omit<Snapshot, 'name'>) }))
      .sort((a, b) => (a.create_time < b.create_time ? -1 : 1))
  const find = async (name: string): Promise<Snapshot> => {
    const found = (await list()).find((snapshot) => snapshot.name === name)
    if (!found) throw notFound(`The snapshot ${name}`)
    return found
  }
  const endFork = async (name: string) => {
    const fork = forks.get(name)
    if (!fork) throw notFound(`The fork ${name}`)
    forks.delete(name)
    // A fork that could not be dropped no longer counts, and goes with the next tidying.
    await fork
      .close()
      .finally(() => copies.drop(name))
      .finally(() => fork.letGo())
      .finally(() => made.delete(name))
  }

  return {
    list,

    /** Keeps the present state under a name. It takes the place of one with the same name only when `replaces` allows that. */
    save: (name: string, replaces: boolean): Promise<Snapshot> =>
      travel.alone(async () => {
        const present = await list()
        if (present.length >= SNAPSHOTS_MAX && !present.some((snapshot) => snapshot.name === name))
          throw refused('SNAPSHOT_LIMIT_EXCEEDED', `There are ${SNAPSHOTS_MAX} snapshots already; delete one first.`)
        const facts = { create_time: systemClock.now(), now: clock.now() }
        // The name is not looked up before, because another process may keep a state under it meanwhile.
        await copying(() => copies.save(`${SNAPSHOT}${name}`, JSON.stringify(facts), { replaces })).catch((error) => {
          throw (error as { code?: string }).code === TAKEN ? keptAlready() : error
        })
        return { name, ...facts }
      }),

    /** Goes back to a state that was kept: rows, clock and all. Access tokens and keys stay as they are. */
    load: (name: string): Promise<Snapshot> =>
      travel.aloneAtOnce(async () => {
        const snapshot = await find(name)
        await noted()
        const others = await broadcast.others()
        // Runs alone: whoever calls meanwhile with a token that is newer than the snapshot would be a stranger.
        const loading = database.alone(async () => {
          const keep = (await database.row<Kept>(readKept))!
          await allowed(() => database.whileDisconnected(() => copies.load(`${SNAPSHOT}${name}`)))
          // Put back as a whole, or all is as the snapshot has it: without keys, nothing that was signed would verify any more.
          await database.transaction((connection) => putBack(connection, keep))
          await clock.load()
        })
        await loading.finally(() => broadcast.tell(['access', 'clock'], others))
        tidy()
        return snapshot
      }),

    async remove(name: string): Promise<void> {
      await find(name)
      await copies.drop(`${SNAPSHOT}${name}`)
    },

    forks: (): Fork[] => [...forks.values()].map(({ name, url }) => ({ name, url })),

    /** Makes a second sandbox of the same world. What happens in one is never seen in the other. */
    async fork(): Promise<Fork> {
      if (made.size >= forksMax)
        throw refused('FORK_LIMIT_EXCEEDED', `There are ${forksMax} forks already; end one first, or set FORKS_MAX.`)
      const name = `${FORK}${randomBytes(4).toString('hex')}`
      made.add(name)
      let letGo: (() => Promise<void>) | undefined
      try {
        letGo = await allowed(() => copies.hold(name))
        const copy = await travel.alone(() => copying(() => copies.fork(name)))
        tidy()
        const { url, close } = await open(copy)
        forks.set(name, { name, url, close, letGo })
        return { name, url }
      } catch (error) {
        // A fork that could not be opened does not count, and its copy goes with the next tidying.
        made.delete(name)
        await letGo?.()
        throw error
      }
    },

    endFork,

    /** Ends the forks. Snapshots stay. */
    async close(): Promise<void> {
      const left: string[] = []
      const leave = (name: string) => (error: Error) => void left.push(`${name} (${error.message})`)
      await Promise.all([...forks.keys()].map((name) => endFork(name).catch(leave(name))))
      await tidying
      if (left.length > 0)
        throw new LeftBehind(
          `The sandbox has ended, and could not drop the database of its fork ${left.join(', ')}: it goes when a sandbox at the same database makes its next fork, or loads a snapshot.`,
        )
    },
  }
}

const keptAlready = () =>
  refused('SNAPSHOT_EXISTS', 'A state of this name is kept already: delete it first, or choose another name.', '/name')

const STILL_IN_USE =
  'Somebody stays connected to the database of the sandbox and cannot be cut off, so it cannot be copied now; try again shortly.'

/** The role may not make databases, cut others off, or enter the database from which that is done. */
const NOT_ALLOWED = ['42501', '28000', '28P01', '3D000']

const mayNotCopy = () =>
  refused(
    'COPIES_NOT_ALLOWED',
    'Snapshots and forks are databases, and the role in DATABASE_URL may not make any: give it the right (alter role … createdb), or start without DATABASE_URL.',
  )
