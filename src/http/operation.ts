import type { FastifyRequest } from 'fastify'
import { type Constraints, sqlProblem } from '../database/errors.ts'
import type { Reader, Transact, TransactFor, Tx } from '../database/transaction.ts'
import { type Caller, nobody } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { forbidden, type Issue, malformed, Problem } from '../kernel/problem.ts'
import type { TSchema } from '../kernel/type.ts'
import { letOthersIn, workFor } from '../kernel/working.ts'
import type { Service } from '../room.ts'
import { parseQuery } from './body/form.ts'
import { acceptable } from './body/media-type.ts'
import { multipartLimits } from './body/multipart.ts'
import { bodyReader, type ReadBody, receiveBody, type SentBody, takenBy } from './body/route-body.ts'
import { type Take, UploadBudget } from './body/upload-budget.ts'
import { causeOf } from './cause.ts'
import {
  findReplay,
  type KeyedRequest,
  keepAnswer,
  keyedRequest,
  makeAnswerBox,
  requestHash,
  requestKey,
  UnderWay,
} from './idempotency.ts'
import type { Condition } from './inner.ts'
import type { Turn } from './limits/processor-share.ts'
import { networkOf } from './limits/rate-limit.ts'
import { countStored } from './limits/stored-bytes.ts'
import { renderProblem } from './problem-body.ts'
import { type Rendered, render } from './render.ts'
import { type AnyRoute, type Request, takesRequestId } from './route.ts'
import { sentenceOf, type Unknown, unknownsFinder } from './validation/unknown.ts'
import { makeValidator } from './validation/validator.ts'

/** What operations need of the service. */
export interface OperationParts {
  readonly service: Service
  readonly routes: readonly AnyRoute[]
  readonly db: Reader
  /** Where lists, searches, pages and reports read; absent without a replica. */
  readonly replica?: Reader
  readonly transactFor: TransactFor
  readonly clock: Clock
  readonly constraints: Constraints
  /** Refuses a caller whose account lives in another cell what it would find there alone. */
  requireCell?(route: AnyRoute, caller: Caller, headers: FastifyRequest['headers']): void
  /** Told how large a caller's body was, uploads aside, when it has arrived. */
  charge?(caller: Caller, bytes: number): void
  /** What must still be so when the call of this caller is committed. */
  conditionOf?(caller: Caller): Condition | undefined
  /** Waits until a request may be worked on beside those of others. Absent where nobody is kept waiting. */
  takeTurn?(route: AnyRoute, request: { caller: Caller | undefined; ip: string }): Turn | Promise<Turn> | undefined
}

/** A route made ready to be served. */
export interface Operation {
  readonly route: AnyRoute
  /** Refuses a caller whom the route does not serve: one of another cell, or one whose token lacks all of its scopes. */
  requireServed(caller: Caller, headers: FastifyRequest['headers']): void
  serve(request: FastifyRequest): Promise<Rendered>
}

/** What clients may have got from this address or from what it makes, and send back as they got it. */
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

/** A request that has arrived, with its body where that was read already. */
interface Received {
  readonly query: Record<string, string | string[]>
  readonly sent: SentBody
  readonly read: ReadBody | undefined
}

/** What a body of this length leads to takes milliseconds, in which others would wait: it is done in parts. */
const LONG_BYTES = 16_384
const isLong = ({ bytes }: SentBody) => bytes !== undefined && bytes.length > LONG_BYTES

const noBody: ReadBody = { value: undefined, files: [] }

/** What the operations of one service count together. */
export const sharedState = ({ settings }: Service) => ({
  underWay: new UnderWay(),
  answers: makeAnswerBox(settings.secrets!),
  // Apart, so that strangers, who are as many as they like, leave accounts their room. One alone can upload any body.
  uploads: new UploadBudget(3 * multipartLimits.bodyBytes),
  uploadsOfStrangers: new UploadBudget(2 * multipartLimits.bodyBytes),
})

