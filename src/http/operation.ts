import type { FastifyRequest } from 'fastify'
import { type Caller, nobody } from '../kernel/caller.ts'
import { forbidden, type Issue, malformed, Problem } from '../kernel/problem.ts'
import type { TSchema } from '../kernel/type.ts'
import { letOthersIn, workFor } from '../kernel/working.ts'
import type { Service } from '../room.ts'
import { parseQuery } from './body/form.ts'
import { acceptable } from './body/media-type.ts'
import { multipartLimits } from './body/multipart.ts'
import { bodyReader, type ReadBody, receiveBody, type SentBody, takenBy } from './body/route-body.ts'
import { type Take, UploadBudget } from './body/upload-budget.ts'
import { carryOutOf, isLong, repeatsOf, type WorkParts } from './carry-out.ts'
import type { Turn } from './limits/processor-share.ts'
import { networkOf } from './limits/rate-limit.ts'
import type { Rendered } from './render.ts'
import type { AnyRoute, Request } from './route.ts'
import { sentenceOf, type Unknown, unknownsFinder } from './validation/unknown.ts'
import { makeValidator } from './validation/validator.ts'

/** What operations need of the service. */
export interface OperationParts extends WorkParts {
  readonly routes: readonly AnyRoute[]
  /** Refuses a caller whose account lives in another cell, if the operation is about things that are only there. */
  requireCell?(route: AnyRoute, caller: Caller, headers: FastifyRequest['headers']): void
  /** Told how large a caller's body was once it has arrived. Uploads do not count. */
  charge?(caller: Caller, bytes: number): void
  /** Waits until a request gets its turn among those of others. Absent if nobody is kept waiting. */
  takeTurn?(route: AnyRoute, request: { caller: Caller | undefined; ip: string }): Turn | Promise<Turn> | undefined
}

/** A route made ready to be served. */
export interface Operation {
  readonly route: AnyRoute
  /** Refuses a caller whom the route does not serve: one of another cell, or one whose token lacks all of its scopes. */
  requireServed(caller: Caller, headers: FastifyRequest['headers']): void
  serve(request: FastifyRequest): Promise<Rendered>
}

/** The schemas of what clients may have got from this address, or from what it makes, and send back unchanged. */
const sentBack = ({ url, success }: AnyRoute, routes: readonly AnyRoute[]): TSchema[] =>
  [
    success,
    ...routes
      .filter((one) => one.method === 'GET' && one.url.replace(/\/:\w+$/, '') === url.replace(/\/:\w+$/, ''))
      .map((one) => one.success),
  ]
    .flatMap((answers) => Object.values(answers))
    .filter((schema) => schema !== null)

const issueOf = (unknown: Unknown): Issue => ({
  issue: unknown.kind === 'field' ? 'UNKNOWN_FIELD' : 'UNKNOWN_VALUE',
  field: unknown.pointer,
  location: unknown.pointer.startsWith('/') ? 'body' : 'query',
  description: `${sentenceOf(unknown)}. STRICT_FIELDS refuses what is not known.`.replace(/^u/, 'U'),
})

const noBody: ReadBody = { value: undefined, files: [] }

/** What the operations of one service share. */
export const sharedState = (service: Service) => ({
  repeats: repeatsOf(service),
  // Two budgets, so that strangers, of whom there can be any number, leave room for accounts. Each alone has room for any body.
  uploads: new UploadBudget(3 * multipartLimits.bodyBytes),
  uploadsOfStrangers: new UploadBudget(2 * multipartLimits.bodyBytes),
})

