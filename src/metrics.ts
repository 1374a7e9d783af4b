import type { Logger } from 'pino'
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'
import type { Environment } from './config.ts'
import type { Database } from './database/open.ts'
import type { Replica } from './database/replica.ts'
import { sql } from './database/sql.ts'
import { RequestCounts } from './http/request-counts.ts'
import type { Clock } from './kernel/clock.ts'

const jobFigures = sql`
  select due.count as due, due.oldest, (select count(*)::int from jobs where parked_time is not null) as parked
  from (select count(*)::int as count, min(run_at) as oldest from jobs where parked_time is null and run_at <= $1) due`

interface MetricsParts {
  readonly database: Database
  readonly clock: Clock
  readonly replica: Replica | undefined
  readonly log: Logger
  readonly environment: Environment
}

/** The figures that show whether requests are answered and jobs are done in time. */
export function makeMetrics({ database, clock, replica, log, environment }: MetricsParts) {
  // In live an operator looks at what all processes did together.
  const onError = (error: unknown) => log.warn({ err: error }, 'could not add up requests, will retry')
  const counts = environment === 'live' ? new RequestCounts(database, clock, onError) : undefined
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const registers = [registry]
  const requests = new Histogram({
    name: 'quittance_http_request_seconds',
    help: 'Time to answer a request.',
    labelNames: ['operation', 'method', 'status'],
    buckets: [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10],
    registers,
  })
  const failures = new Counter({
    name: 'quittance_job_failures_total',
    help: 'Runs of a job that failed.',
    labelNames: ['job', 'parked'],
    registers,
  })
  const sweepFailures = new Counter({
    name: 'quittance_sweep_failures_total',
    help: 'Hourly removals of what has run out of time that failed.',
    labelNames: ['sweep'],
    registers,
  })
  const due = new Gauge({ name: 'quittance_jobs_due', help: 'Jobs that are due and not done.', registers })
  const parked = new Gauge({
    name: 'quittance_jobs_parked',
    help: 'Jobs that failed for good and wait for an operator.',
    registers,
  })
  const age = new Gauge({
    name: 'quittance_jobs_oldest_due_seconds',
    help: 'How long the oldest due job has waited.',
    registers,
  })
  new Gauge({
    name: 'quittance_database_waiters',
    help: 'Requests that wait for a database connection.',
    registers,
    collect() {
      this.set(database.waitingCount)
    },
  })

  if (replica) watchReplica(replica, registry)

  return {
    registry,
    observe(operation: string, method: string, status: number, seconds: number): void {
      requests.observe({ operation, method, status }, seconds)
      counts?.answered(status, seconds * 1000)
    },
    jobFailed: (job: string, isParked: boolean) => failures.inc({ job, parked: String(isParked) }),
    sweepFailed: (sweep: string) => sweepFailures.inc({ sweep }),
    /** Keeps what was counted last. */
    close: async () => counts?.write(),
    /** All figures as Prometheus reads them; those of the database are left out while it is away. */
    async print(): Promise<string> {
      const now = clock.now()
      const row = await database
        .row<{ due: number; parked: number; oldest: string | null }>(jobFigures, [now])
        .catch(() => undefined)
      // What was true before it went away is no figure of now.
      for (const gauge of [due, parked, age]) gauge.remove()
      if (row) {
        due.set(row.due)
        parked.set(row.parked)
        age.set(row.oldest === null ? 0 : (Date.parse(now) - Date.parse(row.oldest)) / 1000)
      }
      return registry.metrics()
    },
  }
}

/** The figures of a replica, as this process last saw it. */
function watchReplica({ state }: Replica, registry: Registry): void {
  const registers = [registry]
  const gauge = (name: string, help: string, value: () => number) =>
    new Gauge({
      name: `quittance_replica_${name}`,
      help,
      registers,
      collect() {
        this.set(value())
      },
    })
  gauge('in_use', 'Whether reads go to the replica.', () => Number(state.inUse))
  gauge('lag_seconds', 'How long the replica has lacked something the primary has.', () => state.lagSeconds)
  gauge('lag_bytes', 'How much of the write-ahead log the replica lacked when last looked at.', () => state.lagBytes)
  new Counter({
    name: 'quittance_replica_reads_total',
    help: 'Reads that may come from the replica, by who answered.',
    labelNames: ['answered_by'],
    registers,
    collect() {
      this.reset()
      for (const [by, count] of Object.entries(state.answered)) this.inc({ answered_by: by }, count)
    },
  })
}
