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

/** How long what moved money is answered the same way again, in hours. */
export const MONEY_REPLAY_HOURS = 45 * 24

/** A handler's answer where it is more than the route's first success status and a JSON body. */
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
  /** A public operation that treats who brings a token as its holder. */
  readonly recognises?: boolean
  readonly params?: Params
  readonly query?: Query
  readonly body?: Body
  /** JSON alone unless the operation says otherwise. */
  readonly accepts?: readonly ('application/json' | 'multipart' | 'application/x-www-form-urlencoded')[]
  /** Names of the parts of a multipart body that are documents, with a file name or without. */
  readonly fileParts?: readonly string[]
  /** An absent or empty body counts as `{}`. */
  readonly bodyOptional?: boolean
  /** Success statuses and their bodies; the first is the usual one. `null` is an empty answer. */
  readonly success: Readonly<Record<number, TSchema | null>>
  /** Media types the operation can answer with, when not JSON alone. */
  readonly produces?: readonly string[]
  readonly errors?: ErrorStyle
  /** Answered also while the service sheds load: health and metrics. */
  readonly always?: boolean
  /** Where there is a `STATUS_PORT`, answered there alone: it is for those who run the service. */
  readonly onlyStatusPort?: boolean
  /** Looks at a sandbox from outside, so it is nothing that happens in it: kept in no request log. */
  readonly watches?: boolean
  /** Counted against the address of whoever asks, where nobody brings a token: pages. */
  readonly limitedBy?: 'address'
  /** What a reader sees instead of our error body; undefined where that will do. */
  refusal?(problem: Problem, headers: Request['headers'], debugId: string, url: string): Answer | undefined
  /** Where the operation exists; both when absent. Elsewhere it is 403, and what lies under /sandbox is not there. */
  readonly environment?: 'sandbox' | 'live'
  /** Names that `prepare` understands and no schema has. */
  readonly alsoKnown?: readonly string[]
  /** Changes a parsed body before it is checked, where the contract is lenient (null and empty text as absent). */
  prepare?(body: unknown): unknown
  /**
   * What is wrong with a body beside what its schema says. Asked where the schema found something, of the rest, so that all of it is
   * told at once; a body that fits its schema is refused by the handler.
   */
  alsoWrong?(sound: object): readonly Issue[]
  /** A simulated answer to a trigger value, thrown before anything is looked up. Called in the sandbox only. */
  trigger?(request: { params: Readonly<Record<string, string>>; query: unknown; body: () => unknown }): void
  /** Refuses with 404 or 403 before a malformed body is reported; only called when the body is malformed. */
  precheck?(reader: Reader, caller: Caller, params: Static<Params>): Promise<void>
  /** A list, a search, a page or a report: what it reads may come from a replica that has all that was committed before. */
  readonly fromReplica?: boolean
  /** How long an answer is kept for a repeated request id, in hours; of what moves money, `MONEY_REPLAY_HOURS`. */
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

/** What an operation needs that opens units of work itself. */
export interface FreeParts {
  readonly db: Reader
  readonly transact: Transact
  /** Units of work of this request for somebody who brought no token, once it is known who it is. */
  transactAs(caller: Caller): Transact
}

/** An operation that is neither: it opens units of work itself, for example to move the sandbox clock. */
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

/** Whether it takes effect once under a request id. Without a token an id is nobody's, which in a sandbox will do. */
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
  // A handler takes what its own schemas describe; the server has checked exactly that before it calls.
  return definition as AnyRoute
}
