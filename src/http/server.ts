import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import type { Socket } from 'node:net'
import { type Duplex, Readable } from 'node:stream'
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { sqlProblem } from '../database/errors.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Ids } from '../kernel/ids.ts'
import { forbidden, Problem } from '../kernel/problem.ts'
import type { Room, Service } from '../room.ts'
import { limitConnections } from './limits/connections.ts'
import { LateBodies } from './limits/late-bodies.ts'
import { type DelayMeter, LoadWatch } from './limits/load.ts'
import { captured, makeNoSuchOperation, makePageFor } from './no-such-operation.ts'
import { type Operation, type OperationParts, operationOf, sharedState } from './operation.ts'
import { PlainResponse } from './plain-response.ts'
import { frameworkProblem, renderProblem } from './problem-body.ts'
import { type Rendered, render } from './render.ts'
import { logAnswer, logFailure } from './request-log.ts'
import { Answer, type AnyRoute } from './route.ts'
import { type Unknown, warningsOf } from './validation/unknown.ts'
import { makeVisitorCheck } from './visitors.ts'
import { checkWire, endWith, HEADERS_MAX, straighten, wireProblem } from './wire.ts'

const HEADER_BYTES_MAX = 16_384
const PARAM_LENGTH_MAX = 2_048
/** For all of a request, an upload included; any other body has less. */
const REQUEST_TIMEOUT_MS = 120_000
const BODY_TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 65_000
/** An upload must bring this much in this time; what stands still holds memory that others need. */
const STALLED_MS = 10_000
const PROGRESS_BYTES_MIN = 32_768
const REQUESTS_PER_SOCKET_MAX = 10_000

/** What is known of a request before its body is read. */
export interface Arrival {
  readonly caller: Caller | undefined
  readonly headers: IncomingHttpHeaders
  readonly ip: string
}

