import { setTimeout as pause } from 'node:timers/promises'
import type { Connection, Database } from '../database/open.ts'
import { sql, unprepared } from '../database/sql.ts'
import type { Instant } from '../kernel/clock.ts'
import { FILES_PAGE, removeSome } from './rows.ts'
import type { MovedTable, MovedTables } from './tables.ts'

export type MoveState = 'COPYING' | 'DRAINING' | 'MOVED' | 'GONE'

export interface StoredMove {
  readonly account_id: string
  readonly move_id: string
  readonly state: MoveState
  /** The identity of the database it is on its way to. Null when an earlier version of Quittance began the move. */
  readonly target: string | null
}

interface Going {
  readonly home: string | null
  readonly target: string
  readonly now: Instant
}

/** Some changes of one table, ordered by when each row last changed. */
export interface Changes {
  readonly table: string
  readonly keys: string
  readonly count: number
}

const CHANGES_MAX = 1_000
const TRIES_MAX = 100
const TRY_AGAIN_MS = 50
const LOCK_TIMEOUT = '55P03'

const movesOf = sql`select account_id, move_id, state, target from account_moves where account_id = any($1::text[])`
const insertMoves = sql`
  insert into account_moves (account_id, move_id, state, home, target, create_time)
  select id, $2, 'COPYING', $3, $4, $5 from unnest($1::text[]) as id on conflict (account_id) do nothing`
const setState = sql`update account_moves set state = $2 where account_id = any($1::text[])`
/** Accounts that have left are not changed, whether or not the caller knows that they have. */
const goOn = sql`update account_moves set state = 'COPYING' where account_id = any($1::text[]) and state = 'DRAINING'`
export const takesRows = sql`select set_config('quittance.moves', 'on', true)`
/** Removes what accounts of other cells heard of the accounts here. They hear the rest where these accounts went. */
const forgetHeard = sql`
  with gone as (
    delete from deliveries where event_account_id = any($1::text[]) and account_id <> all($1::text[]) returning account_id, id),
  attempts as (
    delete from delivery_attempts a using gone g where a.account_id = g.account_id and a.delivery_id = g.id)
  delete from event_audience where event_account_id = any($1::text[]) and account_id <> all($1::text[])`
/** Tells the other cells who came and who went, if there is a directory. */
export const renewDirectory = sql`select directory_renew($1::text[])`
const atOneInstant = unprepared('set transaction isolation level repeatable read')
/** The transaction waits while the other database works, so it must not be ended for being idle. */
const unhurried = sql`select set_config('idle_in_transaction_session_timeout', '0', true)`
const shortLocks = sql`select set_config('lock_timeout', '500', true)`
const stopWriters = sql`select pg_advisory_xact_lock(7231, hashtext(id)) from unnest($1::text[]) as id order by id`
const someChanges = sql`
  with weighed as (
    select seq, table_name, key, sum(case when table_name = any($3::text[]) then $4::int else 1 end) over (order by seq) as weight
    from (select * from account_move_changes where account_id = any($1::text[]) order by seq limit $2::int) changes),
  noted as (select * from weighed where weight <= $2::int),
  last as (select table_name, key::text as key, max(seq) as seq from noted group by table_name, key::text)
  select table_name as table, json_agg(key::json order by seq)::text as keys, count(*)::int as count,
    (select array_agg(seq) from noted) as seqs, (select max(weight)::int from noted) as weight from last group by table_name`
const forgetChanges = sql`delete from account_move_changes where account_id = any($1::text[]) and seq = any($2::bigint[])`
const heldWork = sql`
  select (select count(*) from jobs where account_id = any($1::text[]) and lease_until > clock_timestamp())::int
    + (select count(*) from delivery_queue where account_id = any($1::text[]) and lease_until > clock_timestamp())::int
    + (select count(*) from delivery_queue where event_account_id = any($1::text[]) and account_id <> all($1::text[]))::int as held`
const forwardPages = sql`
  insert into account_forwards (kind, key, account_id)
  select 'invoice', id, account_id from invoices where account_id = any($1::text[]) on conflict do nothing`
