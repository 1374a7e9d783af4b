// Measures deliveries against limits of the same machine in the same run. `npm run bench:webhooks`

import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { pino } from 'pino'
import { type App, openApp } from '../../src/app.ts'
import { migrate } from '../../src/database/migrate.ts'
import { type Connection, openDatabase } from '../../src/database/open.ts'
import { statementOf } from '../../src/database/sql.ts'
import type { SecretRing } from '../../src/kernel/secrets.ts'
import { readSettings } from '../../src/settings.ts'
import { RawReceiver } from '../../test/support/receiver.ts'
import { type Child, nextMessage, startChild } from '../harness/child.ts'
import { openBenchDatabase } from '../harness/database.ts'
import { live } from '../harness/service.ts'
import { median } from '../harness/statistics.ts'
import {
  addBacklog,
  addMerchant,
  merchantId,
  open,
  p95,
  p99,
  pause,
  sampleBody,
  subscribe,
  subscribers,
} from './scene.ts'

const { values: options } = parseArgs({
  options: { only: { type: 'string', multiple: true, default: [] }, rounds: { type: 'string', default: '7' } },
})
const rounds = Number(options.rounds)
const wants = (name: string) => options.only.length === 0 || options.only.includes(name)
const say = (text: string) => process.stdout.write(`${text}\n`)
const file = (name: string) => ['--import', 'tsx', fileURLToPath(new URL(name, import.meta.url))]

/** Live: a sandbox also writes down for the workbench what happened, which no limit does. */
const environment = {
  ...live,
  PUBLIC_URL: 'http://127.0.0.1:1',
  WEBHOOK_ALLOW_HTTP: 'true',
  WEBHOOK_ALLOW_PRIVATE: 'true',
  LOG_LEVEL: 'error',
}
const secrets: SecretRing = [live.QUITTANCE_SECRET]
const notify = statementOf("select pg_notify('quittance', 'deliveries')")
const truncate = statementOf('truncate deliveries, delivery_queue, delivery_attempts, event_audience, events, webhooks')

async function ask<Answer>(child: Child, order: object): Promise<Answer> {
  const answer = nextMessage<Answer>(child)
  child.process.send(order)
  return answer
}

const server = await openBenchDatabase(process.env['DATABASE_URL'])
await migrate(server.url)
const database = openDatabase(server.url, { connectionsMax: 4, statementTimeoutMs: 60_000 })
await addMerchant(database)
const receiver = startChild(file('receiver.ts'))
const { port } = await nextMessage<{ port: number }>(receiver)
const limit = startChild(file('limit.ts'))
await nextMessage(limit)
const url = (n: number) => `http://127.0.0.1:${port}/hook/${n}`
let failed = false

function verdict(name: string, is: number, required: number, goal?: number): string {
  if (is < required) failed = true
  const reached = is < required ? 'NOT REACHED' : goal !== undefined && is >= goal ? 'goal reached' : 'reached'
  return `${name}: ${is.toFixed(2)} (required ${required}${goal === undefined ? '' : `, goal ${goal}`}) ${reached}`
}

/** The headers of the last delivery, so that the limit posts the same bytes. */
async function lastHeaders(): Promise<Record<string, string>> {
  const { head } = await ask<{ head: string }>(receiver, { kind: 'head' })
  const lines = head.split('\r\n').slice(1)
  const pairs = lines.map((line) => line.split(/: (.*)/s) as [string, string])
  return Object.fromEntries(pairs.filter(([name]) => !/^(host|connection|content-length)$/i.test(name)))
}

/** A backlog of so many, in tables that were counted as PostgreSQL itself would have done within a minute. */
async function fill(queue: Connection, round: number, count: number): Promise<void> {
  await addBacklog(queue, { round, count, body: sampleBody, now: '2026-01-01T00:00:00.000Z' })
  await queue.rows(statementOf('analyze deliveries, delivery_queue'))
}