export interface ServerParts extends OperationParts {
  readonly ids: Ids
  readonly log: Logger
  authenticate(headers: IncomingHttpHeaders, ip: string): Caller | Promise<Caller>
  /** Called before a request is looked at any further; throws to refuse. Returns headers to add to the answer. */
  admit(route: AnyRoute, request: Arrival): Record<string, string>
  /** Told of every answer, for metrics. */
  observe(operation: string, method: string, status: number, seconds: number): void
  /** Makes a request go wrong because somebody wants to see it; throws, waits or hangs up. Absent in live. */
  disturb?(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined
  /** Told of every request that was answered, with what was sent and answered. Absent where no log of them is kept. */
  record?(request: FastifyRequest, reply: FastifyReply): void
  /** Whether the service is about to stop, so that clients should take another connection for what comes next. */
  isDraining?(): boolean
  /** Does all that is due, so that a call of the sandbox can answer when what it started is done. */
  drain?(): Promise<void>
  /** How long a body that is no upload may take to arrive; 30 seconds when not said. */
  readonly bodyTimeoutMs?: number
  /** How soon an upload that stands still is ended; after 10 seconds when not said. */
  readonly stalledMs?: number
  /** How late the event loop runs; measured when not said. */
  readonly loopDelay?: DelayMeter
}

/** The HTTP server: every route of the table, and refusals in our own error body for everything else. */
export function makeServer(parts: ServerParts): FastifyInstance {
  const { service, ids, log, bodyTimeoutMs = BODY_TIMEOUT_MS, stalledMs = STALLED_MS } = parts
  // A line of a request has only fields of ours, so there is nothing to look for and take out, which costs more than it.
  const lines = log.child({}, { redact: [] })
  const load = new LoadWatch(parts.loopDelay)
  const debugHeader = service.dialect.debugIdHeader
  const warningsHeader = `${service.dialect.headerPrefix}-Warnings`
  const trusted = (service.settings.trustProxy ?? '').split(',').flatMap((range) => range.trim() || [])
  const checkVisitor = service.environment === 'sandbox' ? makeVisitorCheck(service.settings) : () => {}

  const server = Fastify({
    genReqId: () => ids.next('debug'),
    requestIdHeader: false,
    // A route of its own for each HEAD would be a third of all, and of the time it takes to make them.
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: 0,
    maxRequestsPerSocket: REQUESTS_PER_SOCKET_MAX,
    // What still comes in on an open connection while we stop is answered like everything before it.
    return503OnClosing: false,
    trustProxy: trusted.length === 0 ? false : trusted,
    routerOptions: {
      maxParamLength: PARAM_LENGTH_MAX,
      ignoreTrailingSlash: true,
      // The router may not throw; the operation reads the query and can refuse it.
      querystringParser: (text) => ({ text }),
    },
    http: {
      ServerResponse: PlainResponse,
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      // Checked by us, to answer with our own body.
      requireHostHeader: false,
    },
    rewriteUrl: straighten,
    frameworkErrors: (error, request, reply) => void refuse(error, request, reply),
    clientErrorHandler: (error, socket) => {
      // Nobody asked anything there. Hundreds of them come to their end at once, and an answer to each would hold up all others.
      if (socket.bytesRead === 0) socket.destroy()
      else refuseOn(socket, (error as { code?: string }).code)
    },
  })
  // One more than we take, because the parser drops the rest without a word.
  server.server.maxHeadersCount = HEADERS_MAX + 1
  limitConnections(server.server, trusted)
  server.server.on('connect', (_request, socket) => refuseOn(socket, 'CONNECT'))
  server.server.on('checkExpectation', (request: IncomingMessage) => refuseOn(request.socket, 'EXPECT'))
  const lateBodies = new LateBodies(bodyTimeoutMs, ({ socket }) => refuseOn(socket, 'ERR_HTTP_REQUEST_TIMEOUT'))
  server.addHook('onClose', async () => {
    load.close()
    lateBodies.close()
  })

  // Bodies arrive as streams and are read by the operation, after it knows who is calling and what it accepts.
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, stream, done) => done(null, stream))

  server.decorateRequest('operation')
  server.decorateRequest('caller')
  server.decorateRequest('problem')
  server.decorateRequest('unknowns')
  server.decorateRequest('sent')
  server.decorateRequest('answered')

  /** A refusal where there is no request to answer yet. */
  function refuseOn(socket: Duplex, code: string | undefined): void {
    const debugId = ids.next('debug')
    const rendered = renderProblem(wireProblem(code), { debugId, publicUrl: service.publicUrl })
    endWith(socket, { ...rendered, headers: { ...rendered.headers, [debugHeader]: debugId } })
  }

  server.addHook('onRequest', (request, reply, done) => {
    if (parts.isDraining?.()) reply.header('connection', 'close')
    try {
      checkWire(request.raw)
      checkVisitor(request.raw)
      done()
    } catch (error) {
      done(error as Problem)
    }
  })
  server.addHook('preParsing', (request, reply, payload, done) => {
    const { headers, socket } = request.raw
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
    if (hasBody) {
      if (!/^multipart\//i.test(headers['content-type'] ?? '')) lateBodies.await(request.raw)
      else {
        const stalled = onceStalled(socket, () => refuseOn(socket, 'ERR_HTTP_REQUEST_TIMEOUT'), stalledMs)
        const arrived = () => clearInterval(stalled)
        payload.once('end', arrived).once('close', arrived)
        // An answer that did not wait for the body ends the wait too.
        reply.raw.once('finish', arrived)
      }
    }
    done(null, payload)
  })

  function send(reply: FastifyReply, { status, headers, body }: Rendered): FastifyReply {
    reply.code(status)
    for (const name in headers) reply.header(name, headers[name])
    const { request } = reply
    if (request.unknowns !== undefined) reply.header(warningsHeader, warningsOf(request.unknowns))
    request.answered = body instanceof Readable ? undefined : body
    if (request.method !== 'HEAD') return reply.send(body)
    if (body instanceof Readable) body.destroy()
    else if (body !== undefined) reply.header('content-length', Buffer.byteLength(body))
    return reply.send()
  }

  function refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const problem = problemOf(error, parts.constraints)
    request.problem = problem ?? failure
    logFailure(log, request, error, problem)
    if (reply.sent) return reply
    reply.header(debugHeader, request.id)
    const route = request.operation?.route
    const refusal = route?.refusal ?? pageFor(request)
    const shown = refusal?.(problem ?? failure, request.headers, request.id, request.url)
    if (shown)
      return send(
        reply,
        render(new Answer(shown.status, shown.body, { ...problem?.headers, ...shown.headers }), shown.status),
      )
    return send(reply, renderProblem(problem ?? failure, { route, debugId: request.id, publicUrl: service.publicUrl }))
  }

  server.setErrorHandler((error, request, reply) => refuse(error, request, reply))
  const noSuchOperation = makeNoSuchOperation(parts.routes)
  const pageFor = makePageFor(parts.routes)
  server.setNotFoundHandler((request, reply) => refuse(noSuchOperation(request.method, request.url), request, reply))

  server.addHook('onResponse', (request, reply, done) => {
    lateBodies.answered(request.raw)
    const operation = request.operation?.route.operation ?? 'none'
    parts.observe(operation, request.method, reply.statusCode, reply.elapsedTime / 1000)
    if (log.isLevelEnabled('info')) logAnswer(lines, request, reply)
    parts.record?.(request, reply)
    done()
  })

  const shared = sharedState(service)
  for (const route of parts.routes) {
    const operation = operationOf(route, parts, shared)
    server.route({
      method: methodsOf(route),
      url: route.url,
      async onRequest(request, reply) {
        request.operation = operation
        reply.header(debugHeader, request.id)
        if (!route.always) load.admit()
        if (route.scopes !== 'public' || (route.recognises && request.headers.authorization !== undefined)) {
          const found = parts.authenticate(request.headers, request.ip)
          const caller = found instanceof Promise ? await found : found
          operation.requireServed(caller, request.headers)
          request.caller = caller
        }
        requireEnvironment(route, service)
        const disturbed = parts.disturb?.(request, reply)
        if (disturbed) await disturbed
        const standing = parts.admit(route, request)
        for (const name in standing) reply.header(name, standing[name])
      },
      handler: async (request, reply) => {
        const rendered = await operation.serve(request)
        if (isWaitedFor(route, service)) await parts.drain?.()
        return send(reply, rendered)
      },
    })
  }
  for (const { method, url } of captured(parts.routes))
    server.route({
      method: methodsOf({ method }),
      url,
      onRequest: async (request) => {
        throw noSuchOperation(method, request.url)
      },
      handler: async () => {},
    })
  return server
}

