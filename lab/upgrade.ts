import { randomUUID } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { startBalancer } from './harness/balancer.ts'
import { Ground } from './harness/ground.ts'
import { draft, tokenOf } from './harness/load.ts'
import { provide } from './harness/packages.ts'
import { Postgres, until } from './harness/postgres.ts'
import { answersSaid, type Lab, type Part, type Result, seconds, timed } from './harness/result.ts'
import { type Merchant, presentProgram } from './harness/service.ts'
import { openStage } from './harness/stage.ts'
import { judge, verify } from './harness/verify.ts'
import { buildNewer, buildOlder } from './harness/versions.ts'

const GRACE_SECONDS = 3
const CLIENTS = 8
const READY_WITHIN_MS = 300_000
const CALLED_WITHIN_MS = 1_200_000

const works = {
  restart: (lab: Lab) => roll(lab, { restarts: lab.isReduced ? 2 : 6, calls: lab.isReduced ? 500 : 10_000 }),
  version: (lab: Lab) => roll(lab, { restarts: 2, calls: 10_000, isUpgrade: true }),
  crash,
}

/** Two services behind haproxy, restarted and brought to a newer version in turn, under clients that never try again. */
export const upgrade: Part = async (lab) => {
  provide(['postgresql', 'haproxy'], lab.say)
  const only = process.env['LAB_ONLY']?.split(',') ?? (lab.isReduced ? ['restart'] : Object.keys(works))
  const results: Result[] = []
  for (const [name, work] of Object.entries(works)) if (only.includes(name)) results.push(await work(lab))
  return results
}

interface Plan {
  readonly restarts: number
  readonly calls: number
  readonly isUpgrade?: boolean
}

async function roll(lab: Lab, { restarts, calls, isUpgrade = false }: Plan): Promise<Result> {
  const began = performance.now()
  const ground = new Ground('upgrade')
  try {
    const older = isUpgrade ? buildOlder(ground) : undefined
    const { url } = await Postgres.open(ground)
    const stage = await openStage(ground, {
      databaseUrls: [url, url],
      variables: { SHUTDOWN_GRACE_SECONDS: String(GRACE_SECONDS), TRUST_PROXY: 'loopback' },
      ...(older && { program: older.program }),
    })
    const balancer = await startBalancer(ground, stage.urls)
    const load = new Impatient(balancer.url, stage.merchant)
    ground.onClose(() => load.stop())
    load.start()
    let done = 0
    // The version before, both beside each other, and the new one: a third of the calls each.
    const called = (share: number) => until(() => load.count >= calls * share, CALLED_WITHIN_MS, 'calls')
    while (done < restarts || (!isUpgrade && load.count < calls)) {
      if (isUpgrade) await called((done + 1) / (restarts + 1))
      const place = done % stage.services.length
      const service = stage.services[place]!
      const code = await service.end('SIGTERM')
      if (code !== 0) load.failures.push(`a service ended with ${code}`)
      await service.again(presentProgram)
      // Or it would have nobody left when the other one goes.
      await balancer.whenUp(place)
      done++
      lab.say(
        `upgrade: ${done} restarts, ${load.count} calls, ${load.failures.length} failed, ${load.refusals} refused`,
      )
    }
    if (isUpgrade) await called(1)
    await load.stop()
    for (const reason of balancer.turnedAway()) lab.say(`upgrade: ${reason}`)
    const from = older ? `rolling upgrade from ${older.commit} with its migrations` : 'rolling restart'
    return {
      part: 'upgrade',
      what: `${from} behind haproxy, ${done} restarts of two services by SIGTERM, a grace of ${GRACE_SECONDS} s`,
      outcome: `${load.failures.length} of ${load.count} calls failed${load.failures.length > 0 ? `: ${[...new Set(load.failures)].slice(0, 3).join('; ')}` : ''}; ${load.refusals} were refused by a service that was too busy`,
      clients: `${answersSaid(load.answers)}; the slowest took ${seconds(load.slowestMs)}`,
      // How busy the machine is, is no fault of a restart.
      isMet: load.failures.length === 0 && (lab.isReduced || load.refusals === 0) && load.count >= calls,
      seconds: Math.round((performance.now() - began) / 1000),
    }
  } finally {
    await ground.close()
  }
}

