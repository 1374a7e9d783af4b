import { randomBytes } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Reader } from '../database/transaction.ts'
import type { Caller } from '../kernel/caller.ts'
import type { UploadedFile } from './body/multipart.ts'
import type { AnyRoute } from './route.ts'

/** Throws if something is no longer as the caller saw it. */
export type Condition = (db: Reader) => Promise<void>

/** A call of an operation by the service itself, in the name of somebody whom it knows by other means than a token. */
export interface InnerCall {
  readonly route: AnyRoute
  readonly params?: Readonly<Record<string, string>>
  readonly query?: Readonly<Record<string, string>>
  readonly body?: unknown
  readonly files?: readonly UploadedFile[]
  /** A body that is already encoded, in place of `body` and `files`. */
  readonly payload?: { readonly type: string; readonly payload: Buffer | undefined }
  readonly headers?: Readonly<Record<string, string>>
  /** The address of the person for whom the call is made. */
  readonly address: string
  readonly condition?: Condition
}

export interface InnerAnswer {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly bytes: Buffer
}

const SCHEME = 'Inner '
const TICKET_BYTES = 32

/**
 * Lets the service call its own operations in this process: a request like any other, with the same checks, limits,
 * cause and debug id, whose caller is handed over by a ticket that works once and never leaves the process.
 */
export class InnerCalls {
  readonly #tickets = new Map<string, { readonly caller: Caller; readonly condition: Condition | undefined }>()
  readonly #conditions = new WeakMap<Caller, Condition>()

  /** Whose call this is. Undefined if it came from outside. */
  callerOf({ authorization }: IncomingHttpHeaders): Caller | undefined {
    if (authorization === undefined || !authorization.startsWith(SCHEME)) return undefined
    const ticket = authorization.slice(SCHEME.length)
    const found = this.#tickets.get(ticket)
    this.#tickets.delete(ticket)
    if (!found?.condition) return found?.caller
    // A copy for this call alone, because the same person may make two calls at once.
    const caller = { ...found.caller }
    this.#conditions.set(caller, found.condition)
    return caller
  }

  /** The condition that must still hold when the call of this caller is committed. */
  conditionOf(caller: Caller): Condition | undefined {
    return this.#conditions.get(caller)
  }

  async call(server: FastifyInstance, caller: Caller | undefined, call: InnerCall): Promise<InnerAnswer> {
    const ticket = randomBytes(TICKET_BYTES).toString('base64url')
    const { route, params = {}, query, files = [], address, condition } = call
    const { type, payload } = call.payload ?? payloadOf(call.body, files)
    if (caller) this.#tickets.set(ticket, { caller, condition })
    try {
      const { statusCode, headers, rawPayload } = await server.inject({
        method: route.method,
        url: route.url.replace(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? '')),
        ...(query && { query: { ...query } }),
        remoteAddress: address,
        headers: {
          ...call.headers,
          ...(caller && { authorization: SCHEME + ticket }),
          ...(payload && { 'content-type': type }),
        },
        ...(payload && { payload }),
      })
      return { status: statusCode, headers: headers as Record<string, string>, bytes: rawPayload }
    } finally {
      this.#tickets.delete(ticket)
    }
  }
}

/** JSON, or with files a multipart body of JSON and documents. */
function payloadOf(body: unknown, files: readonly UploadedFile[]): { type: string; payload: Buffer | undefined } {
  const json = body === undefined ? undefined : Buffer.from(JSON.stringify(body))
  if (files.length === 0) return { type: 'application/json', payload: json }
  const boundary = randomBytes(18).toString('base64url')
  const quoted = (text: string) => text.replace(/[\r\n"\\]/g, '_')
  const part = (disposition: string, type: string, bytes: Buffer) => [
    Buffer.from(`--${boundary}\r\nContent-Disposition: form-data; ${disposition}\r\nContent-Type: ${type}\r\n\r\n`),
    bytes,
    Buffer.from('\r\n'),
  ]
  const payload = Buffer.concat([
    ...part('name="input"', 'application/json', json ?? Buffer.from('{}')),
    ...files.flatMap(({ fileName, contentType, bytes }, i) =>
      part(`name="file${i + 1}"; filename="${quoted(fileName)}"`, quoted(contentType), bytes),
    ),
    Buffer.from(`--${boundary}--\r\n`),
  ])
  return { type: `multipart/form-data; boundary=${boundary}`, payload }
}
