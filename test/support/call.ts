import { expect } from 'vitest'
import type { App } from '../../src/app.ts'
import type { AnyRoute } from '../../src/http/route.ts'
import type { Service } from '../../src/room.ts'
import { describedRoutes } from '../../src/routes.ts'
import { sandboxSecret } from '../../src/sandbox/people.ts'
import { isNoting, undocumented } from './refusals.ts'

export interface Response<Body = Record<string, never>> {
  readonly status: number
  readonly headers: Record<string, string | string[] | number | undefined>
  readonly body: Body
  readonly text: string
}

export interface RequestOptions {
  readonly headers?: Record<string, string>
  readonly query?: Record<string, string>
}

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** Calls an operation of a service; a body that is no text goes out as JSON. */
export type Call = ReturnType<typeof callTo>

/** In a scenario, whatever is refused must be named in the reference of the operation. */
const isScenario = () => expect.getState().testPath?.includes('/test/scenarios/') ?? false

/** A refusal that was ordered by a trigger value of the sandbox: the reference need not name it. */
const isOrdered = (path: string, query: unknown, payload: unknown) =>
  /ERR(DIS|INV)\d{3}|-EINV-\d{4}/.test(
    `${path}${JSON.stringify(query)}${Buffer.isBuffer(payload) ? payload : JSON.stringify(payload)}`,
  )

const described = new Map<string, readonly AnyRoute[]>()

/** The operations of a service as data: once for all of its kind, for putting them together takes longer than most requests. */
function routesOf(service: Service): readonly AnyRoute[] {
  const known = described.get(service.environment) ?? describedRoutes(service)
  described.set(service.environment, known)
  return known
}

/** How tests call a service: without a network, and as anybody. */
export function callTo(app: Pick<App, 'server' | 'service'>) {
  const routes = () => routesOf(app.service)

  return async function call<Body>(
    method: Method,
    path: string,
    payload?: unknown,
    { headers = {}, query }: RequestOptions = {},
  ): Promise<Response<Body>> {
    const isRaw = typeof payload === 'string' || Buffer.isBuffer(payload)
    const response = await app.server.inject({
      method,
      url: path,
      headers: { ...(payload !== undefined && !isRaw && { 'content-type': 'application/json' }), ...headers },
      ...(query && { query }),
      ...(payload !== undefined && { payload: isRaw ? payload : JSON.stringify(payload) }),
    })
    const isJson = String(response.headers['content-type']).startsWith('application/json')
    const body = isJson ? response.json<unknown>() : undefined
    if (response.statusCode >= 400 && !isOrdered(path, query, payload)) {
      const unnamed = isScenario() || isNoting ? undocumented(path, body, routes) : []
      if (isScenario() && unnamed.length > 0)
        throw new Error(`The reference of the operation does not name this: ${unnamed.join(', ')}`)
    }
    return {
      status: response.statusCode,
      headers: response.headers as Response['headers'],
      body: body as Body,
      text: response.body,
    }
  }
}

/** The people who call a service, each with a token of their own. */
export function peopleOf(call: Call) {
  async function tokenFor(clientId: string, secret = sandboxSecret(clientId), scope?: string): Promise<string> {
    const form = new URLSearchParams({ grant_type: 'client_credentials', ...(scope !== undefined && { scope }) })
    const { status, body, text } = await call<{ access_token: string }>('POST', '/v1/oauth2/token', form.toString(), {
      headers: { authorization: basic(clientId, secret), 'content-type': 'application/x-www-form-urlencoded' },
    })
    if (status !== 200) throw new Error(`no token for ${clientId}: ${text}`)
    return body.access_token
  }

  /** Someone who calls the API with the credentials of an app, and perhaps for another account. */
  function person(
    clientId: string,
    { secret, scope, actingFor }: { secret?: string; scope?: string; actingFor?: string } = {},
  ) {
    let token: Promise<string> | undefined
    const send = async <Body = Record<string, never>>(
      method: Method,
      path: string,
      payload?: unknown,
      options: RequestOptions = {},
    ) => {
      token ??= tokenFor(clientId, secret, scope)
      const headers = {
        authorization: `Bearer ${await token}`,
        ...(actingFor !== undefined && { 'service-auth-assertion': assertion(clientId, actingFor) }),
        ...options.headers,
      }
      return call<Body>(method, path, payload, { ...options, headers })
    }
    return {
      clientId,
      send,
      get: <Body = Record<string, never>>(path: string, options?: RequestOptions) =>
        send<Body>('GET', path, undefined, options),
      post: <Body = Record<string, never>>(path: string, payload?: unknown, options?: RequestOptions) =>
        send<Body>('POST', path, payload, options),
      put: <Body = Record<string, never>>(path: string, payload?: unknown, options?: RequestOptions) =>
        send<Body>('PUT', path, payload, options),
      patch: <Body = Record<string, never>>(path: string, payload?: unknown, options?: RequestOptions) =>
        send<Body>('PATCH', path, payload, options),
      delete: <Body = Record<string, never>>(path: string, options?: RequestOptions) =>
        send<Body>('DELETE', path, undefined, options),
      /** Forgets the token, so that the next call asks for a new one. */
      signOut() {
        token = undefined
      },
    }
  }

  return { tokenFor, person }
}

export const basic = (id: string, secret: string) => `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`

/** An unsigned assertion that names an account by its id or address. */
export function assertion(clientId: string, account: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const claim = account.includes('@') ? { email: account } : { payer_id: account }
  return `${part({ alg: 'none' })}.${part({ iss: clientId, ...claim })}.`
}
