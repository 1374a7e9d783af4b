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

/** Version, trace id, parent id and flags, as in W3C Trace Context. Later versions may add more behind that. */
const traceparent = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-[\da-f]{2}(-.*)?$/
const isNothing = (digits: string) => /^0+$/.test(digits)

/** The trace id, by which the caller finds the line again. Undefined if no header came or it cannot be read. */
function traceIn(header: string | readonly string[] | undefined): string | undefined {
  if (typeof header !== 'string') return undefined
  const [, version, trace, parent, more] = traceparent.exec(header) ?? []
  if (trace === undefined || version === 'ff' || isNothing(trace) || isNothing(parent!)) return undefined
  return version === '00' && more !== undefined ? undefined : trace
}

/**
 * Logs why a request could not be answered: a mistake of ours, or something we depend on was away. What callers can mend is
 * not logged.
 */
export function logFailure(log: Logger, { id, operation }: FastifyRequest, error: unknown, problem?: Problem): void {
  const line = (err: unknown) => ({ err, debug_id: id, operation: operation?.route.operation })
  const reason = error === problem ? problem?.cause : error
  if (!problem) log.error(line(error), 'a request failed')
  else if (problem.status >= 500 && reason !== undefined) log.warn(line(reason), 'a request could not be answered')
}

/**
 * The address without its query, which may name people. The address of a page is its key, so only its route is logged. An
 * unknown address may be that of a page with another method or something behind it, so outside of the API only its first
 * word is logged.
 */
function pathOf({ operation, url }: FastifyRequest): string {
  const { route } = operation ?? {}
  if (route?.limitedBy === 'address') return route.url
  const path = url.split('?', 1)[0]!.slice(0, PATH_LOGGED_MAX)
  return route || /^\/v[12]\//.test(path) ? path : path.replace(/^(\/+[^/]*\/).*/, '$1…')
}

const issuesOf = ({ name, details }: Problem) =>
  details.length === 0 ? [name] : details.map(({ issue, field }) => (field === undefined ? issue : `${issue} ${field}`))