/** In the middle of an upgrade the process that is still of the version before is killed, and starts again as it was. */
async function crash(lab: Lab): Promise<Result> {
  const began = performance.now()
  const ground = new Ground('crash')
  try {
    lab.say('upgrade: the version before crashes in the middle')
    const { url } = await Postgres.open(ground)
    const stage = await openStage(ground, { databaseUrls: [url, url] })
    const [first, second] = stage.services
    const load = stage.newLoad()
    load.start()
    const moreWrites = async () => {
      const before = load.acknowledged.length
      await until(() => load.acknowledged.length > before + 30, READY_WITHIN_MS, 'further writes')
    }
    await moreWrites()
    await first!.end('SIGTERM')
    await first!.again(buildNewer(ground))
    await moreWrites()
    await second!.end('SIGKILL')
    const { seconds: away } = await timed(() => second!.again())
    await moreWrites()
    await load.stop()
    const verdict = judge(lab, await verify(url, load, stage.farEnds))
    return {
      part: 'upgrade',
      what: 'one of two services brought to a version with a migration more; the other one killed and started again as it was',
      outcome: `it started in ${away} s; ${verdict.said}`,
      clients: `${answersSaid(load.answers)}; the slowest took ${seconds(load.slowestMs)}`,
      isMet: verdict.isMet,
      seconds: Math.round((performance.now() - began) / 1000),
    }
  } finally {
    await ground.close()
  }
}

const refusalOf = (problem: string) =>
  `{${(JSON.parse(problem) as { details?: { description: string }[] }).details?.[0]?.description}}`

/** Clients that read and write through the balancer and take the first answer for the last. */
class Impatient {
  readonly #target: string
  readonly #merchant: Merchant
  readonly answers: Record<string, number> = {}
  readonly failures: string[] = []
  /** A service that answers, and has no time or no connection for this. */
  refusals = 0
  count = 0
  slowestMs = 0
  #stopped = false
  #running: Promise<void>[] = []

  constructor(target: string, merchant: Merchant) {
    this.#target = target
    this.#merchant = merchant
  }

  start(): void {
    this.#running = Array.from({ length: CLIENTS }, () => this.#client())
  }

  async stop(): Promise<void> {
    this.#stopped = true
    await Promise.all(this.#running)
  }

  async #client(): Promise<void> {
    const headers = {
      authorization: `Bearer ${await tokenOf(this.#target, this.#merchant)}`,
      'content-type': 'application/json',
    }
    while (!this.#stopped) {
      const body = JSON.stringify(draft(randomUUID()))
      await this.#call('POST', '/v2/invoicing/invoices', {
        headers: { ...headers, 'service-request-id': randomUUID() },
        body,
      })
      for (let i = 0; i < 4; i++) await this.#call('GET', '/v2/invoicing/invoices?page_size=2', { headers })
    }
  }

  async #call(method: string, path: string, parts: RequestInit): Promise<void> {
    const began = performance.now()
    let answer: string
    try {
      const response = await fetch(`${this.#target}${path}`, { method, ...parts, signal: AbortSignal.timeout(20_000) })
      const text = await response.text()
      // What a service refuses is JSON, what the balancer refuses is not.
      answer = response.ok
        ? String(response.status)
        : `${response.status} ${text.startsWith('{') ? refusalOf(text) : 'of the balancer'}`
    } catch (error) {
      answer = String((error as { cause?: { code?: string } }).cause?.code ?? error)
    }
    this.count++
    this.slowestMs = Math.max(this.slowestMs, performance.now() - began)
    this.answers[answer] = (this.answers[answer] ?? 0) + 1
    if (answer.startsWith('503 {')) this.refusals++
    else if (!/^2\d\d$/.test(answer)) this.failures.push(`${method} ${answer}`)
    await pause(5)
  }
}
