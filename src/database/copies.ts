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

/** What belongs to one database among all of its server: `quittance_copy_1f0c…_<name>` are its copies. */
const PREFIX = 'quittance_copy'
const OLD = 'old'
/**
 * PostgreSQL itself waits five seconds for a session that came in between, and then it has to be cut off and tried again: on a
 * busy machine, where whoever was cut off is back before the copy begins, several times.
 */
const SESSIONS_MS_MAX = 60_000
const POLL_MS = 20
/** Somebody is connected. */
const IN_USE = '55006'

const ownerOf = (database: string) =>
  `${PREFIX}_${createHash('sha256').update(database).digest('hex').slice(0, 16)}` as const
const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`
const renaming = (from: string, to: string) => `alter database ${quoted(from)} rename to ${quoted(to)};`
/** Nobody can connect. */
const CLOSED = 'allow_connections false'
const literal = (text: string) => `'${text.replaceAll("'", "''")}'`

/** Copies a database whole, and cuts off whoever is connected to it. */
export async function copyDatabase(client: pg.Client, from: string, to: string, options = ''): Promise<void> {
  await alone(client, from, () => client.query(`create database ${quoted(to)} template ${quoted(from)} ${options}`))
}

/** Cuts off whoever is connected, as often as somebody comes back in between. */
async function alone<T>(client: pg.Client, database: string, work: () => Promise<T>): Promise<T> {
  const deadline = performance.now() + SESSIONS_MS_MAX
  for (;;) {
    await client.query('select pg_terminate_backend(pid, 1000) from pg_stat_activity where datname = $1', [database])
    try {
      return await work()
    } catch (error) {
      if ((error as { code?: string }).code !== IN_USE || performance.now() > deadline) throw error
      await pause(POLL_MS)
    }
  }
}

/**
 * Whole copies of a database, made by the server from its files: they cost the same however many rows there are of
 * what. Nobody may be connected to what is copied, so the caller has let go of it; whoever else is there is cut off.
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

  /** Copies the database as it is now under a name of up to 24 letters, digits and underscores, in place of an earlier one. */
  save(name: string, note: string): Promise<void> {
    return this.#connected(async (client) => {
      const copy = this.#nameOf(name)
      const fresh = this.#nameOf(`${OLD}_${randomBytes(4).toString('hex')}`)
      // Nobody connects to a copy, so it can be copied at any time.
      await copyDatabase(client, this.#database, fresh, CLOSED)
      await client.query(`comment on database ${quoted(fresh)} is ${literal(note)}`)
      const { rowCount } = await client.query('select from pg_database where datname = $1', [copy])
      const old = this.#nameOf(`${OLD}_${randomBytes(4).toString('hex')}`)
      // The earlier one goes when the new one stands in its place, which it takes at once.
      const makeRoom = rowCount === 0 ? '' : renaming(copy, old)
      await client.query(`${makeRoom} ${renaming(fresh, copy)}`)
      await client.query(`drop database if exists ${quoted(old)}`)
    })
  }

  /** Makes the copy the database, and drops what was the database so far. */
  load(name: string): Promise<void> {
    return this.#connected(async (client) => {
      const fresh = this.#nameOf(`${OLD}_${randomBytes(4).toString('hex')}`)
      const old = this.#nameOf(`${OLD}_${randomBytes(4).toString('hex')}`)
      // Whoever looks into every database there is would be in the way.
      await copyDatabase(client, this.#nameOf(name), fresh, CLOSED)
      // In one transaction: cut off in between, we would be left without a database.
      await alone(client, this.#database, () =>
        client.query(
          `${renaming(this.#database, old)} ${renaming(fresh, this.#database)} alter database ${quoted(this.#database)} allow_connections true;`,
        ),
      )
    })
  }

  /** A second database like this one; its address. */
  async fork(name: string): Promise<string> {
    await this.#connected((client) => copyDatabase(client, this.#database, this.#nameOf(name)))
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

  /** Drops what was replaced, and copies with this beginning that nobody is connected to, but for some. */
  tidy(beginning: string, except: readonly string[]): Promise<void> {
    return this.#connected(async (client) => {
      const { rows } = await client.query<{ name: string }>(
        `select datname as name from pg_database where starts_with(datname, $1) or starts_with(datname, $2)
           and datname <> all($3) and not exists (select from pg_stat_activity where pg_stat_activity.datname = pg_database.datname)`,
        [this.#nameOf(`${OLD}_`), this.#nameOf(beginning), except.map((name) => this.#nameOf(name))],
      )
      for (const { name } of rows) await client.query(`drop database if exists ${quoted(name)} with (force)`)
    })
  }

  #nameOf(name: string): string {
    return `${this.#owner}_${name}`
  }

  /** From another database of the same server: the one at hand cannot be copied from within. */
  async #connected<T>(work: (client: pg.Client) => Promise<T>): Promise<T> {
    const elsewhere = this.#database === 'postgres' ? 'template1' : 'postgres'
    const address = addressOf(inDatabase(this.#url, elsewhere))
    // A server that hangs up is away; without that it would be said of the client of a request.
    const away = (error: Error) => Promise.reject(asFault(error))
    const client = await new Connector(address, { application_name: 'quittance copies' }).connect().catch(away)
    try {
      return await work(client).catch(away)
    } finally {
      await client.end()
    }
  }
}
