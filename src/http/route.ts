import type { Reader, Transact, Tx } from '../database/transaction.ts'
import type { Caller } from '../kernel/caller.ts'
import type { Stranger } from '../kernel/cause.ts'
import type { Instant } from '../kernel/clock.ts'
import type { Issue, Problem } from '../kernel/problem.ts'
import type { Static, TSchema } from '../kernel/type.ts'
import type { UploadedFile } from './body/multipart.ts'

/** What a handler is given: only what it needs, already checked. */
export interface Request<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> {
  readonly caller: Caller
  readonly params: Static<Params>
  readonly query: Static<Query>
  readonly body: Static<Body>
  /** Files of a multipart request; empty otherwise. */
  readonly files: readonly UploadedFile[]
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** The body as it was sent, when it was not multipart. */
  readonly raw: Buffer | undefined
  /** The address it came from. */
  readonly address: string
}

/** For how many hours a request that moved money is answered the same way again. */
export const MONEY_REPLAY_HOURS = 45 * 24

/** A handler's answer, if it is more than the route's first success status with a JSON body. */
export class Answer {
  readonly status: number
  readonly body: unknown
  readonly headers: Readonly<Record<string, string>>

  constructor(status: number, body?: unknown, headers: Readonly<Record<string, string>> = {}) {
    this.status = status
    this.body = body
    this.headers = headers
  }
}

/** JSON that is already text, for example a document as the database sent it. */
export class RawJson {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

/** The three shapes an error body takes: most operations, the webhook operations, the token operations. */
export type ErrorStyle = 'standard' | 'notifications' | 'oauth'

interface RouteBase<Params extends TSchema, Query extends TSchema, Body extends TSchema> {
  readonly url: string
  readonly operation: string
  readonly summary: string
  /** The operation's heading in the API documents. */
  readonly tag: string
  /** Any one of these opens the operation; an empty list asks only for a token; `public` asks for nothing. */
  readonly scopes: readonly string[] | 'public'
  /** Who calls a public operation, where that is known without a token. */
  readonly stranger?: Stranger
  /** Whether a public operation treats somebody who brings a token as its holder. */
  readonly recognises?: boolean
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** Only JSON, unless the operation says otherwise. */
  readonly accepts?: readonly ('application/json' | 'multipart' | 'application/x-www-form-urlencoded')[]
  /** Names of those parts of a multipart body that are documents, even without a file name. */
  readonly fileParts?: readonly string[]
  /** An absent or empty body counts as `{}`. */
  readonly bodyOptional?: boolean
  /** Success statuses and their bodies; the first is the usual one. `null` is an empty answer. */
  readonly success: Readonly<Record<number, TSchema | null>>
  /** The media types the operation can answer with, if not only JSON. */
  readonly produces?: readonly string[]
  readonly errors?: ErrorStyle
  /** Answered even while the service sheds load, as for health and metrics. */
  readonly always?: boolean
  /** If there is a `STATUS_PORT`, answered only there: this is for those who run the service. */
  readonly onlyStatusPort?: boolean
  /** Looks at a sandbox from outside. It is nothing that happens in the sandbox, so it is not in the request log. */
  readonly watches?: boolean
  /** Set for pages, where nobody brings a token: requests count against the address they come from. */
  readonly limitedBy?: 'address'
  /** What a reader sees instead of our error body. Undefined if the error body will do. */
  refusal?(problem: Problem, headers: Request['headers'], debugId: string, url: string): Answer | undefined
  /**
   * The environment in which the operation exists; both if absent. In the other it is 403, and addresses under /sandbox do
   * not exist.
   */
  readonly environment?: 'sandbox' | 'live'
  /** Names that `prepare` understands and no schema has. */
  readonly alsoKnown?: readonly string[]
  /** Changes a parsed body before it is checked, where the contract is lenient (null and empty text as absent). */
  prepare?(body: unknown): unknown
  /**
   * What is wrong with a body beyond its schema. Asked only if the schema found something, and only about the other parts of
   * the body, so that everything is told at once. If a body fits its schema, the handler refuses it.
   */
  alsoWrong?(sound: object): readonly Issue[]
  /** A simulated answer to a trigger value, thrown before anything is looked up. Called in the sandbox only. */
  trigger?(request: { params: Readonly<Record<string, string>>; query: unknown; body: () => unknown }): void
  /** Refuses with 404 or 403 before a malformed body is reported; only called when the body is malformed. */
  precheck?(reader: Reader, caller: Caller, params: Static<Params>): Promise<void>
  /** For a list, a search, a page or a report: it may read from a replica that has everything committed before. */
  readonly fromReplica?: boolean
  /** For how many hours an answer is kept for a repeated request id. For what moves money: `MONEY_REPLAY_HOURS`. */
  readonly replayHours?: number
}

/** An operation that changes nothing. */
export interface ReadRoute<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> extends RouteBase<Params, Query, Body> {
  readonly method: 'GET' | 'POST'
  readonly reads: true
  handle(request: Request<Params, Query, Body> & { readonly db: Reader; readonly now: Instant }): Promise<unknown>
}

/** An operation that changes something: one unit of work, committed before the answer goes out. */
export interface WriteRoute<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> extends RouteBase<Params, Query, Body> {
  readonly method: 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly reads?: false
  /** Needs locks across rows: the work runs in a real transaction. */
  readonly locks?: boolean
  handle(request: Request<Params, Query, Body> & { readonly tx: Tx }): Promise<unknown>
}

/** What an operation needs if it opens units of work itself. */
export interface FreeParts {
  readonly db: Reader
  readonly transact: Transact
  /** Units of work of this request in the name of somebody who brought no token, to be used once it is known who it is. */
  transactAs(caller: Caller): Transact
}

/** An operation that is neither of these: it opens units of work itself, for example to move the sandbox clock. */
export interface FreeRoute<
  Params extends TSchema = TSchema,
  Query extends TSchema = TSchema,
  Body extends TSchema = TSchema,
> extends RouteBase<Params, Query, Body> {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly reads: 'free'
  handle(request: Request<Params, Query, Body> & FreeParts): Promise<unknown>
}

/** Everything there is to know about an operation. The server, the OpenAPI document and the tests all read it. */
export type Route<Params extends TSchema = TSchema, Query extends TSchema = TSchema, Body extends TSchema = TSchema> =
  | ReadRoute<Params, Query, Body>
  | WriteRoute<Params, Query, Body>
  | FreeRoute<Params, Query, Body>

export type AnyRoute = Route

/** What operations are alike in that only a sandbox has. They need no token: the credentials of a sandbox are public anyway. */
export const sandboxOnly = { tag: 'Sandbox', scopes: 'public', environment: 'sandbox' } as const

/** Whether it takes effect once under a request id. Without a token an id belongs to nobody, which is acceptable in a sandbox. */
export const takesRequestId = ({ method, reads, scopes, environment }: AnyRoute): boolean =>
  method === 'POST' && !reads && (scopes !== 'public' || environment === 'sandbox')

/** Infers the types of a route's params, query and body from their schemas. */
export function route<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  definition: WriteRoute<Params, Query, Body>,
): AnyRoute
export function route<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  definition: ReadRoute<Params, Query, Body>,
): AnyRoute
export function route<Params extends TSchema, Query extends TSchema, Body extends TSchema>(
  definition: FreeRoute<Params, Query, Body>,
): AnyRoute
export function route(definition: unknown): AnyRoute {
  // A handler takes what its own schemas describe, and the server checks exactly that before it calls the handler.
  return definition as AnyRoute
}
