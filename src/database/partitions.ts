import pg from 'pg'
import { after, type Instant, toInstant } from '../kernel/clock.ts'
import { dayInId, dayOf, firstDeliveryId, firstEventId } from '../kernel/dated.ts'
import { MIGRATION_LOCK } from './migrate.ts'
import type { Connection, Database } from './open.ts'
import { type Statement, sql, statementOf, unprepared } from './sql.ts'

const DAY_SECONDS = 86_400
/** How many days ahead there are partitions for what will be written. */
const DAYS_AHEAD = 7
/** Writers wait behind us for no longer than this at a time. */
const LOCK_TIMEOUT_MS = 250

/** What one partition holds: a day, or a month. Periods are numbered. */
interface Calendar {
  of(instant: Instant): number
  /** When a period begins. */
  start(period: number): Instant
  /** The ending of a partition's name for a period, such as `20261116`. */
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

/** A table that can be kept in partitions, and the column that decides in which of them a row lies. */
export interface PartitionedTable {
  readonly name: string
  readonly column: string
  readonly calendar: Calendar
  /** The least value of a period; without an argument, the least value that has a period at all. */
  from(period?: number): string
  /** The period that a value belongs to. */
  periodOf(value: string): number | undefined
  /** The primary key with the partition column added, where it lacks that column. It refuses the same rows as before. */
  readonly primaryKey?: string
  /** An index that only serves to find old rows. Nobody looks for these inside a partition. */
  readonly sweptBy?: string
}

const byEvent = { calendar: days, from: firstEventId, periodOf: dayInId }
const byDelivery = { calendar: days, from: firstDeliveryId, periodOf: dayInId }

/**
 * An event, who heard of it, how it was sent and what came of it all lie in the partitions of the day when the event was
 * made. The audit log is kept for so long that it has a partition for each month. The events come last here, because ids
 * carry a day as soon as the events have partitions.
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
/** The partition of all rows without a period: those from before there were partitions, and those that came from elsewhere. */
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
/** Drops what an abandoned `partitions on` leaves behind: a constraint that would refuse the rows of later months. */
const dropLeftOver = unprepared(`do $$ begin
  if exists (select from pg_constraint where conrelid = 'audit_log'::regclass and conname = 'audit_log_undated')
    and pg_try_advisory_xact_lock(${MIGRATION_LOCK}) then
    alter table audit_log drop constraint audit_log_undated;
  end if;
end $$`)

/** The partitions of a database, as a process knows them. Without partitions this costs one look at each start and every hour. */
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

  /** Learns which partitions there are, and makes those for the next days. */
  async keepAhead(now: Instant): Promise<void> {
    await this.#learn()
    if (!this.#known.has('audit_log')) await this.#database.rows(dropLeftOver)
    const ahead = Array.from({ length: DAYS_AHEAD + 1 }, (_, i) => after(now, i * DAY_SECONDS))
    await this.#make((calendar) => new Set(ahead.map(calendar.of)))
  }

  /**
   * Whether a write failed because its period had no partition, as after a clock was moved far. If so, the partition exists
   * now.
   */
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

  /** The statement for rows without a period, which are removed one by one. Without partitions it is the same statement. */
  undated(statement: Statement): Statement {
    if (this.#known.size === 0) return statement
    const made = this.#undated.get(statement) ?? statementOf(statement.text.replace(this.#names(), '$1_undated'))
    this.#undated.set(statement, made)
    return made
  }

  /** Drops the days of events that ended before `before`, except days of which something is still to be delivered. */
  async dropEvents(before: Instant): Promise<void> {
    const tables = partitionedTables.filter(({ calendar }) => calendar === days)
    for (const day of this.#past('events', days, before))
      await this.#drop(tables, day, async (connection) => {
        const span = [firstEventId(day), firstEventId(day + 1)]
        return (await connection.rows(stillQueued, span)).length === 0
      })
  }

  /** Drops the months of the audit log that ended before `before`. */
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

  /** The audit log has no partitions for periods before its first one. */
  #takes(table: PartitionedTable, period: number): boolean {
    const there = this.#known.get(table.name)
    const first = there?.find((partition) => periodIn(partition) !== undefined)
    return there !== undefined && (table.calendar === days || partitionOf(table, period) >= (first ?? ''))
  }

  /**
   * A writer of such a table locks it until the end of its commit. So once we hold the lock of all of them, everything
   * committed can be seen, and nobody begins to send what is about to go.
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
