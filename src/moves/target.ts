import { identityOf } from '../database/identity.ts'
import type { Connection, Database } from '../database/open.ts'
import { Partitions } from '../database/partitions.ts'
import { sql, statementOf } from '../database/sql.ts'
import type { Instant } from '../kernel/clock.ts'
import { countRows, moveCounter, putRows, type Rows, removeMissing, removeSome } from './rows.ts'
import { renewDirectory, takesRows } from './source.ts'
import { doors, type MovedTable, type MovedTables } from './tables.ts'

export interface Arrival {
  readonly account_id: string
  readonly move_id: string
  readonly state: 'ARRIVING' | 'HERE'
  readonly progress: Readonly<Record<string, unknown>>
}

const arrivalsOf = sql`select account_id, move_id, state, progress from account_arrivals where account_id = any($1::text[])`
const insertArrivals = sql`
  insert into account_arrivals (account_id, move_id, state, create_time)
  select id, $2, 'ARRIVING', $3 from unnest($1::text[]) as id on conflict (account_id) do nothing`
/** An account that left and now comes back is still recorded here as having left, and as having arrived before. */
const forgetLeaving = [
  sql`delete from account_moves where account_id = any($1::text[]) and state = 'GONE'`,
  sql`delete from account_forwards where account_id = any($1::text[])`,
  sql`delete from account_arrivals where account_id = any($1::text[]) and state = 'HERE'`,
]
const leaving = sql`select account_id from account_moves where account_id = any($1::text[]) and state <> 'GONE' limit 1`
const noteProgress = sql`
  update account_arrivals set progress = jsonb_set(progress, array[$2], $3::jsonb) where account_id = $1`
const holdBack = sql`
  insert into account_arrival_rows (account_id, table_name, rows)
  select $1, held.name, held.rows::json from unnest($2::text[], $3::text[]) as held (name, rows)
  on conflict (account_id, table_name) do update set rows = excluded.rows`
const heldRows = sql`select table_name, rows::text as rows from account_arrival_rows where account_id = $1`
const dropHeld = sql`delete from account_arrival_rows where account_id = $1`
const putAccount = sql`
  update accounts set body = r.body from json_populate_recordset(null::accounts, $2::json) r where accounts.id = $1`
const putDoors = new Map(
  doors.map((name) => [
    name as string,
    statementOf(
      `insert into ${name} select r.* from json_populate_recordset(null::${name}, $1::json) r on conflict do nothing`,
    ),
  ]),
)
const putKeys = sql`
  insert into signing_keys (id, sealed, certificate, current, create_time, withdraw_time)
  select id, sealed, certificate, false, create_time, withdraw_time from json_populate_recordset(null::signing_keys, $1::json)
  on conflict do nothing`
const knownElsewhere = sql`select from directory where kind = 'account' and key = $1 and cell <> (select cell from deployment)`
/** Takes in an account that was known here from another cell, or gives it back when it does not come after all. */
const takeIn = sql`
  update accounts set cell = null, body = jsonb_set(body, '{status}', '"SUSPENDED"') where id = any($1::text[]) and cell is not null`
const giveBack = sql`
  update accounts set cell = d.cell from directory d, deployment h
  where id = $1 and d.kind = 'account' and d.key = id and d.cell <> h.cell`
const dropTokens = sql`delete from tokens where app_id in (select id from apps where account_id = $1)`
const dropArrival = sql`delete from account_arrivals where account_id = $1`
const setHere = sql`update account_arrivals set state = 'HERE' where account_id = $1`
const tell = sql`select pg_notify('quittance', topic) from unnest(array['access', 'jobs', 'deliveries']) as topic`

/** Each try may add one day's partition, and nobody keeps events for this many days. */
const TRIES_MAX = 1_000

/** What was changed at the source, and how it is there now. */
export interface Changed {
  readonly table: MovedTable
  readonly keys: string
  readonly count: number
  readonly found: Rows
}

/** The database that accounts come to. */
export class Target {
  readonly db: Database
  readonly #tables: MovedTables
  readonly #ids: readonly string[]
  readonly #partitions: Partitions

  constructor(db: Database, tables: MovedTables, ids: readonly string[]) {
    this.db = db
    this.#tables = tables
    this.#ids = ids
    this.#partitions = new Partitions(db)
  }