/** How many deliveries a second the service's own process makes and writes down while there is a backlog. */
async function serviceRate(round: number, count: number): Promise<number> {
  await ask(receiver, { kind: 'start' })
  let began = 0
  // All at once, or it would have a start on the clock.
  await database.transaction(async (backlog) => {
    await fill(backlog, round, count)
    await backlog.rows(notify)
    began = performance.now()
  })
  await ask(receiver, { kind: 'until', count })
  for (;;) {
    const [row] = await database.rows<{ open: number }>(open)
    if (row!.open === 0) break
    await pause(5)
  }
  return count / ((performance.now() - began) / 1000)
}

async function limitRate(order: object): Promise<number> {
  await ask(receiver, { kind: 'start' })
  const { perSecond } = await ask<{ perSecond: number }>(limit, order)
  return perSecond
}

interface Rate<Limits> {
  readonly ours: number
  readonly limits: Limits
}

/** The deliveries of a process that does nothing else, in rounds that take turns with what `alone` measures. */
async function rates<Limits>(
  signatures: 'both' | 'standard',
  count: number,
  alone: (round: number) => Promise<Limits>,
  tell: (rate: Rate<Limits>) => string,
): Promise<Rate<Limits>[]> {
  await database.rows(truncate)
  const main = fileURLToPath(new URL('../../dist/main.js', import.meta.url))
  const service = startChild(['--disable-proto=delete', main, 'work'], {
    ...environment,
    DATABASE_URL: server.url,
    WEBHOOK_SIGNATURES: signatures,
  })
  await subscribe(database, secrets, subscribers('W', 40, url))
  const measured: Rate<Limits>[] = []
  for (let round = 0; round <= rounds; round++) {
    const rate = { ours: await serviceRate(round, count), limits: await alone(round) }
    // The first round warms up: connections, prepared statements, lanes.
    if (round === 0) continue
    measured.push(rate)
    say(`  ${rate.ours.toFixed(0)}/s of ${tell(rate)}`)
  }
  await service.stop()
  return measured
}

/**
 * With the secret alone. The worker that is its limit has a database of its own in the same server, with as much in it. What a
 * pool posts that takes nothing from a database and keeps nothing is told as well; it judges nothing, since it does less.
 */
async function standardThroughput(count: number): Promise<void> {
  const other = await openBenchDatabase(server.url)
  await migrate(other.url)
  const queue = openDatabase(other.url, { connectionsMax: 1, statementTimeoutMs: 60_000 })
  await addMerchant(queue)
  await subscribe(queue, secrets, subscribers('W', 40, url))
  const measured = await rates(
    'standard',
    count,
    async (round) => {
      await fill(queue, round, count)
      const headers = await lastHeaders()
      const worker = await limitRate({ kind: 'work', databaseUrl: other.url, headers, count })
      return { worker, pool: await limitRate({ kind: 'post', url: url(0), headers, body: sampleBody, count }) }
    },
    ({ ours, limits: { worker, pool } }) =>
      `${worker.toFixed(0)}/s by a bare worker = ${(ours / worker).toFixed(2)}; ${pool.toFixed(0)}/s posted and not kept`,
  )
  await queue.close()
  await other.stop()
  const rate = median(measured.map(({ ours }) => ours)).toFixed(0)
  const ofWorker = median(measured.map(({ ours, limits }) => ours / limits.worker))
  const ofPool = median(measured.map(({ ours, limits }) => ours / limits.pool))
  say(verdict(`throughput, signatures standard (${rate}/s)`, ofWorker, 0.4, 0.5))
  say(`  of what is posted and not kept: ${ofPool.toFixed(2)}`)
}

async function rsaThroughput(count: number): Promise<void> {
  const measured = await rates(
    'both',
    count,
    () => limitRate({ kind: 'sign', count: 4_000 }),
    ({ ours, limits }) => `${limits.toFixed(0)}/s = ${(ours / limits).toFixed(2)}`,
  )
  const rate = median(measured.map(({ ours }) => ours)).toFixed(0)
  const ratio = median(measured.map(({ ours, limits }) => ours / limits))
  say(verdict(`throughput, signatures both (${rate}/s)`, ratio, 0.65, 0.75))
}

async function withApp(work: (app: App) => Promise<void>): Promise<void> {
  await database.rows(truncate)
  const settings = readSettings({ ...environment, PORT: '0' })
  const app = await openApp({ settings, databaseUrl: server.url, log: pino({ level: 'error' }), works: true })
  await work(app)
  await app.close()
}

