import { createHash, randomBytes } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import type pg from 'pg'
import { addressOf, databaseIn, inDatabase } from './address.ts'
import { Connector } from './connector.ts'
import { asFault } from './errors.ts'

/** A database that was put aside, with what is noted of it. */
export interface Copy {
  readonly name: string
  readonly note: string
}

/** What copies belong to: `quittance_copy_1f0c…_<name>` are the copies of one database among all that its server has. */
const PREFIX = 'quittance_copy'
const OLD = 'old'
/**
 * How long to wait for sessions to end. PostgreSQL itself waits five seconds; on a busy machine one that was cut off may
 * take longer.
 */
const SESSIONS_MS_MAX = 15_000
const POLL_MS = 20
/** PostgreSQL's code for: somebody is connected. */
export const IN_USE = '55006'
/** PostgreSQL's code for: there is a database of that name. */
export const TAKEN = '42P04'

const ownerOf = (database: string) =>
  `${PREFIX}_${createHash('sha256').update(database).digest('hex').slice(0, 16)}` as const
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const renaming = (from: string, to: string) => `alter database ${quoted(from)} rename to ${quoted(to)};`
/** Lets nobody connect. */
const CLOSED = 'allow_connections false'
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

const cutOff = 'select pg_terminate_backend(pid) from pg_stat_activity where datname = $1'
/**
 * A lock held by whoever makes a copy or runs on one, as long as they live. So nobody takes the copy for one that was left
 * behind.
 */
const hold = 'select pg_advisory_lock(hashtextextended($1, 0))'
const isFree = 'select pg_try_advisory_lock(hashtextextended($1, 0)) as free'

/**
 * Makes a whole copy of a database. Cuts off whoever is connected to it; with a second client, also those who come back
 * meanwhile.
 */
export async function copyDatabase(
  client: pg.Client,
  from: string,
  to: string,
  { cutter, options = '' }: { cutter?: pg.Client; options?: string } = {},
): Promise<void> {
  const copy = `create database ${quoted(to)} template ${quoted(from)} ${options}`
  await alone(client, from, () => client.query(copy), cutter)
}

/**
 * Runs the work after cutting off whoever is connected, and with `cutter` goes on cutting while the work waits for them to
 * go. The work itself lets nobody else in, but somebody who was cut off may be back before it begins.
 */
async function alone<T>(client: pg.Client, database: string, work: () => Promise<T>, cutter?: pg.Client): Promise<T> {
  const deadline = performance.now() + SESSIONS_MS_MAX
  for (;;) {
    await client.query(cutOff, [database])
    const done = new AbortController()
    const working = work().finally(() => done.abort())
    const [result] = await Promise.allSettled([working, cutter && goOnCutting(cutter, database, done.signal)])
    if (result.status === 'fulfilled') return result.value
    if ((result.reason as { code?: string }).code !== IN_USE || performance.now() > deadline) throw result.reason
  }
}

async function goOnCutting(cutter: pg.Client, database: string, until: AbortSignal): Promise<void> {
  for (;;) {
    await pause(POLL_MS)
    if (until.aborted) return
    await cutter.query(cutOff, [database])
  }
}

/** A server that ends our connection counts as away. Otherwise the error would be taken for one of the client of a request. */
const away = (error: Error) => Promise.reject(asFault(error))

/**
 * Whole copies of a database, made by the server from its files, so their cost does not depend on the number of rows. Nobody
 * may be connected to what is copied: the caller has let go of it, and whoever else is there is cut off.
 */
export class Copies {
  readonly #url: string
  readonly #database: string
  readonly #owner: string

  constructor(url: string) {
    this.#url = url
    this.#database = databaseIn(url)
    this.#owner = ownerOf(this.#database)
  }