/** This is one statement, so that writers wait no longer than it takes. */
const leave = sql`
  with forwarded as (
    insert into account_forwards (kind, key, account_id)
    select 'client', client_id, account_id from apps where account_id = any($1::text[])
    union all
    select 'token', encode(digest, 'hex'), a.account_id from tokens t join apps a on a.id = t.app_id
    where a.account_id = any($1::text[])
    on conflict do nothing),
  due as (delete from jobs where account_id = any($1::text[])),
  queued as (delete from delivery_queue where account_id = any($1::text[])),
  secrets as (delete from app_secrets where app_id in (select id from apps where account_id = any($1::text[]))),
  opened as (delete from tokens where app_id in (select id from apps where account_id = any($1::text[]))),
  moved as (update account_moves set state = 'MOVED' where account_id = any($1::text[]))
  select pg_notify('quittance', 'access')`
const triggersOf = sql`
  select c.relname || ' ' || substr(t.tgname, length($1) + 1) as place from pg_trigger t join pg_class c on c.oid = t.tgrelid
  where starts_with(t.tgname, $1) and t.tgparentid = 0`
const forgetMoves = sql`delete from account_moves where account_id = any($1::text[])`
const tellOfWork = sql`select pg_notify('quittance', topic) from unnest(array['jobs', 'deliveries']) as topic`
const forgetAllChanges = sql`delete from account_move_changes where account_id = any($1::text[])`

/** The database that accounts leave. */
export class Source {
  readonly db: Database
  readonly #tables: MovedTables
  readonly #ids: readonly string[]

  constructor(db: Database, tables: MovedTables, ids: readonly string[]) {
    this.db = db
    this.#tables = tables
    this.#ids = ids
  }

