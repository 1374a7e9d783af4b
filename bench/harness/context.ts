import { randomBytes } from 'node:crypto'
import type pg from 'pg'
import type { Context } from './row.ts'

/** What rows prepare themselves with. */
export function makeContext(baseUrl: string, client: pg.Client): Context {
  const tokens = new Map<string, Promise<string>>()

  async function call(path: string, init: RequestInit): Promise<unknown> {
    const answer = await fetch(baseUrl + path, init)
    const text = await answer.text()
    if (!answer.ok) throw new Error(`${init.method} ${path} answered ${answer.status}: ${text.slice(0, 500)}`)
    return text === '' ? undefined : JSON.parse(text)
  }

  async function requestToken(clientId: string): Promise<string> {
    const credentials = Buffer.from(`${clientId}:${clientId}-secret`).toString('base64')
    const answer = await call('/v1/oauth2/token', {
      method: 'POST',
      headers: { authorization: `Basic ${credentials}`, 'content-type': 'application/x-www-form-urlencoded' },
      body: 'grant_type=client_credentials',
    })
    return (answer as { access_token: string }).access_token
  }

  return {
    baseUrl,
    run: randomBytes(4).toString('hex'),
    token(clientId = 'sandbox-merchant') {
      const token = tokens.get(clientId) ?? requestToken(clientId)
      tokens.set(clientId, token)
      return token
    },
    async call<Body>({ method, path, headers, json, token }: Parameters<Context['call']>[0]) {
      const body = await call(path, {
        method,
        headers: {
          ...headers,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...(json && { 'content-type': 'application/json' }),
        },
        ...(json && { body: JSON.stringify(json) }),
      })
      // The row that calls knows what the operation answers with.
      return body as Body
    },
    async settle() {
      await call('/sandbox/requests?page_size=1', { method: 'GET' })
    },
    sql: async <Found extends object>(text: string, values: readonly unknown[] = []) =>
      (await client.query<Found>(text, [...values])).rows,
  }
}
