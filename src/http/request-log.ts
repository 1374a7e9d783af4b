import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Logger } from 'pino'
import type { Problem } from '../kernel/problem.ts'

const PATH_LOGGED_MAX = 200

/** One line an answer; its debug id leads from the answer to the line. */
export function logAnswer(log: Logger, request: FastifyRequest, reply: FastifyReply): void {
  const { caller } = request
  log.info(
    {
      method: request.method,
      path: pathOf(request),
      operation: request.operation?.route.operation ?? 'none',
      status: reply.statusCode,
      ms: Math.round(reply.elapsedTime),
      debug_id: request.id,
      trace_id: traceIn(request.headers['traceparent']),
      app: caller?.personId === undefined ? caller?.appId : undefined,
      person: caller?.personId,
      account: caller?.accountId,
      issues: request.problem && issuesOf(request.problem),
    },
    'request',
  )
}

/** Version, trace id, parent id and flags, as W3C Trace Context has them. Later versions may say more behind that. */
const traceparent = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/
const isNothing = (digits: string) => /^0+$/.test(digits)

/** By which the caller finds the line again; none where nothing was sent, or nothing that can be read. */
function traceIn(header: string | readonly string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, trace, parent, more] = traceparent.exec(header) ?? []
  if (trace === undefined || version === 'ff' || isNothing(trace) || isNothing(parent!)) return undefined
  return version === '00' && more !== undefined ? undefined : trace
}

/** Why a request could not be answered: our mistake, or what we stand on was not there. What callers can mend is none. */
export function logFailure(log: Logger, { id, operation }: FastifyRequest, error: unknown, problem?: Problem): void {
  const line = (err: unknown) => ({ err, debug_id: id, operation: operation?.route.operation })
  const reason = error === problem ? problem?.cause : error
  if (!problem) log.error(line(error), 'a request failed')
  else if (problem.status >= 500 && reason !== undefined) log.warn(line(reason), 'a request could not be answered')
}

/**
 * Without the query, which may name people; and of pages, whose address is their key, only what they are. What is no operation may
 * be such an address with another method or with something behind it, where it is none of the API.
 */
function pathOf({ operation, url }: FastifyRequest): string {
  const { route } = operation ?? {}
  if (route?.limitedBy === 'address') return route.url
  const path = url.split('?', 1)[0]!.slice(0, PATH_LOGGED_MAX)
  return route || /^\/v[12]\//.test(path) ? path : path.replace(/^(\/+[^/]*\/).*/, '$1…')
}

const issuesOf = ({ name, details }: Problem) =>
  details.length === 0 ? [name] : details.map(({ issue, field }) => (field === undefined ? issue : `${issue} ${field}`))
