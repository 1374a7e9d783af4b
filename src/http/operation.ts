import type { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import type { Transact, Tx } from '../database/transaction.ts'
import { type Caller, nobody } from '../kernel/caller.ts'
import { forbidden, type Issue, malformed, Problem } from '../kernel/problem.ts'
import type { TSchema } from '../kernel/type.ts'
import { parseForm, parseQuery } from './body/form.ts'
import { parseJson } from './body/json.ts'
import { acceptable, parseMediaType } from './body/media-type.ts'
import { multipartLimits, readMultipart, type UploadedFile } from './body/multipart.ts'
import { type Take, UploadBudget } from './body/upload-budget.ts'
import { causeOf } from './cause.ts'
import {
  findReplay,
  type KeyedRequest,
  keepAnswer,
  keyedRequest,
  requestHash,
  requestKey,
  UnderWay,
} from './idempotency.ts'
import { renderProblem } from './problem-body.ts'
import { type Rendered, render } from './render.ts'
import type { AnyRoute, Request } from './route.ts'
import type { ServerParts } from './server.ts'
import { makeValidator } from './validation/validator.ts'

/** A route made ready to be served. */
export interface Operation {
  readonly route: AnyRoute
  /** Refuses a caller whose token lacks all of the route's scopes. */
  requireScope(caller: Caller): void
  serve(request: FastifyRequest): Promise<Rendered>
}

const underWay = new UnderWay()

const UPLOAD_BYTES_AT_ONCE_MAX = 5 * multipartLimits.bodyBytes
const uploads = new UploadBudget(UPLOAD_BYTES_AT_ONCE_MAX)

/** What a body turned out to be: its value and files, or the reasons why it cannot be used. */
interface ReadBody {
  readonly value: unknown
  readonly files: readonly UploadedFile[]
  readonly problem?: Problem
}

/** Compiles a route once; what follows for each request is the contract's order of checks. */
export function operationOf(route: AnyRoute, parts: ServerParts): Operation {
  const { service, db, transactFor, clock } = parts
  const checkParams = validatorOf(route.params, 'path')
  const checkQuery = validatorOf(route.query, 'query')
  const checkBody = validatorOf(route.body, 'body')
  const produces = route.produces ?? ['application/json']
  const accepts = route.accepts ?? ['application/json']
  const usualStatus = Number(Object.keys(route.success)[0])
  const hasBody = route.body !== undefined

  async function serve(request: FastifyRequest, take: Take = () => {}): Promise<Rendered> {
    const caller = request.caller ?? nobody
    // The router hands the query over as it came.
    const query = parseQuery((request.query as { text: string }).text)
    const json = jsonOf(request)
    if (route.trigger && service.environment === 'sandbox') pullTrigger(request, query, json)
    if (acceptable(request.headers.accept, produces) === undefined) throw new Problem(406, 'NOT_ACCEPTABLE')
    if (hasBody) requireMediaType(request)
    report(checkParams(request.params))
    report(checkQuery(query))

    const {
      value: body,
      files,
      problem,
    } = hasBody ? await readBody(request, json, take) : { value: undefined, files: [] }
    if (problem) {
      await route.precheck?.(db, caller, request.params as never)
      throw problem
    }
    const { params, headers } = request
    const raw = Buffer.isBuffer(request.body) ? request.body : undefined
    const checked = { caller, params, query, body, files, headers, raw } as Request<TSchema, TSchema, TSchema>
    if (route.reads === true) return render(await route.handle({ ...checked, db, now: clock.now() }), usualStatus)
    if (route.reads === 'free')
      return render(await route.handle({ ...checked, db, transact: transactFor(causeOf(route, request)) }), usualStatus)

    const key = route.method === 'POST' && caller !== nobody ? requestKey(headers) : undefined
    const transact = transactFor(causeOf(route, request, key))
    const locks = typeof route.locks === 'function' ? route.locks(checked) : (route.locks ?? false)
    const work: Work = async (tx) => render(await route.handle({ ...checked, tx }), usualStatus)
    if (key === undefined) return transact(work, { locks })
    const hash = requestHash(request.url, body, files)
    const keyed = keyedRequest(caller, {
      operation: route.operation,
      url: request.url,
      key,
      hash,
      hours: route.replayHours,
    })
    return underWay.run(keyed, () => once(request, keyed, work, { transact, locks }))
  }

  /**
   * Carries the work out unless its answer is already known, and keeps the answer with the effect. Most requests come
   * once, so the work goes first: keeping the answer fails when there is one already, and then, as whenever anything
   * else fails, the first answer is looked for.
   */
  async function once(
    request: FastifyRequest,
    keyed: KeyedRequest,
    work: Work,
    { transact, locks }: { transact: Transact; locks: boolean },
  ): Promise<Rendered> {
    let tries = 0
    const keeping = (transact: Transact, answerOf: Work) =>
      transact(
        async (tx) => {
          const replay = tries++ > 0 ? await findReplay(tx, keyed, tx.now) : undefined
          if (replay) return replay
          const answer = await answerOf(tx)
          keepAnswer(tx, keyed, answer)
          return answer
        },
        { locks },
      )
    try {
      return await keeping(transact, work)
    } catch (error) {
      const replay = await findReplay(db, keyed, clock.now())
      if (replay) return replay
      // A refusal by the rules is an answer too. One by the schema is not, so that a mended call can succeed.
      if (!(error instanceof Problem) || error.status !== 422) throw error
      const refusal = renderProblem(error, route.errors ?? 'standard', request.id, service.publicUrl)
      // Nothing was done for the caller, so nothing is to be said of it in the audit log.
      return keeping(transactFor({ kind: 'service', task: 'keep a refusal' }), async () => refusal)
    }
  }

  function requireMediaType(request: FastifyRequest): void {
    const type = parseMediaType(request.headers['content-type'])?.type
    const isEmpty = request.body === undefined || (Buffer.isBuffer(request.body) && request.body.length === 0)
    if (isEmpty && (type === undefined || route.bodyOptional)) return
    // A form without a content type is what some old clients send to the token operations.
    if (type === undefined && accepts.includes('application/x-www-form-urlencoded')) return
    const encoding = request.headers['content-encoding'] ?? 'identity'
    if (encoding !== 'identity') throw unsupported('Send the body without a Content-Encoding.')
    if (accepts.some((accepted) => (accepted === 'multipart' ? isMultipart(type) : accepted === type))) return
    throw unsupported(`Send ${accepts.join(' or ')}.`)
  }

  /** Reads and checks the body. Problems are returned, because other refusals may come first. */
  async function readBody(request: FastifyRequest, json: () => unknown, take: Take): Promise<ReadBody> {
    try {
      const { value: raw, files } = await parseBody(request, json, take)
      const value = route.prepare ? route.prepare(raw) : raw
      const issues = checkBody(value)
      return { value, files, ...(issues.length > 0 && { problem: malformed(...issues) }) }
    } catch (error) {
      if (error instanceof Problem) return { value: undefined, files: [], problem: error }
      throw error
    }
  }

  async function parseBody(
    { headers, body }: FastifyRequest,
    json: () => unknown,
    take: Take,
  ): Promise<{ value: unknown; files: readonly UploadedFile[] }> {
    const type = parseMediaType(headers['content-type'])?.type
    if (isMultipart(type)) {
      // The content type parser hands a multipart body over as the stream it is.
      const parts = await readMultipart(body as Readable, headers['content-type']!, multipartLimits, take)
      // A form of ours has fields; everybody else's multipart carries JSON.
      return {
        value: accepts.includes('application/x-www-form-urlencoded') ? parts.fields : parts.json,
        files: parts.files,
      }
    }
    // Every other body was collected as bytes.
    const bytes = (body as Buffer | undefined) ?? Buffer.alloc(0)
    if (accepts.includes('application/x-www-form-urlencoded')) return { value: parseForm(bytes), files: [] }
    if (bytes.length === 0) {
      if (route.bodyOptional) return { value: {}, files: [] }
      throw malformed({ issue: 'MISSING_OR_INVALID_REQUEST_BODY', description: 'This operation needs a JSON body.' })
    }
    return { value: json(), files: [] }
  }

  /** Sandbox only: a trigger value makes the operation answer with a simulated error. */
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

  return {
    route,
    requireScope: (caller) => requireScope(route, caller),
    serve: accepts.includes('multipart') ? (request) => uploads.during((take) => serve(request, take)) : serve,
  }
}

/** Reads the bytes of a body as JSON, once however often it is asked. */
function jsonOf({ body }: FastifyRequest): () => unknown {
  let parsed: { readonly value: unknown } | undefined
  return () => {
    parsed ??= { value: Buffer.isBuffer(body) ? parseJson(body) : undefined }
    return parsed.value
  }
}

const unsupported = (description: string) =>
  new Problem(415, 'UNSUPPORTED_MEDIA_TYPE', [{ issue: 'UNSUPPORTED_MEDIA_TYPE', description, location: 'header' }])

type Work = (tx: Tx) => Promise<Rendered>

const isMultipart = (type: string | undefined) => /^multipart\/(form-data|mixed|related)$/.test(type ?? '')

const validatorOf = (schema: TSchema | undefined, place: 'body' | 'path' | 'query') =>
  schema ? makeValidator(schema, place) : () => []

function report(issues: readonly Issue[]): void {
  if (issues.length > 0) throw malformed(...issues)
}

function requireScope({ scopes }: AnyRoute, caller: Caller): void {
  if (scopes === 'public' || scopes.length === 0 || scopes.some((scope) => caller.scopes.has(scope))) return
  throw forbidden(`The access token has none of the scopes this operation takes: ${scopes.join(', ')}.`)
}