  moves(): Promise<StoredMove[]> {
    return this.db.rows<StoredMove>(movesOf, [this.#ids])
  }

  /**
   * From here on every change is noted. Returns whether all changes since an earlier call were noted, too: a source that was
   * restored has lost its triggers.
   */
  async begin(moveId: string, { home, target, now }: Going): Promise<boolean> {
    await this.db.rows(insertMoves, [this.#ids, moveId, home, target, now])
    const rows = await this.db.rows<{ place: string }>(triggersOf, [`move_${moveId}_`])
    const there = new Set(rows.map(({ place }) => place))
    const wanted = [...this.#all().flatMap((table) => this.#notes(table)), ...this.#refusals()]
    const missing = wanted.filter(({ table, kind }) => !there.has(`${table} ${kind}`))
    for (const { kind, text } of missing)
      await this.#define(`create or replace trigger ${triggerOf(moveId, kind)} ${text}`)
    return missing.length === 0
  }

  /** From here on, no work of the accounts is begun in the background. Requests are answered as before. */
  async drain(): Promise<void> {
    await this.db.rows(setState, [this.#ids, 'DRAINING'])
  }

  /** Lets the background work of the accounts begin again. */
  async resume(): Promise<void> {
    await this.db.rows(goOn, [this.#ids])
    await this.db.rows(tellOfWork)
  }

  async hasWorkUnderWay(db: Connection = this.db): Promise<boolean> {
    const [row] = await db.rows<{ held: number }>(heldWork, [this.#ids])
    return row!.held > 0
  }

  /** Some of the changes that were noted, and how much they are. `done` forgets them. */
  async changes(db: Connection = this.db): Promise<{ changes: Changes[]; weight: number; done(): Promise<void> }> {
    const changes = await db.rows<Changes & { seqs: bigint[]; weight: number }>(someChanges, [
      this.#ids,
      CHANGES_MAX,
      this.#tables.copied.filter(({ files }) => files).map(({ name }) => name),
      CHANGES_MAX / FILES_PAGE,
    ])
    const seqs = changes[0]?.seqs ?? []
    return {
      changes,
      weight: changes[0]?.weight ?? 0,
      done: async () => void (await db.rows(forgetChanges, [this.#ids, seqs.map(String)])),
    }
  }

  /** Runs the work on everything as of one instant, while writers go on. */
  atOneInstant<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.db.transaction(async (db) => {
      await db.rows(atOneInstant)
      await db.rows(unhurried)
      return work(db)
    })
  }

  /**
   * Runs the work while no writer of the accounts can commit. If the work returns true, the accounts have left when this comes
   * back: nothing is due here any more, nobody gets in, and writers that waited are refused.
   */
  stopped(work: (db: Connection) => Promise<boolean>): Promise<boolean> {
    return this.db.transaction(async (db) => {
      await db.rows(shortLocks)
      await db.rows(stopWriters, [this.#ids])
      const leaves = await work(db)
      if (!leaves) return false
      await db.rows(takesRows)
      await db.rows(leave, [this.#ids])
      return true
    })
  }

  /** Removes what the accounts left behind. */
  async clean(moveId: string): Promise<void> {
    await this.db.rows(forwardPages, [this.#ids])
    for (const table of [...this.#tables.copied].reverse())
      for (const id of this.#ids) while ((await this.#moving((db) => removeSome(db, table, id))) > 0);
    await this.#noteNothing(moveId)
    await this.#moving(async (db) => {
      await db.rows(forgetHeard, [this.#ids])
      await db.rows(renewDirectory, [this.#ids])
    })
    await this.db.rows(setState, [this.#ids, 'GONE'])
  }

  /** The accounts stay: there has been no move. */
  async stay(moveId: string): Promise<void> {
    await this.#noteNothing(moveId)
    await this.db.rows(forgetMoves, [this.#ids])
  }

  async #noteNothing(moveId: string): Promise<void> {
    for (const { place } of await this.db.rows<{ place: string }>(triggersOf, [`move_${moveId}_`])) {
      const [table, kind] = place.split(' ') as [string, Trigger['kind']]
      await this.#define(`drop trigger if exists ${triggerOf(moveId, kind)} on "${table}"`)
    }
    await this.db.rows(forgetAllChanges, [this.#ids])
  }

  #moving<T>(work: (db: Connection) => Promise<T>): Promise<T> {
    return this.db.transaction(async (db) => {
      await db.rows(takesRows)
      return work(db)
    })
  }

  #all(): MovedTable[] {
    return [...this.#tables.copied, ...this.#tables.heldBack]
  }

  /** The triggers that note every change of a row, and refuse it when the account has left. */
  #notes({ name, owner, key }: MovedTable): Trigger[] {
    const words = [owner, ...key.map((column) => column.name)].map((word) => `'${word}'`).join(', ')
    const note = (kind: 'change' | 'removal', when: string, row: string) => ({
      table: name,
      kind,
      text: `after ${when} on "${name}" for each row when (${row}."${owner}" in (${this.#list()}))
        execute function account_moving(${words})`,
    })
    return [note('change', 'insert or update', 'new'), note('removal', 'delete', 'old')]
  }

  /** The triggers that keep workers from taking up anything once the account drains. */
  #refusals(): Trigger[] {
    const refuse = (table: string, mark: string): Trigger => ({
      table,
      kind: 'claim',
      text: `before update on ${table} for each row
        when (old.account_id in (${this.#list()}) and new.${mark} is distinct from old.${mark} and new.lease_until is not null)
        execute function account_draining()`,
    })
    return [refuse('jobs', 'fence'), refuse('delivery_queue', 'claim')]
  }

  /** Waits for the table's writers only a moment at a time, so that others never queue behind us for long. */
  async #define(text: string): Promise<void> {
    for (let i = 1; ; i++)
      try {
        await this.db.transaction(async (db) => {
          await db.rows(shortLocks)
          await db.rows(unprepared(text))
        })
        return
      } catch (error) {
        if ((error as { code?: string }).code !== LOCK_TIMEOUT || i === TRIES_MAX) throw error
        await pause(TRY_AGAIN_MS)
      }
  }

  #list(): string {
    return this.#ids.map((id) => `'${id}'`).join(', ')
  }
}

interface Trigger {
  readonly table: string
  readonly kind: 'change' | 'removal' | 'claim'
  readonly text: string
}

const triggerOf = (moveId: string, kind: Trigger['kind']) => `move_${moveId}_${kind}`
