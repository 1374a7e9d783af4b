import type { Generator } from './generator.ts'
import type { TransactionLimit } from './pgbench.ts'
import { cpuSeconds } from './processor.ts'
import type { Context, Json, Row } from './row.ts'
import type { RunningService } from './service.ts'
import { median, quantile } from './statistics.ts'
import { watchingHost } from './stolen.ts'

/** How long and how often a row is measured. */
export interface Pace {
  readonly rounds: number
  readonly seconds: number
  readonly warmUpSeconds: number
  readonly warmUpSecondsMax: number
  readonly concurrency: number
}

/** The more a round could do, the less its end matters; this only keeps memory and tables within bounds. */
const REQUESTS_A_ROUND_MAX = 200_000
/** Code is compiled when it has run often enough, not long enough: a slow machine warms up for longer. */
const WARM_UP_REQUESTS = 20_000
/** A round during which the host of a virtual machine took more of the processors than this is measured again, */
const STOLEN_MAX = 0.03
/** until there were so many times the rounds that were wanted; then the calmest count. */
const PATIENCE = 3

export interface Bench {
  readonly service: RunningService
  /** The same without any memory of what it read. */
  readonly forgetful: RunningService
  /** What prepares the rows, and carries out what only a sandbox does; the service itself where none runs live. */
  readonly sandbox: RunningService
  readonly bareServer: { readonly baseUrl: string; readonly pid: number | undefined }
  readonly transactions: TransactionLimit
  readonly generator: Generator
  readonly context: Context
  /** Told what is being done, for the person who waits. */
  progress(text: string): void
}

/** One side of a row: the medians of its rounds. */
export interface Side {
  readonly perSecond: number
  /** Processor time of the Node process for each request; unknown for the database's own tools. */
  readonly cpuMicros?: number
  readonly p50Ms?: number
  readonly p99Ms?: number
}

export interface Measured {
  readonly row: Row
  readonly service: Side
  readonly limit: Side
  /** The median of what each round of the service reached of the round of the limit beside it. */
  readonly ratio: number
  /** Half of the rounds lie between these two. */
  readonly quartiles: readonly [number, number]
  /** Processor time the load generator took for each request to the service. */
  readonly generatorMicros: number
  /** The largest share of the processors that the host took during a round that counts. */
  readonly stolen: number
}

interface Round extends Side {
  readonly generatorMicros?: number
}

/**
 * Measures service and limit in turns, A B B A: whatever else the machine is doing weighs on both, and the ratio of
 * neighbours stays.
 */
export async function measure(bench: Bench, row: Row, pace: Pace): Promise<Measured> {
  bench.progress(`${row.name}: preparing`)
  const data = await row.prepare(bench.context)
  const sides = {
    async service(round: Length) {
      const measured = await loadRound(bench, row, data, 'service', { ...pace, ...round })
      await bench.context.settle()
      return measured
    },
    limit: (round: Length) => limitRound(bench, row, data, { ...pace, ...round }),
  }
  bench.progress(`${row.name}: warming up`)
  const warmUp = { seconds: pace.warmUpSeconds, requestsMin: WARM_UP_REQUESTS }
  await sides.service(warmUp)
  // As the server itself does within a minute: before, both sides would be planned by guesses, and differ from run to run.
  await bench.context.sql('analyze')
  await sides.limit(warmUp)

  const pairs: Pair[] = []
  const calm = () => pairs.filter(({ stolen }) => stolen <= STOLEN_MAX).length
  while (calm() < pace.rounds && pairs.length < pace.rounds * PATIENCE) {
    // Whoever comes first in a pair fares a little worse, so they take turns in that too.
    const isLimitFirst = pairs.length % 2 === 1
    const rounds = { service: nothing, limit: nothing }
    const order = isLimitFirst ? (['limit', 'service'] as const) : (['service', 'limit'] as const)
    const stolen = await watchingHost(async () => {
      for (const side of order) rounds[side] = await sides[side](pace)
    })
    pairs.push({ ...rounds, stolen })
    const [reached, of] = [rounds.service, rounds.limit].map(({ perSecond }) => Math.round(perSecond))
    const taken = stolen > STOLEN_MAX ? `, while the host took ${(stolen * 100).toFixed(0)} %` : ''
    bench.progress(`${row.name}: round ${calm()} of ${pace.rounds}, ${reached}/s of ${of}/s${taken}`)
  }
  const counted = pairs.toSorted((a, b) => a.stolen - b.stolen).slice(0, pace.rounds)
  const service = counted.map((pair) => pair.service)
  const limit = counted.map((pair) => pair.limit)
  const ratios = service.map(({ perSecond }, i) => perSecond / limit[i]!.perSecond)
  return {
    row,
    service: medians(service),
    limit: medians(limit),
    ratio: median(ratios),
    quartiles: [quantile(ratios, 0.25), quantile(ratios, 0.75)],
    generatorMicros: median(service.map(({ generatorMicros = 0 }) => generatorMicros)),
    stolen: counted.at(-1)!.stolen,
  }
}

interface Pair {
  readonly service: Round
  readonly limit: Round
  readonly stolen: number
}

const nothing: Round = { perSecond: 0 }

interface Length {
  readonly seconds: number
  readonly requestsMin?: number
}

function limitRound(bench: Bench, row: Row, data: Json, pace: Pace & Length): Promise<Round> {
  const { limit } = row
  if (limit.kind === 'fastify-pg') return loadRound(bench, row, data, 'limit', pace)
  return bench.transactions
    .run(limit.statements(data), pace.seconds, pace.concurrency)
    .then((perSecond) => ({ perSecond }))
}

async function loadRound(
  bench: Bench,
  row: Row,
  data: Json,
  side: 'service' | 'limit',
  { seconds, requestsMin = 0, concurrency, warmUpSecondsMax }: Pace & Length,
): Promise<Round> {
  const usual = row.forgetful ? bench.forgetful : bench.service
  const service = row.request(data, 0).path.startsWith('/sandbox/') ? bench.sandbox : usual
  const { baseUrl, pid } =
    side === 'service' ? { baseUrl: service.baseUrl, pid: service.process.pid } : bench.bareServer
  const before = cpuSeconds(pid)
  const result = await bench.generator.run({
    row: row.name,
    side,
    baseUrl,
    data,
    seconds,
    requestsMin,
    requestsMax: REQUESTS_A_ROUND_MAX,
    secondsMax: warmUpSecondsMax,
    concurrency,
  })
  const after = cpuSeconds(pid)
  if (result.failure !== undefined) {
    const complaints = side === 'service' ? `\n${service.complaints()}` : ''
    throw new Error(`The ${side} of ${row.name} failed: ${result.failure}${complaints}`)
  }
  const { requests, p50Ms, p99Ms } = result
  return {
    perSecond: requests / result.seconds,
    p50Ms,
    p99Ms,
    generatorMicros: (result.cpuSeconds / requests) * 1e6,
    ...(before !== undefined && after !== undefined && { cpuMicros: ((after - before) / requests) * 1e6 }),
  }
}

function medians(rounds: readonly Round[]): Side {
  const of = (name: 'cpuMicros' | 'p50Ms' | 'p99Ms') => {
    const values = rounds.flatMap((round) => round[name] ?? [])
    return values.length > 0 ? { [name]: median(values) } : {}
  }
  return {
    perSecond: median(rounds.map(({ perSecond }) => perSecond)),
    ...of('cpuMicros'),
    ...of('p50Ms'),
    ...of('p99Ms'),
  }
}
