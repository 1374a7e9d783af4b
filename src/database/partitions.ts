import pg from 'pg'
import { after, type Instant, toInstant } from '../kernel/clock.ts'
import { dayInId, dayOf, firstDeliveryId, firstEventId } from '../kernel/dated.ts'
import { MIGRATION_LOCK } from './migrate.ts'
import type { Connection, Database } from './open.ts'
import { type Statement, sql, statementOf, unprepared } from './sql.ts'

const DAY_SECONDS = 86_400
/** So many days ahead there is a place for what will be written. */
const DAYS_AHEAD = 7
/** Whoever writes waits behind us for no longer than this at a time. */
const LOCK_TIMEOUT_MS = 250

/** What one partition holds: a day, or a month. Periods are numbered. */
interface Calendar {
  of(instant: Instant): number
  /** When it begins. */
  start(period: number): Instant
  /** How its partitions are named after it: `20261116`. */
  suffix(period: number): string
}

const days: Calendar = {
  of: dayOf,
  start: (day) => toInstant(new Date(day * DAY_SECONDS * 1000)),
  suffix: (day) => days.start(day).slice(0, 10).replaceAll('-', ''),
}
const months: Calendar = {
  of: (instant) => Number(instant.slice(0, 4)) * 12 + Number(instant.slice(5, 7)) - 1,
  start: (month) => toInstant(new Date(Date.UTC(Math.floor(month / 12), month % 12, 1))),
  suffix: (month) => months.start(month).slice(0, 7).replace('-', ''),
}

/** A table that can be kept in partitions, and what decides in which of them a row is. */
export interface PartitionedTable {
  readonly name: string
  readonly column: string
  readonly calendar: Calendar
  /** The least value of a period; without one, of all that have a period at all. */
  from(period?: number): string
  /** The period of a value. */
  periodOf(value: string): number | undefined
  /** Where the key lacks the column: with it, which changes nothing about what is refused. */
  readonly primaryKey?: string
  /** Only there to find what is old, which nobody does in a partition. */
  readonly sweptBy?: string
}

const byEvent = { calendar: days, from: firstEventId, periodOf: dayInId }
const byDelivery = { calendar: days, from: firstDeliveryId, periodOf: dayInId }

/**
 * An event, who heard of it, how it was sent and what came of it are all in the partitions of the day that the event was made.
 * The audit log is kept for so long that it has one for each month. The events come last: ids get a day once they have one.
 */
export const partitionedTables: readonly PartitionedTable[] = [
  {
    name: 'audit_log',
    column: 'create_time',
    calendar: months,
    from: (month) => months.start(month ?? 0),
    periodOf: (value) => months.of(value as Instant),
  },
  { name: 'delivery_attempts', column: 'delivery_id', ...byDelivery },
  { name: 'deliveries', column: 'id', ...byDelivery },
  {
    name: 'event_ids',
    column: 'event_id',
    ...byEvent,
    primaryKey: 'account_id, mentioned_id, seq, event_id',
    sweptBy: 'event_ids_by_time',
  },
  { name: 'event_audience', column: 'event_id', ...byEvent },
  { name: 'events', column: 'id', ...byEvent, sweptBy: 'events_by_time' },
]

const names = partitionedTables.map(({ name }) => name)
export const partitionOf = ({ name, calendar }: PartitionedTable, period: number): string =>
  `${name}_${calendar.suffix(period)}`
/** Where what has no period is: all there was before, and whatever came from elsewhere. */
export const undated = (name: string): string => `${name}_undated`

const stored = sql`
  select p.relname::text as table, array(select c.relname::text from pg_inherits i join pg_class c on c.oid = i.inhrelid
      where i.inhparent = p.oid order by c.relname) as partitions
  from pg_class p where p.oid = any(array(select to_regclass(name) from unnest($1::text[]) as name)::oid[]) and p.relkind = 'p'`

/** The partitions that there are, by table; a table that has none is not in it. */
export async function readPartitions(db: Connection): Promise<ReadonlyMap<string, readonly string[]>> {
  const rows = await db.rows<{ table: string; partitions: string[] }>(stored, [names])
  return new Map(rows.map(({ table, partitions }) => [table, partitions]))
}

/** Makes one partition, empty. Nobody who reads or writes the table is held up. */
export const makePartition = (table: PartitionedTable, period: number): string => `
  create table ${partitionOf(table, period)} (
    like ${table.name} including defaults including constraints including storage including compression);
  alter table ${table.name} attach partition ${partitionOf(table, period)}
    for values from ('${table.from(period)}') to ('${table.from(period + 1)}')`

const takeTurn = sql`select pg_advisory_xact_lock(7232)`
const shortLocks = statementOf(`select set_config('lock_timeout', '${LOCK_TIMEOUT_MS}', true)`)
const stillQueued = sql`select from delivery_queue where event_id >= $1 and event_id < $2 limit 1`
/** A beginning of `partitions on` that was given up leaves this; it would refuse the rows of later months. */
const dropLeftOver = unprepared(`do $$ begin
  if exists (select from pg_constraint where conrelid = 'audit_log'::regclass and conname = 'audit_log_undated')
    and pg_try_advisory_xact_lock(${MIGRATION_LOCK}) then
    alter table audit_log drop constraint audit_log_undated;
  end if;
end $$`)

/** The partitions of a database, as a process knows them. A database that has none costs a look at each start and every hour. */
export class Partitions {
  readonly #database: Database
  #known: ReadonlyMap<string, readonly string[]> = new Map()
  readonly #undated = new Map<Statement, Statement>()

