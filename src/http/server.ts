import type { IncomingHttpHeaders, IncomingMessage, Server } from 'node:http'
import Fastify, { type FastifyHttpOptions, type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Caller } from '../kernel/caller.ts'
import type { Ids } from '../kernel/ids.ts'
import { forbidden, type Problem } from '../kernel/problem.ts'
import type { Service } from '../room.ts'
import { hangsUp } from './hang-up.ts'
import { limitConnections } from './limits/connections.ts'
import { LateBodies } from './limits/late-bodies.ts'
import { type DelayMeter, LoadWatch } from './limits/load.ts'
import { endOnceStalled, STALLED_MS } from './limits/stalled-uploads.ts'
import { listensAt } from './listen.ts'
import { captured, makeNoSuchOperation } from './no-such-operation.ts'
import { type Operation, type OperationParts, operationOf, sharedState } from './operation.ts'
import { PlainResponse } from './plain-response.ts'
import { logAnswer } from './request-log.ts'
import { makeResponder, type Responder } from './respond.ts'
import type { AnyRoute } from './route.ts'
import type { Unknown } from './validation/unknown.ts'
import { makeVisitorCheck } from './visitors.ts'
import { checkWire, HEADERS_MAX, straighten } from './wire.ts'

const HEADER_BYTES_MAX = 16_384
const PARAM_LENGTH_MAX = 2_048
/** For a whole request with an upload. All other bodies have `BODY_TIMEOUT_MS`. */
const REQUEST_TIMEOUT_MS = 120_000
const BODY_TIMEOUT_MS = 30_000
const HEADERS_TIMEOUT_MS = 10_000
const KEEP_ALIVE_MS = 65_000
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
  /** Called before anything else of a request is looked at; throws to refuse it. Gives headers to be added to the answer. */
  admit(route: AnyRoute, request: Arrival): Record<string, string>
  /** Told of every answer, for metrics. */
  observe(operation: string, method: string, status: number, seconds: number): void
  /** Makes a request go wrong for somebody who wants to see that: throws, waits or hangs up. Absent in live. */
  disturb?(request: FastifyRequest, reply: FastifyReply): Promise<void> | undefined
  /** Told of every request that was answered, with its body and its answer. Absent if there is no request log. */
  record?(request: FastifyRequest, reply: FastifyReply): void
  /** Whether the service is about to stop, so that clients should use another connection for their next request. */
  isDraining?(): boolean
  /** Does everything that is due, so that a call of the sandbox can answer when all that it started is done. */
  drain?(): Promise<void>
  /** How long a body that is no upload may take to arrive. 30 seconds by default. */
  readonly bodyTimeoutMs?: number
  /** After how long an upload that stands still is ended. 10 seconds by default. */
  readonly stalledMs?: number
  /** How late the event loop runs. Measured, unless a meter is handed in. */
  readonly loopDelay?: DelayMeter
}

