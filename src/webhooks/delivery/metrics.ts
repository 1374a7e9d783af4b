import { Counter, Gauge, Histogram, type Registry } from 'prom-client'
import type { Database } from '../../database/open.ts'
import { sql } from '../../database/sql.ts'
import type { Clock, Instant } from '../../kernel/clock.ts'
import { lanes } from '../dispatch/lanes.ts'
import type { AttemptResult } from './deliver.ts'

/** Counting stops here: whoever has more pending knows enough, and a scrape must stay cheap. */
const COUNTED_MAX = 10_000

/** Each part walks an index that holds only what it asks for, and not far. */
const deliveryFigures = sql`
  select
    (select count(*)::int from (select from delivery_queue limit $1) pending) as pending,
    (select count(*)::int from (select from webhooks where not enabled limit $1) disabled) as disabled,
    (select json_object_agg(lanes.lane, first.next_time) from unnest($2::int[]) as lanes (lane) cross join lateral (
      select q.next_time from delivery_queue q where q.lane = lanes.lane order by q.next_time limit 1) first) as next`

interface Figures {
  readonly pending: number
  readonly disabled: number
  /** By lane, when its earliest delivery is due. */
  readonly next: Readonly<Record<string, Instant>> | null
}

const outcomes = { SUCCESS: 'delivered', PENDING: 'retry', FAILURE: 'given_up' } as const
const answerOf = ({ http_status }: AttemptResult) =>
  http_status === null ? 'none' : `${Math.floor(http_status / 100)}xx`

/** The figures of deliveries: what this process attempted, and what waits in the database when somebody asks. */
export function makeDeliveryMetrics(registry: Registry, database: Database, clock: Clock) {
  const registers = [registry]
  const attempts = new Counter({
    name: 'quittance_webhook_attempts_total',
    help: 'Attempts to deliver an event, by what came of it and by the class of the answer.',
    labelNames: ['outcome', 'answer'],
    registers,
  })
  const seconds = new Histogram({
    name: 'quittance_webhook_attempt_seconds',
    help: 'How long receivers took to answer.',
    labelNames: ['outcome'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.3, 1, 2.5, 5, 10, 20],
    registers,
  })

  // Made from the start: Prometheus sees no increase in a figure that only appears with its first case.
  for (const answer of ['none', '3xx', '4xx', '5xx'])
    for (const outcome of [outcomes.PENDING, outcomes.FAILURE]) attempts.inc({ outcome, answer }, 0)

  /** All figures of one scrape come from one query. While the database is away there are no figures, rather than old ones. */
  let asked: Promise<Figures | undefined> | undefined
  const figures = () => {
    asked ??= database
      .row<Figures>(deliveryFigures, [COUNTED_MAX, Object.values(lanes)])
      .catch(() => undefined)
      .finally(() => {
        asked = undefined
      })
    return asked
  }
  new Gauge({
    name: 'quittance_webhook_deliveries_pending',
    help: `Deliveries that have neither arrived nor failed for good, counted up to ${COUNTED_MAX}.`,
    registers,
    async collect() {
      this.remove()
      const found = await figures()
      if (found) this.set(found.pending)
    },
  })
  new Gauge({
    name: 'quittance_webhook_oldest_due_seconds',
    help: 'How long the oldest delivery that is due has waited, by how promptly its webhook answers.',
    labelNames: ['lane'],
    registers,
    async collect() {
      this.reset()
      const found = await figures()
      if (!found) return
      const now = Date.parse(clock.now())
      for (const [lane, number] of Object.entries(lanes)) {
        const next = found.next?.[number]
        this.set({ lane }, next === undefined ? 0 : Math.max(0, now - Date.parse(next)) / 1000)
      }
    },
  })
  new Gauge({
    name: 'quittance_webhooks_disabled',
    help: `Webhooks that are disabled, counted up to ${COUNTED_MAX}.`,
    registers,
    async collect() {
      this.remove()
      const found = await figures()
      if (found) this.set(found.disabled)
    },
  })

  // A child is looked up once for each pair of labels: the library takes longer to find it than to count.
  const children = new Map<string, { inc(by: number): void; observe(seconds: number): void }>()
  const childOf = (outcome: string, answer: string) => {
    const name = `${outcome} ${answer}`
    let child = children.get(name)
    if (!child) {
      const [counted, timed] = [attempts.labels(outcome, answer), seconds.labels(outcome)]
      child = { inc: (by) => counted.inc(by), observe: (value) => timed.observe(value) }
      children.set(name, child)
    }
    return child
  }

  return {
    attempted(results: readonly AttemptResult[]): void {
      const counts = new Map<ReturnType<typeof childOf>, number>()
      for (const result of results) {
        const child = childOf(outcomes[result.status], answerOf(result))
        child.observe(result.duration_ms / 1000)
        counts.set(child, (counts.get(child) ?? 0) + 1)
      }
      for (const [child, count] of counts) child.inc(count)
    },
  }
}
