import { type Issue, Problem, type ProblemName } from '../kernel/problem.ts'
import type { Rendered } from './render.ts'
import type { AnyRoute, ErrorStyle } from './route.ts'

/** The names that the webhook operations have for the same refusals. */
const notificationNames: Readonly<Partial<Record<ProblemName, ProblemName>>> = {
  INVALID_REQUEST: 'VALIDATION_ERROR',
  RESOURCE_NOT_FOUND: 'INVALID_RESOURCE_ID',
}

/** Where the faulty value was, if the issue does not say. A request without a body can only have it in the query. */
const placeOf = ({ location, field }: Issue, method: string | undefined) =>
  location ?? (method === 'GET' && field !== undefined ? 'query' : 'body')

/** The body of a refusal, in the shape its operation's clients expect. */
function problemBody(
  problem: Problem,
  style: ErrorStyle,
  debugId: string,
  documentation: string,
  method?: string,
): object {
  const { name, message } = problem
  const details = problem.details.map((detail) => ({ location: placeOf(detail, method), ...detail }))
  // For clients of the token operations, a form that cannot be read is an invalid request and nothing more.
  const oauthError = problem.oauthError ?? (style === 'oauth' && problem.status === 400 ? 'invalid_request' : undefined)
  const links = [{ href: documentation, rel: 'information_link', method: 'GET' }]
  const oauth = oauthError !== undefined && {
    error: oauthError,
    error_description: details[0]?.description ?? message,
  }
  if (style === 'oauth' && oauth) return oauth
  if (style === 'notifications')
    return {
      ...oauth,
      name: notificationNames[name] ?? name,
      message,
      debug_id: debugId,
      information_link: documentation,
      details: details.map(({ field, issue, description, location }) => ({
        // This group of operations writes field names without the leading slash.
        ...(field !== undefined && { field: field.replace(/^\//, '').replaceAll('/', '.') }),
        issue: description,
        code: issue,
        location,
      })),
      links,
    }
  return {
    ...oauth,
    name,
    message,
    debug_id: debugId,
    ...(details.length > 0 && { details }),
    links,
  }
}

/** What goes into the answer of a refusal: the operation if known, the id of the answer, and where the documentation is. */
export interface Telling {
  readonly route?: Pick<AnyRoute, 'operation' | 'errors' | 'method'> | undefined
  readonly debugId: string
  readonly publicUrl: string
}

/** A refusal as it goes out. */
export function renderProblem(problem: Problem, { route, debugId, publicUrl }: Telling): Rendered {
  const documentation = `${publicUrl}/docs${route ? `/${route.operation}` : ''}`
  const body = problemBody(problem, route?.errors ?? 'standard', debugId, documentation, route?.method)
  const headers = { 'content-type': 'application/json; charset=utf-8', ...problem.headers }
  return { status: problem.status, headers, body: JSON.stringify(body) }
}

/** Turns what the framework refuses by itself into one of our refusals. */
export function frameworkProblem(error: { code?: unknown; statusCode?: unknown }): Problem | undefined {
  switch (error.code) {
    case 'FST_ERR_CTP_INVALID_MEDIA_TYPE':
      return new Problem(415, 'UNSUPPORTED_MEDIA_TYPE')
    case 'FST_ERR_BAD_URL':
    case 'FST_ERR_MAX_PARAM_LENGTH':
      return new Problem(400, 'INVALID_REQUEST', [
        { issue: 'INVALID_PARAMETER_SYNTAX', description: 'The address or the length of the request is not readable.' },
      ])
    case 'ECONNRESET':
    case 'ERR_STREAM_PREMATURE_CLOSE':
      return new Problem(400, 'INVALID_REQUEST', [
        { issue: 'MALFORMED_REQUEST', description: 'The request ended before it was complete.' },
      ])
    default:
      return undefined
  }
}