/** Whatever can be got can be asked for its head. */
const methodsOf = ({ method }: Pick<AnyRoute, 'method'>) => (method === 'GET' ? ['GET', 'HEAD'] : [method])

/** Calls `end` when a socket brings less than the least in each span of time. */
function onceStalled(socket: Socket, end: () => void, everyMs: number): NodeJS.Timeout {
  let before = socket.bytesRead
  const timer = setInterval(() => {
    const isStalled = socket.bytesRead - before < PROGRESS_BYTES_MIN
    before = socket.bytesRead
    if (!isStalled) return
    clearInterval(timer)
    end()
  }, everyMs)
  return timer.unref()
}

const failure = new Problem(500, 'INTERNAL_SERVER_ERROR')

function problemOf(error: unknown, constraints: NonNullable<Room['constraints']>): Problem | undefined {
  if (error instanceof Problem) return error
  if (typeof error !== 'object' || error === null) return undefined
  return frameworkProblem(error) ?? sqlProblem(error, constraints)
}

/** In a sandbox, what its own calls and the forms of payers started is done when they answer. */
const isWaitedFor = ({ tag, reads, stranger, method }: AnyRoute, { environment }: Service): boolean =>
  environment === 'sandbox' && ((tag === 'Sandbox' && !reads) || (stranger === 'payer' && method === 'POST'))

/** Whoever may call, what does not exist here is refused before its body is read. */
function requireEnvironment({ environment }: AnyRoute, service: Service): void {
  if (environment !== undefined && environment !== service.environment)
    throw forbidden(`This operation exists only in the ${environment} environment, and this is ${service.environment}.`)
}

declare module 'fastify' {
  interface FastifyRequest {
    /** What of it means nothing to us. */
    unknowns: readonly Unknown[] | undefined
    /** The body as it came, once it was read and when it was not multipart. */
    sent: Buffer | undefined
    /** The body as it went out. */
    answered: string | Buffer | undefined
    /** Why it was refused. */
    problem: Problem | undefined
    operation: Operation | undefined
    caller: Caller | undefined
  }
}
