import { openConnection } from './http-connection.ts'
import type { FastifyPgLimit, HttpRequest, Json, Row } from './row.ts'
import { loadRows } from './rows.ts'

/** One round of load, as the bench asks for it. */
export interface LoadOrder {
  readonly row: string
  readonly side: 'service' | 'limit'
  readonly baseUrl: string
  readonly data: Json
  readonly seconds: number
  /** Goes on after its time until there were so many, within `secondsMax`. */
  readonly requestsMin: number
  readonly requestsMax: number
  readonly secondsMax: number
  readonly concurrency: number
}

export interface LoadResult {
  readonly requests: number
  readonly seconds: number
  /** Processor time the generator itself took. */
  readonly cpuSeconds: number
  readonly p50Ms: number
  readonly p99Ms: number
  /** What was wrong with the first answer that was. */
  readonly failure?: string
}

const rows = new Map((await loadRows()).map((row) => [row.name, row]))
/** Counts on over all rounds, so that no request id is sent twice. */
let n = 0

/** Keeps `concurrency` connections busy with one request each, until the time or the count is used up. */
async function run({
  row: name,
  side,
  baseUrl,
  data,
  seconds,
  requestsMin,
  requestsMax,
  secondsMax,
  concurrency,
}: LoadOrder): Promise<LoadResult> {
  const row = rows.get(name)!
  const request = side === 'service' ? (i: number) => row.request(data, i) : limitRequest(row, data)
  const status = side === 'service' ? row.status : 200
  const waits: number[] = []
  let failure: string | undefined
  const cpuBefore = process.cpuUsage()
  const begin = performance.now()
  const [first, last] = [n, n + requestsMax]
  const goesOn = (elapsedMs: number) =>
    n < last &&
    failure === undefined &&
    (elapsedMs < seconds * 1000 || (n - first < requestsMin && elapsedMs < secondsMax * 1000))

  await Promise.all(
    Array.from({ length: concurrency }, async () => {
      const connection = await openConnection(new URL(baseUrl))
      for (let now = performance.now(); goesOn(now - begin); ) {
        const answer = await connection.send(request(n++))
        const after = performance.now()
        waits.push(after - now)
        now = after
        if (answer.status !== status) failure ??= `${answer.status} instead of ${status}: ${answer.start}`
      }
      connection.close()
    }),
  )

  const took = (performance.now() - begin) / 1000
  const { user, system } = process.cpuUsage(cpuBefore)
  waits.sort((a, b) => a - b)
  const at = (share: number) => waits[Math.floor(waits.length * share)] ?? 0
  return {
    requests: waits.length,
    seconds: took,
    cpuSeconds: (user + system) / 1e6,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    ...(failure !== undefined && { failure }),
  }
}

/** The bare server gets the same headers, so that both read as many bytes. */
function limitRequest(row: Row, data: Json): (i: number) => HttpRequest {
  const limit = row.limit as FastifyPgLimit<Json>
  return (i) => ({
    method: 'GET',
    path: `/${row.name}/${limit.values(data, i).map(encodeURIComponent).join('/')}`,
    headers: row.request(data, i).headers ?? {},
  })
}

process.on('message', (order: LoadOrder) => {
  run(order).then(
    (result) => process.send!(result),
    (error: unknown) =>
      process.send!({ requests: 0, seconds: 0, cpuSeconds: 0, p50Ms: 0, p99Ms: 0, failure: String(error) }),
  )
})
process.once('SIGTERM', () => process.exit(0))
process.once('disconnect', () => process.exit(0))
process.send!('ready')