  /**
   * Copies the database as it is now, under a name of up to 24 letters, digits and underscores. Takes the place of an
   * earlier copy of this name; with `replaces` false, the name is refused as taken.
   */
  save(name: string, note: string, { replaces }: { replaces: boolean }): Promise<void> {
    return this.#connected(async (client) => {
      const copy = this.#nameOf(name)
      const fresh = await this.#newName(client)
      // Nobody connects to a copy, so it can be copied at any time.
      await this.#copy(client, this.#database, fresh, CLOSED)
      await client.query(`comment on database ${quoted(fresh)} is ${literal(note)}`)
      const { rowCount } = await client.query('select from pg_database where datname = $1', [copy])
      const old = this.#nameOf(`${OLD}_${randomBytes(4).toString('hex')}`)
      // The earlier copy is dropped when the new one has taken its place, which takes only a renaming.
      const makeRoom = rowCount === 0 || !replaces ? '' : renaming(copy, old)
      await client.query(`${makeRoom} ${renaming(fresh, copy)}`).catch(async (error) => {
        await client.query(`drop database ${quoted(fresh)}`)
        throw error
      })
      await client.query(`drop database if exists ${quoted(old)}`)
    })
  }

  /** Makes the copy the database; what was the database so far is left for `tidy`. */
  load(name: string): Promise<void> {
    return this.#connected(async (client) => {
      const fresh = await this.#newName(client)
      const old = this.#nameOf(`${OLD}_${randomBytes(4).toString('hex')}`)
      // The fresh copy is closed: a program that connects to every database there is would be in the way.
      await this.#copy(client, this.#nameOf(name), fresh, CLOSED)
      const inPlace = `${renaming(this.#database, old)} ${renaming(fresh, this.#database)} alter database ${quoted(this.#database)} allow_connections true;`
      // Both renamings are one transaction. If we were cut off in between, there would be no database.
      await this.#connected((cutter) => alone(client, this.#database, () => client.query(inPlace), cutter))
    })
  }

  /** Keeps the copy of this name from being tidied away, whether it exists yet or not, until the returned function is called. */
  async hold(name: string): Promise<() => Promise<void>> {
    const client = await this.#connect()
    await client.query(hold, [this.#nameOf(name)])
    return () => client.end()
  }

  /** Makes a second database like this one. Gives its address. */
  async fork(name: string): Promise<string> {
    await this.#connected((client) => this.#copy(client, this.#database, this.#nameOf(name)))
    return inDatabase(this.#url, this.#nameOf(name))
  }

  list(): Promise<Copy[]> {
    return this.#connected(async (client) => {
      const { rows } = await client.query<Copy>(
        `select substring(datname from length($1) + 2) as name, coalesce(shobj_description(oid, 'pg_database'), '') as note
         from pg_database where starts_with(datname, $1 || '_') order by datname`,
        [this.#owner],
      )
      return rows.filter(({ name }) => !name.startsWith(`${OLD}_`))
    })
  }

  drop(name: string): Promise<void> {
    return this.#connected(
      async (client) => void (await client.query(`drop database if exists ${quoted(this.#nameOf(name))} with (force)`)),
    )
  }

  /**
   * Drops what was replaced, and copies whose names begin so and that nobody is connected to. Leaves copies that somebody
   * holds.
   */
  tidy(beginning: string): Promise<void> {
    return this.#connected(async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select datname as name from pg_database where starts_with(datname, $1) or starts_with(datname, $2)
           and not exists (select from pg_stat_activity where pg_stat_activity.datname = pg_database.datname)`,
        [this.#nameOf(`${OLD}_`), this.#nameOf(beginning)],
      )
      for (const { name } of rows) {
        const held = await client.query<{ free: boolean }>(isFree, [name])
        if (held.rows[0]!.free) await client.query(`drop database if exists ${quoted(name)} with (force)`)
      }
    })
  }

  /** A new name for what is being made. Nobody tidies it away while this client is connected. */
  async #newName(client: pg.Client): Promise<string> {
    const name = this.#nameOf(`${OLD}_${randomBytes(4).toString('hex')}`)
    await client.query(hold, [name])
    return name
  }

  #copy(client: pg.Client, from: string, to: string, options = ''): Promise<void> {
    return this.#connected((cutter) => copyDatabase(client, from, to, { cutter, options }))
  }

  #nameOf(name: string): string {
    return `${this.#owner}_${name}`
  }

  /** Connects to another database of the same server, because the current one cannot be copied from within. */
  #connect(): Promise<pg.Client> {
    const elsewhere = this.#database === 'postgres' ? 'template1' : 'postgres'
    const address = addressOf(inDatabase(this.#url, elsewhere))
    return new Connector(address, { application_name: 'quittance copies' }).connect().catch(away)
  }

  async #connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const client = await this.#connect()
    try {
      return await work(client).catch(away)
    } finally {
      await client.end()
    }
  }
}
