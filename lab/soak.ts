import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { Ground, signal } from './harness/ground.ts'
import { provide } from './harness/packages.ts'
import { ask, Postgres, until } from './harness/postgres.ts'
import { answersSaid, type Part, type Result } from './harness/result.ts'
import type { ServiceProcess } from './harness/service.ts'
import { openStage } from './harness/stage.ts'
import { judge, verify } from './harness/verify.ts'

/** What must not grow with time, however much goes through: of the last third against the second. */
const GROWTH_MAX = 1.2

interface Sample {
  /** What is still in use after a collection, and what the process has from the system, collected or not. */
  readonly heapMb: number
  readonly memoryMb: number
  readonly descriptors: number
  readonly connections: number
  /** Of the tables that are emptied as they are filled. */
  readonly queueMb: number
  readonly queueIndexMb: number
}

const queues = "array['jobs', 'delivery_queue']::regclass[]"
const sizes = `select (sum(pg_relation_size(q)) / 1048576.0)::float8 as queue, (sum(pg_indexes_size(q)) / 1048576.0)::float8 as indexes,
  (select count(*)::int from pg_stat_activity where datname is not null) as connections from unnest(${queues}) q`

/** Loaded before the service: collects when it is told to, and says what is left. */
const collector = `import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc')
process.on('SIGUSR2', () => {
  collect()
  const { heapUsed, external } = process.memoryUsage()
  console.log('in use: ' + (heapUsed + external) + ' bytes')
})`

/** Hours of ordinary work: what is kept grows with the work, and nothing else does. */
export const soak: Part = async (lab) => {
  provide(['postgresql'], lab.say)
  const began = performance.now()
  const ground = new Ground('soak')
  const minutes = Number(process.env['LAB_SOAK_MINUTES'] ?? (lab.isReduced ? 0.1 : 60))
  try {
    const server = await Postgres.open(ground)
    const stage = await openStage(ground, {
      databaseUrls: [server.url],
      variables: { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(collector)}` },
    })
    const load = stage.newLoad({ clients: 4, pauseMs: 10 })
    load.start()
    const samples: Sample[] = []
    const end = performance.now() + minutes * 60_000
    while (performance.now() < end) {
      await pause(Math.min(20_000, (minutes * 60_000) / 12))
      samples.push(await sample(server.url, stage.services[0]!))
      if (samples.length % 6 === 0)
        lab.say(`soak: ${load.acknowledged.length} writes, ${JSON.stringify(samples.at(-1))}`)
    }
    await load.stop()
    const verdict = judge(lab, await verify(server.url, load, stage.farEnds))
    const growth = growthOf(samples)
    const said = growth.map(({ name, from, to }) => `${name} ${from.toFixed(1)} → ${to.toFixed(1)}`)
    const result: Result = {
      part: 'soak',
      what: `${minutes} minutes of sales; the second third against the last`,
      outcome: `${verdict.said}; ${said.join(', ')}`,
      clients: answersSaid(load.answers),
      // In the first seconds everything grows.
      isMet: verdict.isMet && (lab.isReduced || growth.every(({ isBounded }) => isBounded)),
      seconds: Math.round((performance.now() - began) / 1000),
    }
    return [result]
  } finally {
    await ground.close()
  }
}

async function sample(databaseUrl: string, service: ServiceProcess): Promise<Sample> {
  const { pid } = service.running
  const [row] = await ask<{ queue: number; indexes: number; connections: number }>(databaseUrl, sizes)
  return {
    heapMb: await heapOf(service),
    memoryMb: Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]) / 1024,
    descriptors: readdirSync(`/proc/${pid}/fd`).length,
    connections: row!.connections,
    queueMb: row!.queue,
    queueIndexMb: row!.indexes,
  }
}

async function heapOf({ running: { pid, log } }: ServiceProcess): Promise<number> {
  const said = () => readFileSync(log, 'utf8').match(/(?<=in use: )\d+/g) ?? []
  const before = said().length
  signal(pid, 'SIGUSR2')
  await until(() => said().length > before, 60_000, 'a collection')
  return Number(said().at(-1)) / 1024 ** 2
}

const units: Readonly<Record<keyof Sample, { readonly name: string; readonly slack: number }>> = {
  heapMb: { name: 'memory in use after a collection, in MB', slack: 5 },
  memoryMb: { name: 'memory in MB', slack: 20 },
  descriptors: { name: 'descriptors', slack: 10 },
  connections: { name: 'connections', slack: 3 },
  queueMb: { name: 'queue tables in MB', slack: 2 },
  queueIndexMb: { name: 'their indexes in MB', slack: 2 },
}

function growthOf(samples: readonly Sample[]) {
  const third = Math.floor(samples.length / 3)
  const median = (part: readonly Sample[], key: keyof Sample) =>
    part.map((one) => one[key]).sort((a, b) => a - b)[Math.floor(part.length / 2)]!
  return (Object.keys(units) as (keyof Sample)[]).map((key) => {
    const { name, slack } = units[key]
    const from = median(samples.slice(third, 2 * third), key)
    const to = median(samples.slice(2 * third), key)
    return { name, from, to, isBounded: to <= from * GROWTH_MAX + slack }
  })
}