/** Emits one event and tells when it was committed, on the clock all processes share. */
async function emit(app: App, appId: string): Promise<{ id: string; at: number }> {
  let at = 0
  const id = await app.transact(async (tx) => {
    const resourceId = tx.newId('invoice')
    tx.emit({
      accountId: merchantId,
      appId,
      type: 'INVOICING.INVOICE.PAID',
      resourceId,
      resource: { id: resourceId, note: 'x'.repeat(1_200) },
      summary: 'An invoice was paid.',
    })
    tx.afterCommit(() => {
      at = performance.timeOrigin + performance.now()
    })
    return resourceId
  })
  return { id, at }
}

/** Emits at an even pace and tells how long each delivery took from its commit to its first byte. */
async function waits(app: App, appIds: readonly string[], perSecond: number, seconds: number): Promise<number[]> {
  await ask(receiver, { kind: 'start', count: 1 })
  const committed = new Map<string, number>()
  const count = perSecond * seconds
  const began = performance.now()
  const pending: Promise<unknown>[] = []
  for (let i = 0; i < count; i++) {
    const wait = began + (i * 1000) / perSecond - performance.now()
    if (wait > 0) await pause(wait)
    pending.push(emit(app, appIds[i % appIds.length]!).then((event) => committed.set(event.id, event.at)))
  }
  await Promise.all(pending)
  const deadline = performance.now() + 30_000
  for (;;) {
    const [row] = await database.rows<{ open: number }>(
      statementOf("select count(*)::int as open from delivery_queue where webhook_id like 'H%'"),
    )
    if (row!.open === 0 || performance.now() > deadline) break
    await pause(20)
  }
  const { arrivals } = await ask<{ arrivals: [string, number][] }>(receiver, { kind: 'arrivals' })
  const ids = await database.rows<{ id: string; resource_id: string }>(
    statementOf('select id, resource_id from events'),
  )
  const resourceOf = new Map(ids.map(({ id, resource_id }) => [id, resource_id]))
  return arrivals.map(([eventId, at]) => at - committed.get(resourceOf.get(eventId)!)!)
}

try {
  say(`Deliveries on ${server.description}`)
  if (wants('standard')) await standardThroughput(20_000)
  if (wants('rsa')) await rsaThroughput(10_000)
  if (wants('latency'))
    await withApp(async (app) => {
      await subscribe(database, secrets, subscribers('H', 10, url).slice(0, 1))
      await waits(app, ['APP-H-0'], 50, 3)
      const measured = await waits(app, ['APP-H-0'], 50, 20)
      const [middle, high] = [median(measured), p99(measured)]
      if (middle > 25 || high > 100) failed = true
      say(
        `latency at 50 events a second (${measured.length} deliveries): median ${middle.toFixed(1)} ms (required 25), 99 % ${high.toFixed(1)} ms (required 100)`,
      )
    })
  if (wants('neighbours'))
    await withApp(async (app) => {
      const dead = await RawReceiver.open((socket) => void socket.resume())
      await subscribe(database, secrets, [
        ...subscribers('H', 20, url),
        ...subscribers('D', 1_000, (n) => dead.url(`/${n}`)),
      ])
      const healthy = ['APP-H-0', 'APP-H-1']
      await waits(app, healthy, 4, 4)
      const alone = await waits(app, healthy, 4, 15)
      for (let n = 0; n < 100; n++) await emit(app, `APP-D-${n}`)
      await pause(1_000)
      const beside = await waits(app, healthy, 4, 15)
      const bound = 1.1 * p95(alone) + 5
      if (p95(beside) > bound || beside.length < 20 * 30) failed = true
      say(
        `neighbours: 20 healthy beside 1,000 dead webhooks: 95 % ${p95(beside).toFixed(1)} ms, alone ${p95(alone).toFixed(1)} ms (bound ${bound.toFixed(1)}), ${beside.length} of 600 delivered, ${dead.open} sockets held by the dead`,
      )
      await dead.close()
    })
} finally {
  await receiver.stop()
  await limit.stop()
  await database.close()
  await server.stop()
}
process.exit(failed ? 1 : 0)
