import type { Duplex } from 'node:stream'
import { Readable } from 'node:stream'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import { type Constraints, sqlProblem } from '../database/errors.ts'
import type { Ids } from '../kernel/ids.ts'
import { Problem } from '../kernel/problem.ts'
import type { Service } from '../room.ts'
import { makePageFor } from './no-such-operation.ts'
import { frameworkProblem, renderProblem } from './problem-body.ts'
import { type Rendered, render } from './render.ts'
import { logFailure } from './request-log.ts'
import { Answer, type AnyRoute } from './route.ts'
import { warningsOf } from './validation/unknown.ts'
import { endWith, wireProblem } from './wire.ts'

interface ResponderParts {
  readonly service: Service
  readonly routes: readonly AnyRoute[]
  readonly ids: Ids
  readonly log: Logger
  readonly constraints: Constraints
}

/** Sends what goes out: answers, and refusals in our own error body or on the page that a route has for them. */
export interface Responder {
  /** The header that names an answer in our logs. */
  readonly debugHeader: string
  send(reply: FastifyReply, rendered: Rendered): FastifyReply
  refuse(error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply
  /** Refuses on a connection that has no request to answer yet, by the code of what went wrong on it. */
  refuseOn(socket: Duplex, code: string | undefined): void
}

export function makeResponder({ service, routes, ids, log, constraints }: ResponderParts): Responder {
  const { publicUrl, dialect } = service
  const debugHeader = dialect.debugIdHeader
  const warningsHeader = `${dialect.headerPrefix}-Warnings`
  const pageFor = makePageFor(routes)

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

  return {
    debugHeader,
    send,
    refuse(error, request, reply) {
      const problem = problemOf(error, constraints)
      const told = problem ?? failure
      request.problem = told
      logFailure(log, request, error, problem)
      if (reply.sent) return reply
      reply.header(debugHeader, request.id)
      const route = request.operation?.route
      const page = (route?.refusal ?? pageFor(request))?.(told, request.headers, request.id, request.url)
      if (!page) return send(reply, renderProblem(told, { route, debugId: request.id, publicUrl }))
      const headers = { ...problem?.headers, ...page.headers }
      return send(reply, render(new Answer(page.status, page.body, headers), page.status))
    },
    refuseOn(socket, code) {
      const debugId = ids.next('debug')
      const rendered = renderProblem(wireProblem(code), { debugId, publicUrl })
      endWith(socket, { ...rendered, headers: { ...rendered.headers, [debugHeader]: debugId } })
    },
  }
}

/** What callers are told of a mistake of ours. */
const failure = new Problem(500, 'INTERNAL_SERVER_ERROR')

function problemOf(error: unknown, constraints: Constraints): Problem | undefined {
  if (error instanceof Problem) return error
  if (typeof error !== 'object' || error === null) return undefined
  return frameworkProblem(error) ?? sqlProblem(error, constraints)
}
