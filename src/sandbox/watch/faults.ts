import { Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { AnyRoute } from '../../http/route.ts'
import { invalid, Problem } from '../../kernel/problem.ts'
import type { Service, WorkParts } from '../../room.ts'

/** What can be made to go wrong with a request, and with a delivery. */
export const requestFaults = ['latency', '429', '500', '503', 'drop', 'token'] as const
export const deliveryFaults = ['duplicate', 'delay', 'out-of-order'] as const
type RequestFault = (typeof requestFaults)[number]
export type FaultKind = RequestFault | (typeof deliveryFaults)[number]

/** What goes wrong, where and how often. A field that is not given fits everything. */
export interface FaultRule {
  readonly fault: FaultKind
  readonly operation?: string
  readonly method?: string
  /** How the path begins. */
  readonly path?: string
  readonly client_id?: string
  /** For a delivery: the type of its event, and how the address begins. */
  readonly event_type?: string
  readonly url?: string
  readonly milliseconds?: number
  readonly seconds?: number
  /** After how many times the fault is over. */
  readonly times?: number
}

export interface StandingFault extends FaultRule {
  readonly id: string
  readonly hits: number
}

export const FAULTS_MAX = 100
export const LATENCY_MS_MAX = 30_000
/** What holds for a rule that does not say it. */
export const faultDefaults = { latencyMs: 1_000, retryAfterSeconds: 5, delaySeconds: 60 } as const
/** Long enough to come after the next event, and shorter than the first retry of anything, unless the clock runs fast. */
const OUT_OF_ORDER_SECONDS = 1

/** The faults of a sandbox. They exist in this process alone, and end with a reset. */
export class Faults {
  readonly #header: string
  #standing: (FaultRule & { readonly id: string; hits: number })[] = []
  #made = 0

  constructor({ dialect }: Pick<Service, 'dialect'>) {
    this.#header = `${dialect.headerPrefix}-Fault`.toLowerCase()
  }

  list(): StandingFault[] {
    return this.#standing.map((fault) => ({ ...fault }))
  }

  add(rule: FaultRule): StandingFault {
    const fault = { ...rule, id: `fault-${++this.#made}`, hits: 0 }
    this.#standing.push(fault)
    return { ...fault }
  }

  remove(id: string): boolean {
    const before = this.#standing.length
    this.#standing = this.#standing.filter((fault) => fault.id !== id)
    return this.#standing.length < before
  }

  clear(): void {
    this.#standing = []
  }

  /** Makes a request go wrong when a rule or its own header says so. Called before anything else is looked at. */
  readonly onRequest = (request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined => {
    const header = request.headers[this.#header]
    return this.#standing.length === 0 && header === undefined ? undefined : this.#disturb(request, reply, header)
  }

  async #disturb(request: FastifyRequest, reply: FastifyReply, header: string | string[] | undefined): Promise<void> {
    if (!isDisturbable(request.operation!.route)) return
    if (header !== undefined) await carryOut(readHeader(String(header), this.#header), request, reply)
    for (const rule of this.#standing.filter((one) => isFor(one, request))) {
      if (reply.sent) return
      if (this.#hit(rule)) await carryOut(rule, request, reply)
    }
  }

  /** What goes wrong with a delivery that is about to be made. */
  readonly onDelivery: NonNullable<WorkParts['faultOf']> = ({ eventType, url, attempts }) => {
    const rule = this.#standing.find(
      ({ fault, event_type, url: begin, times = Number.POSITIVE_INFINITY, hits }) =>
        hits < times &&
        deliveryFaults.some((known) => known === fault) &&
        (event_type === undefined || event_type === eventType) &&
        (begin === undefined || url.startsWith(begin)) &&
        // A delivery that was held back once goes out now.
        (fault === 'duplicate' || attempts === 0),
    )
    if (!rule || !this.#hit(rule)) return undefined
    if (rule.fault === 'duplicate') return { kind: 'twice' }
    return {
      kind: 'later',
      seconds: rule.fault === 'delay' ? (rule.seconds ?? faultDefaults.delaySeconds) : OUT_OF_ORDER_SECONDS,
    }
  }

  #hit(rule: { hits: number; readonly times?: number }): boolean {
    if (rule.times !== undefined && rule.hits >= rule.times) return false
    rule.hits++
    return true
  }
}

/** Whether a request may go wrong. Those of the sandbox itself and those that only look on never do. */
export const isDisturbable = ({ tag, always, watches }: AnyRoute): boolean => tag !== 'Sandbox' && !always && !watches

function isFor({ fault, operation, method, path, client_id }: FaultRule, request: FastifyRequest): boolean {
  return (
    requestFaults.some((known) => known === fault) &&
    (operation === undefined || operation === request.operation?.route.operation) &&
    (method === undefined || method === request.method) &&
    (path === undefined || request.url.startsWith(path)) &&
    (client_id === undefined || client_id === request.caller?.clientId)
  )
}

/** `latency=200`, `429=7`, `500`, `503`, `drop` or `token`. */
function readHeader(text: string, header: string): FaultRule {
  const [, fault, number] = /^(latency|429|500|503|drop|token)(?:=(\d{1,5}))?$/.exec(text.trim()) ?? []
  if (fault === undefined)
    throw invalid(header, 'Send latency=200, 429=7, 500, 503=7, drop or token.', 'INVALID_PARAMETER_SYNTAX')
  const amount =
    number === undefined ? {} : fault === 'latency' ? { milliseconds: Number(number) } : { seconds: Number(number) }
  // The pattern accepts only these.
  return { fault: fault as RequestFault, ...amount }
}

const simulated = { issue: 'SIMULATED_FAULT', description: 'A fault of the sandbox asked for this answer.' }

async function carryOut(
  { fault, milliseconds, seconds }: FaultRule,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const waits = { headers: { 'retry-after': String(seconds ?? faultDefaults.retryAfterSeconds) } }
  switch (fault) {
    case 'latency':
      await pause(Math.min(milliseconds ?? faultDefaults.latencyMs, LATENCY_MS_MAX))
      return
    case '429':
      throw new Problem(429, 'RATE_LIMIT_REACHED', [simulated], waits)
    case '503':
      throw new Problem(503, 'SERVICE_UNAVAILABLE', [simulated], waits)
    case '500':
      throw new Problem(500, 'INTERNAL_SERVER_ERROR', [simulated])
    case 'token':
      throw new Problem(401, 'AUTHENTICATION_FAILURE', [simulated], { oauthError: 'invalid_token' })
    case 'drop':
      // The console calls within this process, where there is no connection to drop.
      if (!(request.raw.socket instanceof Socket)) throw new Problem(503, 'SERVICE_UNAVAILABLE', [simulated], waits)
      reply.hijack()
      request.raw.socket.destroy()
  }
}