/** The HTTP server: every route of the table, and refusals in our own error body for everything else. */
export function makeServer(parts: ServerParts): FastifyInstance {
  const { service, routes, log } = parts
  const { trustProxy } = service.settings
  const trusted = (trustProxy ?? '').split(',').flatMap((range) => range.trim() || [])
  const responder = makeResponder(parts)
  const { refuse, refuseOn } = responder

  const server = Fastify(optionsOf(parts, trusted, responder))
  // One more than we accept, because the parser silently drops the rest.
  server.server.maxHeadersCount = HEADERS_MAX + 1
  limitConnections(server.server, trusted)
  const hangUp = hangsUp(server.server)
  server.addHook('preClose', async () => hangUp())
  listensAt(server)
  server.server.on('connect', (_request, socket) => refuseOn(socket, 'CONNECT'))
  server.server.on('checkExpectation', (request: IncomingMessage) => refuseOn(request.socket, 'EXPECT'))
  server.decorateRequest('operation')
  server.decorateRequest('caller')
  server.decorateRequest('problem')
  server.decorateRequest('unknowns')
  server.decorateRequest('sent')
  server.decorateRequest('answered')

  const checkVisitor = service.environment === 'sandbox' ? makeVisitorCheck(service.settings) : () => {}
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
  const lateBodies = awaitBodies(server, parts, ({ socket }) => refuseOn(socket, 'ERR_HTTP_REQUEST_TIMEOUT'))

  server.setErrorHandler((error, request, reply) => refuse(error, request, reply))
  const noSuchOperation = makeNoSuchOperation(routes)
  server.setNotFoundHandler((request, reply) => refuse(noSuchOperation(request.method, request.url), request, reply))

  // The line of a request holds only our own fields, so nothing has to be redacted. Looking for it would cost more than the line.
  const lines = log.child({}, { redact: [] })
  server.addHook('onResponse', (request, reply, done) => {
    lateBodies.answered(request.raw)
    const operation = request.operation?.route.operation ?? 'none'
    parts.observe(operation, request.method, reply.statusCode, reply.elapsedTime / 1000)
    if (log.isLevelEnabled('info')) logAnswer(lines, request, reply)
    parts.record?.(request, reply)
    done()
  })

  addRoutes(server, parts, responder)
  for (const { method, url } of captured(routes))
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

function optionsOf({ ids }: ServerParts, trusted: readonly string[], { refuse, refuseOn }: Responder) {
  return {
    genReqId: () => ids.next('debug'),
    requestIdHeader: false,
    // A separate route for each HEAD would make up a third of all routes, and of the time it takes to make them.
    exposeHeadRoutes: false,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: KEEP_ALIVE_MS,
    connectionTimeout: 0,
    maxRequestsPerSocket: REQUESTS_PER_SOCKET_MAX,
    // Requests that still come in on an open connection while we stop are answered like everything before.
    return503OnClosing: false,
    trustProxy: trusted.length === 0 ? false : [...trusted],
    routerOptions: {
      maxParamLength: PARAM_LENGTH_MAX,
      ignoreTrailingSlash: true,
      // The router must not throw. The operation reads the query itself, and can refuse it.
      querystringParser: (text) => ({ text }),
    },
    http: {
      ServerResponse: PlainResponse,
      maxHeaderSize: HEADER_BYTES_MAX,
      headersTimeout: HEADERS_TIMEOUT_MS,
      connectionsCheckingInterval: 5_000,
      // We check it ourselves, in order to answer with our own error body.
      requireHostHeader: false,
    },
    rewriteUrl: straighten,
    frameworkErrors: (error, request, reply) => void refuse(error, request, reply),
    clientErrorHandler: (error, socket) => {
      // Nothing was sent on this connection. Hundreds of these end at once, and an answer to each would hold up everybody else.
      if (socket.bytesRead === 0) socket.destroy()
      else refuseOn(socket, (error as { code?: string }).code)
    },
  } satisfies FastifyHttpOptions<Server>
}

/** Bodies arrive as streams. The operation reads them once it knows who is calling and what it accepts. */
function awaitBodies(
  server: FastifyInstance,
  { bodyTimeoutMs = BODY_TIMEOUT_MS, stalledMs = STALLED_MS }: ServerParts,
  end: (request: IncomingMessage) => void,
): LateBodies {
  server.removeAllContentTypeParsers()
  server.addContentTypeParser('*', (_request, stream, done) => done(null, stream))
  const lateBodies = new LateBodies(bodyTimeoutMs, end)
  server.addHook('preParsing', ({ raw: request }, reply, payload, done) => {
    const { headers } = request
    const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
    const isUpload = hasBody && /^multipart\//i.test(headers['content-type'] ?? '')
    if (isUpload) endOnceStalled({ request, payload, answer: reply.raw }, stalledMs, () => end(request))
    else if (hasBody) lateBodies.await(request)
    done(null, payload)
  })
  server.addHook('onClose', async () => lateBodies.close())
  return lateBodies
}

/** Adds each operation, behind the checks that come before a body is read: the load, the caller, and the caller's limits. */
function addRoutes(server: FastifyInstance, parts: ServerParts, { debugHeader, send }: Responder): void {
  const { service } = parts
  const load = new LoadWatch(parts.loopDelay)
  server.addHook('onClose', async () => load.close())
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
}

/** Every GET also answers HEAD. */
const methodsOf = ({ method }: Pick<AnyRoute, 'method'>) => (method === 'GET' ? ['GET', 'HEAD'] : [method])

/** In a sandbox, its own calls and the forms of payers are answered only when what they started is done. */
const isWaitedFor = ({ tag, reads, stranger, method }: AnyRoute, { environment }: Service): boolean =>
  environment === 'sandbox' && ((tag === 'Sandbox' && !reads) || (stranger === 'payer' && method === 'POST'))

/** An operation of the other environment is refused to everybody, before its body is read. */
function requireEnvironment({ environment }: AnyRoute, service: Service): void {
  if (environment !== undefined && environment !== service.environment)
    throw forbidden(`This operation exists only in the ${environment} environment, and this is ${service.environment}.`)
}

declare module 'fastify' {
  interface FastifyRequest {
    /** The parts of the request that have no meaning here. */
    unknowns: readonly Unknown[] | undefined
    /** The body as it came. Set once it has been read, unless it was multipart. */
    sent: Buffer | undefined
    /** The body as it went out. */
    answered: string | Buffer | undefined
    /** Why the request was refused. */
    problem: Problem | undefined
    operation: Operation | undefined
    caller: Caller | undefined
  }
}
