import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import pg from 'pg'
import { childrenOf, Ground, signal } from './harness/ground.ts'
import { growthOf, growthSaid, type Sample } from './harness/growth.ts'
import { provide } from './harness/packages.ts'
import { ask, Postgres, until } from './harness/postgres.ts'
import { answersSaid, type Lab, type Part, type Result, reasonOf, verdictOf } from './harness/result.ts'
import type { ServiceProcess } from './harness/service.ts'
import { openStage } from './harness/stage.ts'
import { judge, verify } from './harness/verify.ts'

/** About a sale a second, which any machine can do: what is looked for grows with time and with sales, not with speed. */
const CLIENTS = 4
const PAUSE_MS = 800
/** With fewer a growth says little. */
const SALES_A_MINUTE_MIN = 20
const SAMPLE_MS = 20_000

const queues = "array['jobs', 'delivery_queue']::regclass[]"
const sizes = `select (sum(pg_relation_size(q)) / 1048576.0)::float8 as "queueMb", (sum(pg_indexes_size(q)) / 1048576.0)::float8 as "queueIndexMb",
  (select count(*)::int from pg_stat_activity where datname is not null) as connections,
  (select sum(pg_table_size(relid)) / 1024.0 from pg_stat_user_tables)::float8 as "tablesKb",
  (select sum(pg_indexes_size(relid)) / 1024.0 from pg_stat_user_tables)::float8 as "indexesKb" from unnest(${queues}) q`

/** Loaded before the service: collects when it is told to, and says what is left. */
const collector = `import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', () => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  console.log('in use: ' + heapUsed + ' and ' + external + ' bytes')
})`

/** The same in a service that forgets nothing: sixteen kilobytes of every call, and a file of every hundredth. */
const leak = `${collector}
import { openSync } from 'node:fs'
import { Server } from 'node:http'
const kept = []
const emit = Server.prototype.emit
Server.prototype.emit = function (name, ...rest) {
  if (name === 'request') {
    kept.push(Array.from({ length: 2048 }, (_, i) => kept.length + i))
    if (kept.length % 100 === 0) openSync('/dev/null')
  }
  return emit.call(this, name, ...rest)
}`
const caughtOf = ['heapMb', 'memoryMb', 'descriptors', 'queueMb', 'queueIndexMb'] as const

/** Hours of ordinary work: what is kept grows with the work, and nothing else does. Beside its beginning, one that does grow. */
export const soak: Part = async (lab) => {
  provide(['postgresql'], lab.say)
  const minutes = Number(process.env['LAB_SOAK_MINUTES'] ?? (lab.isReduced ? 0.1 : 60))
  // In the first seconds everything grows.
  if (lab.isReduced) return [await sales(lab, { minutes })]
  return Promise.all([
    carriedOut('an hour of sales', sales(lab, { minutes })),
    carriedOut('the control', sales(lab, { minutes: minutes / 3, isControl: true })),
  ])
}

/** One that ends early must not take an hour of the other along. */
const carriedOut = (what: string, work: Promise<Result>): Promise<Result> =>
  work.catch((error) => ({ part: 'soak', what, outcome: reasonOf(error), clients: '', isMet: false, seconds: 0 }))

async function sales(lab: Lab, { minutes, isControl = false }: { minutes: number; isControl?: boolean }) {
  const began = performance.now()
  const name = isControl ? 'the control' : 'soak'
  const ground = new Ground('soak')
  try {
    const server = await Postgres.open(ground)
    const stage = await openStage(ground, {
      databaseUrls: [server.url],
      variables: {
        NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(isControl ? leak : collector)}`,
      },
    })
    if (isControl) ground.onClose(await neverEndingTransaction(server.url))
    const load = stage.newLoad({ clients: CLIENTS, pauseMs: PAUSE_MS })
    load.start()
    const samples: Sample[] = []
    const start = performance.now()
    const minute = () => (performance.now() - start) / 60_000
    while (minute() < minutes) {
      await pause(Math.min(SAMPLE_MS, (minutes * 60_000) / 12))
      samples.push(await sample(server.url, stage.services[0]!, { minute: minute(), sales: load.sales }))
      if (samples.length % 6 === 0) lab.say(`${name}: ${JSON.stringify(samples.at(-1))}`)
    }
    await load.stop()
    const verdict = judge(lab, await verify(server.url, load, stage.farEnds))
    const growth = growthOf(samples)
    const isEnough = load.sales >= minutes * SALES_A_MINUTE_MIN
    const caught = growth.filter(({ isBounded }) => !isBounded).map(({ key }) => key)
    const result: Result = {
      part: 'soak',
      what: isControl
        ? `the same for ${minutes} minutes as a control that must be found growing: a service that keeps sixteen kilobytes of every call and a file of every hundredth, and a transaction that never ends`
        : `${minutes} minutes, ${load.sales} sales; what grew in the second half, at most what was allowed`,
      outcome: `${verdict.said}; ${growthSaid(samples, growth)}`,
      clients: answersSaid(load.answers),
      isMet: isControl
        ? caughtOf.every((key) => caught.includes(key))
        : verdict.isMet && (lab.isReduced || (isEnough && caught.length === 0)),
      seconds: Math.round((performance.now() - began) / 1000),
    }
    lab.say(`${name}: ${verdictOf(result)}: ${result.outcome}`)
    return result
  } finally {
    await ground.close()
  }
}

/** What was deleted since stays, because this one might still look at it. */
async function neverEndingTransaction(databaseUrl: string): Promise<() => void> {
  const client = new pg.Client({ connectionString: databaseUrl, options: '-c idle_in_transaction_session_timeout=0' })
  client.on('error', () => {})
  await client.connect()
  await client.query('begin isolation level repeatable read; select from jobs limit 1')
  return () => void client.connection.stream.destroy()
}

async function sample(
  databaseUrl: string,
  service: ServiceProcess,
  when: Pick<Sample, 'minute' | 'sales'>,
): Promise<Sample> {
  const { pid } = service.running
  const [row] = await ask<Pick<Sample, 'queueMb' | 'queueIndexMb' | 'connections' | 'tablesKb' | 'indexesKb'>>(
    databaseUrl,
    sizes,
  )
  return {
    ...when,
    ...row!,
    ...(await inUse(service)),
    memoryMb: memoryOf(pid),
    printingMb: childrenOf(pid).reduce((sum, child) => sum + memoryOf(child), 0),
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
  }
}

function memoryOf(pid: number): number {
  try {
    return Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}

async function inUse({ running: { pid, log } }: ServiceProcess): Promise<Pick<Sample, 'heapMb' | 'buffersMb'>> {
  const said = () => [...readFileSync(log, 'utf8').matchAll(/in use: (\d+) and (\d+)/g)]
  const before = said().length
  signal(pid, 'SIGUSR2')
  await until(() => said().length > before, 60_000, 'a collection')
  const [, heap, buffers] = said().at(-1)!
  return { heapMb: Number(heap) / 1024 ** 2, buffersMb: Number(buffers) / 1024 ** 2 }
}
