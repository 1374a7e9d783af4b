import type { FastifyInstance } from 'fastify'
import type { Reader } from '../database/transaction.ts'
import type { UploadedFile } from '../http/body/multipart.ts'
import type { InnerCalls } from '../http/inner.ts'
import { Answer, type AnyRoute, RawJson } from '../http/route.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Clock } from '../kernel/clock.ts'
import { conflict, forbidden, type Issue, Problem } from '../kernel/problem.ts'
import type { Service } from '../room.ts'

/** What an operation is asked with. */
export interface Asked {
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, unknown>>
  readonly body?: unknown
}

export interface Ordered extends Asked {
  readonly query?: Readonly<Record<string, string>>
  readonly files?: readonly UploadedFile[]
  /** A second order with the same id changes nothing. */
  readonly requestId?: string | undefined
  readonly address: string
  readonly provided?: Provided | undefined
}

/** What a reading operation must still show when an order is committed; otherwise the order is refused with 409. */
export interface Provided {
  readonly operation: string
  readonly params: Readonly<Record<string, string>>
  isSame(shown: unknown): boolean
}

/** A refusal as callers of the API read it. */
export interface Refusal {
  readonly name: string
  readonly message: string
  readonly debug_id: string
  readonly details?: readonly Issue[]
}

/** What came of an order. */
export interface Outcome {
  readonly status: number
  readonly debugId: string
  readonly body: unknown
  readonly bytes: Buffer
  readonly headers: Readonly<Record<string, string>>
  /** Fields that the operation ignored because it does not know them. */
  readonly warnings?: string
  readonly refusal?: Refusal
}

/** The operations of the API, for people in front of a page. Nothing here can do what the API cannot. */
export interface Operations {
  route(operation: string): AnyRoute
  /** The same for a stored name. Undefined for an operation of an earlier version that is gone. */
  find(operation: string): AnyRoute | undefined
  /** What a reading operation answers to this caller. It is no request, so it is neither counted nor logged. */
  look<Body>(caller: Caller, operation: string, asked?: Asked): Promise<Body>
  /** Carries an operation out as a request of this caller, or of nobody when the operation asks for no caller. */
  operate(caller: Caller | undefined, operation: string, ordered: Ordered): Promise<Outcome>
}

export interface OperationParts {
  readonly service: Service
  /** The whole table; it is known only when the first page is asked for. */
  routes(): readonly AnyRoute[]
  server(): FastifyInstance
  readonly inner: InnerCalls
  readonly db: Reader
  readonly clock: Clock
}

export function makeOperations({ service, routes, server, inner, db, clock }: OperationParts): Operations {
  let byName: ReadonlyMap<string, AnyRoute> | undefined
  function find(operation: string): AnyRoute | undefined {
    byName ??= new Map(routes().map((one) => [one.operation, one]))
    return byName.get(operation)
  }
  function route(operation: string): AnyRoute {
    const found = find(operation)
    if (!found) throw new Error(`There is no operation ${operation}.`)
    return found
  }

  async function read(reader: Reader, caller: Caller, operation: string, asked: Asked): Promise<unknown> {
    const { params = {}, query = {}, body = {} } = asked
    const given = {
      caller,
      params,
      query,
      body,
      files: [],
      headers: {},
      raw: undefined,
      address: '',
      db: reader,
      now: clock.now(),
    }
    // The console asks with values of its own, in the form that the schemas describe.
    return plain(await route(operation).handle(given as never))
  }

  const conditionOf =
    (caller: Caller, { operation, params, isSame }: Provided) =>
    async (reader: Reader) => {
      if (!isSame(await read(reader, caller, operation, { params })))
        throw conflict('CHANGED_MEANWHILE', 'Somebody changed it meanwhile. Look at it as it stands now.')
    }

  return {
    route,
    find,
    async look<Body>(caller: Caller, operation: string, given: Asked = {}) {
      const asked = route(operation)
      if (asked.reads !== true && asked.method !== 'GET') throw new Error(`${operation} does more than read.`)
      const { scopes } = asked
      if (scopes !== 'public' && scopes.length > 0 && !scopes.some((scope) => caller.scopes.has(scope)))
        throw forbidden(`This needs one of the scopes ${scopes.join(', ')}.`)
      return (await read(db, caller, operation, given)) as Body
    },
    async operate(caller, operation, { params, query, body, files, requestId, address, provided }) {
      const { dialect } = service
      const asked = route(operation)
      const answer = await inner.call(server(), caller, {
        route: asked,
        address,
        ...(caller && provided && { condition: conditionOf(caller, provided) }),
        ...(params && { params }),
        ...(query && { query }),
        ...((body !== undefined || (files?.length ?? 0) > 0) && { body: body ?? {} }),
        ...(files && { files }),
        headers: {
          host: new URL(service.publicUrl).host,
          // Prefers JSON: some operations answer with something else where any type will do.
          accept: 'application/json, */*;q=0.1',
          ...(requestId !== undefined && { [`${dialect.headerPrefix}-Request-Id`]: requestId }),
        },
      })
      const isJson = String(answer.headers['content-type']).startsWith('application/json')
      const read: unknown = isJson && answer.bytes.length > 0 ? JSON.parse(answer.bytes.toString()) : undefined
      const debugId = String(answer.headers[dialect.debugIdHeader.toLowerCase()])
      const { status, bytes, headers } = answer
      const warnings = headers[`${dialect.headerPrefix}-Warnings`.toLowerCase()]
      return {
        status,
        debugId,
        body: read,
        bytes,
        headers,
        ...(warnings !== undefined && { warnings }),
        ...(status >= 400 && { refusal: refusalIn(read, debugId) }),
      }
    },
  }
}

/** What a handler returned, in the form in which a caller of the API would have read it. */
function plain(result: unknown): unknown {
  if (result instanceof Answer) return plain(result.body)
  return result instanceof RawJson ? JSON.parse(result.text) : result
}

function refusalIn(body: unknown, debugId: string): Refusal {
  const {
    name = 'INTERNAL_SERVER_ERROR',
    message = 'Something went wrong.',
    details,
  } = (body ?? {}) as Partial<Refusal>
  return { name, message, debug_id: debugId, ...(details && { details: details.map(oneStyle) }) }
}

/** The webhook operations have the sentence in `issue`, its code beside that, and points where the others have slashes. */
function oneStyle(detail: Issue & { code?: string }): Issue {
  const { code, issue, field, ...rest } = detail
  if (code === undefined) return detail
  return { ...rest, issue: code, description: issue, ...(field && { field: `/${field.replaceAll('.', '/')}` }) }
}

/** The refusal that belongs beside a form. What no form can mend is thrown, and has a page of its own. */
export function mendable({ status, refusal }: Outcome): Refusal | undefined {
  if (!refusal) return undefined
  if (status >= 500 || [401, 403, 404, 405, 429].includes(status))
    throw new Problem(status, refusal.name as Problem['name'], refusal.details ?? [])
  return refusal
}

/** Throws whatever was refused, for when there is no form to put it beside. */
export function requireDone({ status, refusal }: Outcome): void {
  if (refusal) throw new Problem(status, refusal.name as Problem['name'], refusal.details ?? [])
}
