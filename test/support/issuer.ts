import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const foreign = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')

export const CLIENT = { id: 'quittance', secret: 'a-secret-between-the-two' }

/** What an issuer gets wrong, or does not. */
export interface Said {
  readonly claims?: Readonly<Record<string, unknown>>
  /** The parameters of the way back. */
  readonly back?: Readonly<Record<string, string>>
  readonly isForged?: boolean
}

/** An OpenID Connect issuer on loopback, which vouches for whomever a test wants, rightly or not. */
export async function startIssuer() {
  const codes = new Map<string, { challenge: string; token: string }>()
  let here: { readonly subject: string; readonly said: Said } | undefined
  const calls: string[] = []
  const server = createServer(async (request, response) => {
    const path = request.url!.split('?')[0]!
    calls.push(`${request.method} ${path}`)
    let body = ''
    for await (const chunk of request) body += chunk
    const answer = (status: number, value: object) => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(JSON.stringify(value))
    }
    if (path === '/.well-known/openid-configuration')
      return answer(200, {
        issuer: url,
        authorization_endpoint: `${url}/authorize`,
        token_endpoint: `${url}/token`,
        jwks_uri: `${url}/keys`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
        scopes_supported: ['openid', 'profile', 'email', 'groups'],
        authorization_response_iss_parameter_supported: true,
      })
    if (path === '/authorize') {
      const { subject, said } = here!
      const at = new URL(request.url!, url)
      const back = new URL(authorize(at.href, subject, said), at.searchParams.get('redirect_uri')!)
      response.writeHead(200, { 'content-type': 'text/html' })
      return response.end(
        `<!doctype html><link rel="icon" href="data:,"><title>Issuer</title><a href="${back.href.replaceAll('&', '&amp;')}">I am ${subject}</a>`,
      )
    }
    if (path === '/keys')
      return answer(200, { keys: [{ ...publicKey.export({ format: 'jwk' }), kid: 'one', use: 'sig', alg: 'RS256' }] })
    const given = new URLSearchParams(body)
    const kept = codes.get(given.get('code') ?? '')
    codes.delete(given.get('code') ?? '')
    const proof = createHash('sha256')
      .update(given.get('code_verifier') ?? '')
      .digest('base64url')
    if (!kept || kept.challenge !== proof || given.get('client_secret') !== CLIENT.secret)
      return answer(400, { error: 'invalid_grant' })
    return answer(200, { access_token: 'none', token_type: 'Bearer', expires_in: 60, id_token: kept.token })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`

  function authorize(at: string, subject: string, { claims = {}, back = {}, isForged = false }: Said = {}): string {
    const asked = new URL(at).searchParams
    const now = Math.floor(Date.now() / 1000)
    const told = {
      iss: url,
      aud: CLIENT.id,
      sub: subject,
      iat: now,
      exp: now + 60,
      auth_time: now,
      nonce: asked.get('nonce'),
      name: `Known as ${subject}`,
      email: `${subject}@example.test`,
      ...claims,
    }
    const text = `${encoded({ alg: 'RS256', kid: 'one' })}.${encoded(told)}`
    const signature = sign('sha256', Buffer.from(text), isForged ? foreign : privateKey).toString('base64url')
    const code = randomBytes(16).toString('hex')
    codes.set(code, { challenge: asked.get('code_challenge')!, token: `${text}.${signature}` })
    const query = new URLSearchParams({ code, state: asked.get('state')!, iss: url, ...back })
    const { pathname } = new URL(asked.get('redirect_uri')!)
    return `${pathname}?${query}`
  }

  return {
    url,
    calls,
    /** Somebody signed in there: the address under which they come back. */
    authorize,
    /** Who sits at its page in a browser, and what it says of them. */
    seat(subject: string, said: Said = {}): void {
      here = { subject, said }
    },
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  }
}