  constructor(database: Database) {
    this.#database = database
  }

  /** Whether new events carry their day. */
  get isOn(): boolean {
    return this.#known.has('events')
  }

  /** Learns what there is, and makes a place for what comes in the next days. */
  async keepAhead(now: Instant): Promise<void> {
    await this.#learn()
    if (!this.#known.has('audit_log')) await this.#database.rows(dropLeftOver)
    const ahead = Array.from({ length: DAYS_AHEAD + 1 }, (_, i) => after(now, i * DAY_SECONDS))
    await this.#make((calendar) => new Set(ahead.map(calendar.of)))
  }

  /** Whether a write failed because its period has no partition, as after a clock was moved far: then there is one now. */
  async mend(error: unknown): Promise<boolean> {
    if (!(error instanceof pg.DatabaseError) || error.routine !== 'ExecFindPartition') return false
    const table = partitionedTables.find(({ name }) => name === error.table)
    const value = /\) = \((.*)\)\.$/.exec(error.detail ?? '')?.[1]
    const period = value === undefined ? undefined : table?.periodOf(value)
    if (!table || period === undefined) return false
    await this.#learn()
    await this.#make((calendar) => new Set(calendar === table.calendar ? [period] : []))
    return this.#has(table, period)
  }

  /** A statement about rows without a period, which are removed one by one. As it is where there are no partitions. */
  undated(statement: Statement): Statement {
    if (this.#known.size === 0) return statement
    const made = this.#undated.get(statement) ?? statementOf(statement.text.replace(this.#names(), '$1_undated'))
    this.#undated.set(statement, made)
    return made
  }

  /** Drops the days of events that ended before, but those of which something is still to be delivered. */
  async dropEvents(before: Instant): Promise<void> {
    const tables = partitionedTables.filter(({ calendar }) => calendar === days)
    for (const day of this.#past('events', days, before))
      await this.#drop(tables, day, async (connection) => {
        const span = [firstEventId(day), firstEventId(day + 1)]
        return (await connection.rows(stillQueued, span)).length === 0
      })
  }

  /** Drops the months of the audit log that ended before. */
  async dropAudit(before: Instant): Promise<void> {
    const tables = partitionedTables.filter(({ calendar }) => calendar === months)
    for (const month of this.#past('audit_log', months, before)) await this.#drop(tables, month, async () => true)
  }

  #names(): RegExp {
    return new RegExp(`(?<!')\\b(${[...this.#known.keys()].join('|')})\\b(?!')`, 'g')
  }

  async #learn(): Promise<void> {
    const known = await readPartitions(this.#database)
    if (known.size !== this.#known.size) this.#undated.clear()
    this.#known = known
  }

  #past(name: string, { of, start }: Calendar, before: Instant): number[] {
    const table = partitionedTables.find((one) => one.name === name)!
    const all = (this.#known.get(name) ?? []).flatMap((partition) => periodIn(partition) ?? [])
    return all.map(of).filter((period) => start(period + 1) <= before && this.#has(table, period))
  }

  #has(table: PartitionedTable, period: number): boolean {
    return this.#known.get(table.name)?.includes(partitionOf(table, period)) ?? false
  }

  async #make(wanted: (calendar: Calendar) => ReadonlySet<number>): Promise<void> {
    const missing = () =>
      partitionedTables.flatMap((table) =>
        [...wanted(table.calendar)]
          .filter((period) => this.#takes(table, period) && !this.#has(table, period))
          .map((period) => makePartition(table, period)),
      )
    if (missing().length === 0) return
    await this.#database.transaction(async (connection) => {
      await connection.rows(takeTurn)
      this.#known = await readPartitions(connection)
      for (const text of missing()) for (const one of text.split(';\n')) await connection.rows(unprepared(one))
    })
    await this.#learn()
  }

  /** The audit log has no partitions before its first. */
  #takes(table: PartitionedTable, period: number): boolean {
    const there = this.#known.get(table.name)
    const first = there?.find((partition) => periodIn(partition) !== undefined)
    return there !== undefined && (table.calendar === days || partitionOf(table, period) >= (first ?? ''))
  }

  /**
   * Whoever writes to such a table holds it until the end of a commit: once we hold all of them, what was committed can be
   * seen, and nobody begins to send what is about to go.
   */
  async #drop(
    tables: readonly PartitionedTable[],
    period: number,
    isFree: (connection: Connection) => Promise<boolean>,
  ): Promise<void> {
    if (!(await isFree(this.#database))) return
    await this.#database.transaction(async (connection) => {
      await connection.rows(takeTurn)
      await connection.rows(shortLocks)
      const parents = tables.map(({ name }) => `only ${name}`).join(', ')
      await connection.rows(unprepared(`lock table ${parents} in access exclusive mode`))
      if (!(await isFree(connection))) return
      const gone = tables.map((table) => partitionOf(table, period)).join(', ')
      await connection.rows(unprepared(`drop table if exists ${gone}`))
    })
    await this.#learn()
  }
}

/** An instant of the period that a partition is named after. */
function periodIn(partition: string): Instant | undefined {
  const [, year, month, day = '01'] = /_(\d{4})(\d\d)(\d\d)?$/.exec(partition) ?? []
  return year === undefined ? undefined : (`${year}-${month}-${day}T00:00:00.000Z` as Instant)
}
