import { randomUUID } from 'node:crypto'
import { Agent, request } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'
import { Ground } from '../harness/ground.ts'
import { draft, tokenOf } from '../harness/load.ts'
import { Postgres } from '../harness/postgres.ts'
import { answersSaid, type Lab, type Result, seconds } from '../harness/result.ts'
import { openStage } from '../harness/stage.ts'

const PROMISED = 0.8
/** How many callers at a time the best is looked for with. */
const AT_ONCE = [16, 64]
/** Of four addresses each may have 285 connections, so what comes at once comes from several. */
const ADDRESSES = ['127.0.0.1', '127.0.0.2', '127.0.0.3', '127.0.0.4']
const CONNECTIONS_EACH = 250
const ANSWER_WITHIN_MS = 10_000

/** More than the service can carry: it must go on doing nearly as much as it can, and refuse the rest soon. */
export async function overload(lab: Lab): Promise<Result> {
  const began = performance.now()
  const ground = new Ground('overload')
  try {
    const { url } = await Postgres.open(ground)
    const stage = await openStage(ground, { databaseUrls: [url] })
    const token = await tokenOf(stage.urls[0]!, stage.merchant)
    const call = caller(stage.urls[0]!, token)
    const ms = lab.isReduced ? 4_000 : 20_000
    lab.say('faults: what the service can carry')
    await closedLoop(call, AT_ONCE[0]!, ms / 2)
    let best = 0
    for (const atOnce of AT_ONCE) best = Math.max(best, await closedLoop(call, atOnce, ms / 2))
    lab.say(`faults: ${Math.round(best)} invoices a second; now three times as many`)
    const flood = await openLoop(call, { ratePerSecond: best * 3, ms })
    const ratio = flood.goodput / best
    return {
      part: 'faults',
      what: `overload: three times the invoices a second that it can carry, for ${seconds(ms)}`,
      outcome: `${Math.round(flood.goodput)} a second done of ${Math.round(flood.offered)} offered, ${ratio.toFixed(2)} of the best (${Math.round(best)})`,
      clients: `${answersSaid(flood.answers)}; the slowest answer took ${seconds(flood.slowestMs)}`,
      isMet: ratio >= PROMISED && flood.slowestMs < ANSWER_WITHIN_MS,
      seconds: Math.round((performance.now() - began) / 1000),
    }
  } finally {
    await ground.close()
  }
}

interface Answer {
  readonly status: string
  /** From when the call had a connection: what waits in the client for one does not wait for the service. */
  readonly ms: number
}
type Call = () => Promise<Answer>

function caller(target: string, token: string): Call {
  const agents = ADDRESSES.map(
    (localAddress) => new Agent({ keepAlive: true, maxSockets: CONNECTIONS_EACH, localAddress }),
  )
  let calls = 0
  const { hostname, port } = new URL(target)
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' }
  return () =>
    new Promise((resolve) => {
      const reference = randomUUID()
      // A number of its own, or each would have to wait for the number of the one before.
      const body = draft(reference)
      const agent = agents[calls++ % agents.length]!
      let at = performance.now()
      const answered = (status: string) => resolve({ status, ms: performance.now() - at })
      const sent = request(
        { hostname, port, agent, method: 'POST', path: '/v2/invoicing/invoices', headers, timeout: ANSWER_WITHIN_MS },
        (response) => {
          response.resume()
          response.on('end', () => answered(String(response.statusCode)))
        },
      )
      sent.on('timeout', () => sent.destroy(new Error('no answer')))
      sent.on('error', (error: NodeJS.ErrnoException) => answered(error.code ?? error.message))
      sent.on('socket', () => {
        at = performance.now()
      })
      sent.end(JSON.stringify({ ...body, detail: { ...body.detail, invoice_number: reference.slice(0, 20) } }))
    })
}

async function closedLoop(call: Call, atOnce: number, ms: number): Promise<number> {
  const end = performance.now() + ms
  let done = 0
  const clients = Array.from({ length: atOnce }, async () => {
    while (performance.now() < end) if ((await call()).status === '201') done++
  })
  await Promise.all(clients)
  return done / (ms / 1000)
}

/**
 * Calls come at their rate, whatever becomes of those before. What is done counts while they come: the rest of the thousand and of
 * those that wait for a connection is answered after, and is no part of it.
 */
async function openLoop(call: Call, { ratePerSecond, ms }: { ratePerSecond: number; ms: number }) {
  const answers: Record<string, number> = {}
  const began = performance.now()
  const underWay: Promise<void>[] = []
  let slowestMs = 0
  let done = 0
  while (performance.now() - began < ms) {
    const due = ((performance.now() - began) / 1000) * ratePerSecond
    while (underWay.length < due) {
      underWay.push(
        call().then(({ status, ms: tookMs }) => {
          slowestMs = Math.max(slowestMs, tookMs)
          answers[status] = (answers[status] ?? 0) + 1
          if (status === '201' && performance.now() - began < ms) done++
        }),
      )
    }
    await pause(5)
  }
  const offered = underWay.length / ((performance.now() - began) / 1000)
  await Promise.all(underWay)
  return { goodput: done / (ms / 1000), offered, answers, slowestMs }
}