/** Compiles a route once. What follows for each request is the contract's order of checks. */
export function operationOf(route: AnyRoute, parts: OperationParts, shared: ReturnType<typeof sharedState>): Operation {
  const { service, db } = parts
  const checkParams = validatorOf(route.params, 'path')
  const checkQuery = validatorOf(route.query, 'query')
  const bodies = route.body && bodyReader(route, () => sentBack(route, parts.routes))
  const { query: querySchema } = route
  const findInQuery = querySchema && unknownsFinder(() => [querySchema])
  const isStrict = service.settings.strictFields
  // Forms belong to our own pages, and libraries add fields of their own when they ask for a token.
  const looksForUnknowns =
    (isStrict || service.environment === 'sandbox') && !takenBy(route).includes('application/x-www-form-urlencoded')
  const produces = route.produces ?? ['application/json']
  const accepts = route.accepts ?? ['application/json']
  const carryOut = carryOutOf(route, parts, shared.repeats)

  async function serve(request: FastifyRequest, take: Take = () => {}): Promise<Rendered> {
    // The router hands the query over as text.
    const query = parseQuery((request.query as { text: string }).text)
    // Nothing that is there already is waited for: each wait is another turn of the loop, and most requests only need one,
    // for the database.
    const received = receiveBody(request.headers, request.body, route)
    const sent = received instanceof Promise ? await received : received
    request.sent = sent.bytes
    if (request.caller && sent.bytes) parts.charge?.(request.caller, sent.bytes.length)
    if (route.trigger && service.environment === 'sandbox') pullTrigger(request, query, sent.json)
    if (acceptable(request.headers.accept, produces) === undefined) throw new Problem(406, 'NOT_ACCEPTABLE')
    bodies?.requireMediaType(request.headers, sent)
    report(checkParams(request.params))
    report(checkQuery(query))

    // A stream comes as slowly as its sender likes, so it is read before a turn is taken.
    const streamed = sent.stream && (await bodies?.read(request.headers, sent, take))
    const taken = parts.takeTurn?.(route, request)
    const turn = taken instanceof Promise ? await taken : taken
    if (turn) workFor(turn.worked)
    try {
      const read = streamed ?? (bodies && (await bodies.read(request.headers, sent, take))) ?? noBody
      if (isLong(sent.bytes)) await letOthersIn()
      const problem = bodyProblem(request, query, read)
      if (problem) {
        await route.precheck?.(db, request.caller ?? nobody, request.params as never)
        throw problem
      }
      return await carryOut(request, checkedOf(request, query, sent, read))
    } finally {
      turn?.end()
    }
  }

  /**
   * Why a body that was read cannot be used. Also notes what in the request has no meaning here, so that the answer can say
   * so.
   */
  function bodyProblem(request: FastifyRequest, query: unknown, read: ReadBody): Problem | undefined {
    const unknowns = looksForUnknowns ? [...unknownParameters(query), ...(read.unknowns?.() ?? [])] : []
    if (unknowns.length > 0) request.unknowns = unknowns
    return read.problem ?? (isStrict && unknowns.length > 0 ? malformed(...unknowns.map(issueOf)) : undefined)
  }

  const unknownParameters = (query: unknown): Unknown[] =>
    findInQuery?.(query).map((one) => ({ ...one, pointer: one.pointer.slice(1) })) ?? []

  /** In a sandbox only: a trigger value makes the operation answer with a simulated error. */
  function pullTrigger({ params }: FastifyRequest, query: unknown, json: () => unknown): void {
    const peek = () => {
      try {
        return json()
      } catch {
        return undefined
      }
    }
    route.trigger?.({ params: params as Record<string, string>, query, body: peek })
  }

  function upload<Result>({ caller, ip }: FastifyRequest, work: (take: Take) => Promise<Result>): Promise<Result> {
    const { uploads, uploadsOfStrangers } = shared
    return caller ? uploads.during(caller.accountId, work) : uploadsOfStrangers.during(networkOf(ip), work)
  }

  return {
    route,
    requireServed(caller, headers) {
      parts.requireCell?.(route, caller, headers)
      requireScope(route, caller)
    },
    serve: accepts.includes('multipart') ? (request) => upload(request, (take) => serve(request, take)) : serve,
  }
}

/** What a handler is given. Its schemas were checked, which the type of a route of any kind cannot say. */
const checkedOf = (
  { caller = nobody, params, headers, ip }: FastifyRequest,
  query: unknown,
  { bytes }: SentBody,
  { value: body, files }: ReadBody,
) => ({ caller, params, query, body, files, headers, raw: bytes, address: ip }) as Request

const validatorOf = (schema: TSchema | undefined, place: 'path' | 'query') =>
  schema ? makeValidator(schema, place) : () => []

function report(issues: readonly Issue[]): void {
  if (issues.length > 0) throw malformed(...issues)
}

function requireScope({ scopes }: AnyRoute, caller: Caller): void {
  if (scopes === 'public' || scopes.length === 0 || scopes.some((scope) => caller.scopes.has(scope))) return
  throw forbidden(`The access token has none of the scopes this operation takes: ${scopes.join(', ')}.`)
}