  arrivals(): Promise<Arrival[]> {
    return this.db.rows<Arrival>(arrivalsOf, [this.#ids])
  }

  async identity(): Promise<string> {
    const [row] = await this.db.rows<{ identity: string }>(identityOf)
    return row!.identity
  }

  /** One of the accounts that was here before and whose rows are not all removed yet. */
  async leaving(): Promise<string | undefined> {
    const [row] = await this.db.rows<{ account_id: string }>(leaving, [this.#ids])
    return row?.account_id
  }

  async expect(moveId: string, signingKeys: string, now: Instant): Promise<Arrival[]> {
    await this.db.transaction(async (db) => {
      for (const statement of forgetLeaving) await db.rows(statement, [this.#ids])
      await db.rows(takesRows)
      await db.rows(takeIn, [this.#ids])
      await db.rows(insertArrivals, [this.#ids, moveId, now])
      // What the source signed stays signed, and must still be verifiable here.
      await db.rows(putKeys, [signingKeys])
    })
    return this.arrivals()
  }

  /** Writes some rows together with how far the copying has come. */
  async put(arrival: Arrival, table: MovedTable, page: Rows, progress: unknown): Promise<void> {
    await this.#moving(async (db) => {
      // Apps of another cell may be known here already, so they are replaced.
      await putRows(db, table, page, table.name === 'apps')
      await db.rows(noteProgress, [arrival.account_id, table.name, JSON.stringify(progress)])
    })
  }

  /**
   * Rows that are gone are removed first, from the last table to the first. Then the rows that are there are put in from the
   * first table to the last. So no row ever refers to one that is missing.
   */
  async follow(changed: readonly Changed[]): Promise<void> {
    const order = this.#tables.copied.map(({ name }) => name)
    const sorted = [...changed].sort((a, b) => order.indexOf(a.table.name) - order.indexOf(b.table.name))
    await this.#moving(async (db) => {
      for (const { table, keys, count, found } of [...sorted].reverse())
        if (found.count < count) await removeMissing(db, table, keys, found)
      for (const { table, found } of sorted) if (found.count > 0) await putRows(db, table, found, true)
    })
  }

  /** Keeps rows aside that nobody may find before their account is here. */
  async holdBack(accountId: string, rows: ReadonlyMap<string, string>): Promise<void> {
    await this.db.rows(holdBack, [accountId, [...rows.keys()], [...rows.values()]])
  }

  count(tables: readonly MovedTable[], accountId: string): Promise<ReadonlyMap<string, number>> {
    return countRows(this.db, tables, accountId)
  }

  /** Lets the accounts in: from now on they may be called, and what is due is done. */
  async welcome(): Promise<void> {
    await this.#moving(async (db) => {
      for (const arrival of await db.rows<Arrival>(arrivalsOf, [this.#ids]))
        if (arrival.state === 'ARRIVING') await this.#take(db, arrival)
      await db.rows(tell)
    })
  }

  /** Removes what came with moves that were given up. Their accounts stayed where they were. */
  async forget(isGivenUp: (moveId: string) => boolean): Promise<void> {
    const arriving = (await this.arrivals()).filter(({ move_id, state }) => isGivenUp(move_id) && state === 'ARRIVING')
    for (const { account_id: id } of arriving) {
      const known = (await this.db.rows(knownElsewhere, [id])).length > 0
      // Others here may refer to an account, and to its apps, that they know from another cell. So these rows stay.
      for (const table of [...this.#tables.copied].reverse())
        if (!known || (table.name !== 'accounts' && table.name !== 'apps'))
          while ((await this.#moving((db) => removeSome(db, table, id))) > 0);
      await this.#moving(async (db) => {
        await db.rows(giveBack, [id])
        await db.rows(renewDirectory, [[id]])
        await db.rows(dropHeld, [id])
        await db.rows(dropArrival, [id])
      })
    }
  }

  async #take(db: Connection, { account_id: id }: Arrival): Promise<void> {
    const held = new Map(
      (await db.rows<{ table_name: string; rows: string }>(heldRows, [id])).map((row) => [row.table_name, row.rows]),
    )
    for (const table of this.#tables.copied) await moveCounter(db, table, id)
    for (const table of this.#tables.heldBack) await putRows(db, table, { rows: held.get(table.name) ?? '[]' }, false)
    await db.rows(dropTokens, [id])
    for (const [name, statement] of putDoors) await db.rows(statement, [held.get(name) ?? '[]'])
    await db.rows(putAccount, [id, held.get('accounts')])
    await db.rows(dropHeld, [id])
    await db.rows(setHere, [id])
    await db.rows(renewDirectory, [[id]])
  }

  /** Runs the work. When a partition is missing, it makes that and tries again: the source may have days that are new here. */
  async #moving<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    for (let tries = 1; ; tries++)
      try {
        return await this.db.transaction(async (db) => {
          await db.rows(takesRows)
          return work(db)
        })
      } catch (error) {
        if (tries === TRIES_MAX || !(await this.#partitions.mend(error))) throw error
      }
  }
}