/** Compiles a route once; what follows for each request is the contract's order of checks. */
export function operationOf(route: AnyRoute, parts: OperationParts, shared: ReturnType<typeof sharedState>): Operation {
  const { service, db, transactFor, clock } = parts
  const replica = route.fromReplica ? parts.replica : undefined
  const reader = replica ?? db
  const checkParams = validatorOf(route.params, 'path')
  const checkQuery = validatorOf(route.query, 'query')
  const bodies = route.body && bodyReader(route, () => sentBack(route, parts.routes))
  const { query: querySchema } = route
  const findInQuery = querySchema && unknownsFinder(() => [querySchema])
  const isStrict = service.settings.strictFields
  // Pages have forms of ours, and a token is asked for with whatever a library adds.
  const looksForUnknowns =
    (isStrict || service.environment === 'sandbox') && !takenBy(route).includes('application/x-www-form-urlencoded')
  const produces = route.produces ?? ['application/json']
  const accepts = route.accepts ?? ['application/json']
  const usualStatus = Number(Object.keys(route.success)[0])

  async function serve(request: FastifyRequest, take: Take = () => {}): Promise<Rendered> {
    // The router hands the query over as it came.
    const query = parseQuery((request.query as { text: string }).text)
    // Whatever is there already is not waited for: each wait is a turn of its own, and most requests need one for the database.
    const received = receiveBody(request.headers, request.body, route)
    const sent = received instanceof Promise ? await received : received
    request.sent = sent.bytes
    if (request.caller && sent.bytes) parts.charge?.(request.caller, sent.bytes.length)
    if (route.trigger && service.environment === 'sandbox') pullTrigger(request, query, sent.json)
    if (acceptable(request.headers.accept, produces) === undefined) throw new Problem(406, 'NOT_ACCEPTABLE')
    bodies?.requireMediaType(request.headers, sent)
    report(checkParams(request.params))
    report(checkQuery(query))

    // What comes as a stream comes as slowly as its sender likes, and keeps nobody's turn meanwhile.
    const streamed = sent.stream && (await bodies?.read(request.headers, sent, take))
    const taken = parts.takeTurn?.(route, request)
    const turn = taken instanceof Promise ? await taken : taken
    if (turn) workFor(turn.worked)
    try {
      const read = streamed ?? (bodies && (await bodies.read(request.headers, sent, take)))
      if (isLong(sent)) await letOthersIn()
      return await carryOut(request, { query, sent, read })
    } finally {
      turn?.end()
    }
  }

  async function carryOut(request: FastifyRequest, { query, sent, read = noBody }: Received): Promise<Rendered> {
    const caller = request.caller ?? nobody
    const { value: body, files } = read
    const unknowns = looksForUnknowns ? [...unknownParameters(query), ...(read.unknowns?.() ?? [])] : []
    if (unknowns.length > 0) request.unknowns = unknowns
    const problem = read.problem ?? (isStrict && unknowns.length > 0 ? malformed(...unknowns.map(issueOf)) : undefined)
    if (problem) {
      await route.precheck?.(db, caller, request.params as never)
      throw problem
    }
    const { params, headers } = request
    const checked = { caller, params, query, body, files, headers, raw: sent.bytes, address: request.ip } as Request<
      TSchema,
      TSchema,
      TSchema
    >
    if (route.reads === true)
      return render(await route.handle({ ...checked, db: reader, now: clock.now() }), usualStatus)
    const bytes = files.reduce((sum, file) => sum + file.bytes.length, sent.bytes?.length ?? 0)
    const count = (tx: Tx, accountId: string | undefined) =>
      countStored(tx, service.settings, { accountId, network: networkOf(request.ip) }, bytes)
    if (route.reads === 'free') {
      const { id, ip } = request
      let isCounted = false
      const transactAs = (known?: Caller): Transact => {
        const transact = readingFrom(replica, transactFor(causeOf(route, { id, ip, params, caller: known })))
        return (work, options) => {
          if (isCounted) return transact(work, options)
          isCounted = true
          return transact(async (tx) => {
            await count(tx, known?.accountId)
            return work(tx)
          }, options)
        }
      }
      const free = { db: reader, transact: transactAs(request.caller), transactAs }
      return render(await route.handle({ ...checked, ...free }), usualStatus)
    }

    const key = takesRequestId(route) ? requestKey(headers) : undefined
    const transact = transactFor(causeOf(route, request, key))
    const { locks = false } = route
    const work: Work = async (tx) => {
      await count(tx, request.caller?.accountId)
      const result = await route.handle({ ...checked, tx })
      // Read after what the commit guards, so what it finds is what the commit replaces.
      await parts.conditionOf?.(caller)?.(tx)
      if (isLong(sent)) await letOthersIn()
      return render(result, usualStatus)
    }
    if (key === undefined) return transact(work, { locks })
    const hash = requestHash(request.url, body, files)
    const keyed = keyedRequest(caller, {
      operation: route.operation,
      url: request.url,
      key,
      hash,
      hours: route.replayHours,
    })
    return shared.underWay.run(keyed, () => once(request, keyed, work, { transact, locks }))
  }

  const unknownParameters = (query: unknown): Unknown[] =>
    findInQuery?.(query).map((one) => ({ ...one, pointer: one.pointer.slice(1) })) ?? []

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
          const replay = tries++ > 0 ? await findReplay(tx, shared.answers, keyed, tx.now) : undefined
          if (replay) return replay
          const answer = await answerOf(tx)
          await keepAnswer(tx, shared.answers, keyed, answer)
          return answer
        },
        { locks },
      )
    try {
      return await keeping(transact, work)
    } catch (error) {
      const replay = await findReplay(db, shared.answers, keyed, clock.now())
      if (replay) return replay
      // A refusal by the rules is an answer too, whether we or the database hold them. One by the schema is not, so that a mended call can succeed.
      const problem = error instanceof Problem ? error : sqlProblem(error, parts.constraints)
      if (problem?.status !== 422) throw error
      request.problem = problem
      const refusal = renderProblem(problem, { route, debugId: request.id, publicUrl: service.publicUrl })
      // Nothing was done for the caller, so nothing is to be said of it in the audit log.
      return keeping(transactFor({ kind: 'service', task: 'keep a refusal' }), async () => refusal)
    }
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

type Work = (tx: Tx) => Promise<Rendered>

/** Units of work that read what they need from a replica. */
const readingFrom = (replica: Reader | undefined, transact: Transact): Transact =>
  replica ? (work, options) => transact(work, { ...options, reader: replica }) : transact

const validatorOf = (schema: TSchema | undefined, place: 'path' | 'query') =>
  schema ? makeValidator(schema, place) : () => []

function report(issues: readonly Issue[]): void {
  if (issues.length > 0) throw malformed(...issues)
}

function requireScope({ scopes }: AnyRoute, caller: Caller): void {
  if (scopes === 'public' || scopes.length === 0 || scopes.some((scope) => caller.scopes.has(scope))) return
  throw forbidden(`The access token has none of the scopes this operation takes: ${scopes.join(', ')}.`)
}
