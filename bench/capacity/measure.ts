import type pg from 'pg'
import { cpuSeconds, processIds, secondsOfTicks, statOf } from '../harness/processor.ts'

/** How long the rows of a table stay. */
export type Stay = 'ever' | 'retention' | 'passing'

/** What runs out of time by a setting, and what only waits to be done; the rows of all other tables stay. */
const stays: Readonly<Record<string, Stay>> = {
  audit_log: 'retention',
  deliveries: 'retention',
  delivery_attempts: 'retention',
  dispute_event_inbox: 'retention',
  event_audience: 'retention',
  event_ids: 'retention',
  events: 'retention',
  idempotency: 'retention',
  quotas: 'retention',
  tokens: 'retention',
  delivery_queue: 'passing',
  jobs: 'passing',
}

export interface TableCost {
  readonly table: string
  readonly stay: Stay
  readonly rows: number
  readonly bytes: number
}

/** What one of something costs the database. */
export interface Cost {
  readonly tables: readonly TableCost[]
  /**
   * Bytes of the write-ahead log. The first change of a page after a checkpoint writes the whole page: seldom where many
   * things happen to the same pages between two checkpoints, often where hardly any page is met twice.
   */
  readonly walSeldom: number
  readonly walOften: number
  /** Processor time of all processes of the server, in milliseconds; undefined where it is not ours to look at. */
  readonly databaseMs: number | undefined
  /** Processor time of this process, in which the service runs beside the far ends and the one who calls. */
  readonly serviceMs: number
}

/** So many between two checkpoints make nearly every change the first of its page. */
const OFTEN = 8

interface Counters {
  readonly wal: number
  /** Processor time, in seconds. */
  readonly database: number | undefined
  readonly service: number
}

const sizes = `
  select c.relname as table, pg_total_relation_size(c.oid)::float8 as bytes
  from pg_class c join pg_namespace n on n.oid = c.relnamespace
  where n.nspname = 'public' and c.relkind = 'r'`

/** Measures what work costs the database it is given: tables by their files, after a vacuum, so that free space is used again. */
export class Meter {
  readonly #client: pg.Client
  readonly #postmaster: number | undefined

  /** With the process id of a backend of a server on this machine, processor time is measured too. */
  constructor(client: pg.Client, backend: number | undefined) {
    this.#client = client
    this.#postmaster = backend === undefined ? undefined : parentOf(backend)
  }

  /** Does the work so often after one checkpoint, and then some of it with a checkpoint before every few. */
  async cost(work: (times: number) => Promise<void>, times: number): Promise<Cost> {
    await this.#client.query('vacuum')
    const before = await this.#tables()
    const seldom = await this.#spent(() => work(times))
    const batches = Math.ceil(times / (OFTEN * 5))
    let walOften = 0
    for (let i = 0; i < batches; i++) walOften += (await this.#spent(() => work(OFTEN))).wal
    await this.#client.query('vacuum')
    const after = await this.#tables()
    const each = (total: number) => total / (times + batches * OFTEN)
    const tables = [...after].map(([table, { rows, bytes }]) => ({
      table,
      stay: stays[table] ?? 'ever',
      rows: each(rows - before.get(table)!.rows),
      bytes: each(bytes - before.get(table)!.bytes),
    }))
    return {
      // A table without a new row has grown by a page of its own at most.
      tables: tables.filter(({ rows, stay }) => rows !== 0 || stay === 'passing'),
      walSeldom: seldom.wal / times,
      walOften: walOften / (batches * OFTEN),
      databaseMs: seldom.database === undefined ? undefined : (seldom.database * 1000) / times,
      serviceMs: (seldom.service * 1000) / times,
    }
  }

  async #spent(work: () => Promise<void>): Promise<Counters> {
    await this.#client.query('checkpoint')
    const before = await this.#counters()
    await work()
    const after = await this.#counters()
    return {
      wal: after.wal - before.wal,
      database: after.database === undefined ? undefined : after.database - before.database!,
      service: after.service - before.service,
    }
  }

  async #counters(): Promise<Counters> {
    const { rows } = await this.#client.query("select (pg_current_wal_insert_lsn() - '0/0')::float8 as bytes")
    const { user, system } = process.cpuUsage()
    return { wal: rows[0].bytes, database: this.#processor(), service: (user + system) / 1e6 }
  }

  async #tables(): Promise<Map<string, { rows: number; bytes: number }>> {
    const { rows } = await this.#client.query<{ table: string; bytes: number }>(sizes)
    const tables = new Map<string, { rows: number; bytes: number }>()
    for (const { table, bytes } of rows) {
      const { rows: counted } = await this.#client.query(`select count(*)::int as rows from "${table}"`)
      tables.set(table, { rows: counted[0].rows, bytes })
    }
    return tables
  }

  #processor(): number | undefined {
    if (this.#postmaster === undefined) return undefined
    const postmaster = this.#postmaster
    const own = cpuSeconds(postmaster)! + endedChildren(postmaster)
    const children = processIds().filter((pid) => parentOf(pid) === postmaster)
    return children.reduce((sum, pid) => sum + (cpuSeconds(pid) ?? 0), own)
  }
}

const parentOf = (pid: number) => Number(statOf(pid)[1] ?? 0)
/** Processor time of backends that are gone, in seconds. */
const endedChildren = (pid: number) => secondsOfTicks(Number(statOf(pid)[13]) + Number(statOf(pid)[14]))
