import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest'
import { BELIEVED_MS } from '../../../src/accounts/authenticate.ts'
import { statementsOf } from '../../support/statements.ts'
import { basic, newWorld, type Response, type World } from '../../support/world.ts'

const form = { 'content-type': 'application/x-www-form-urlencoded' }

interface TokenBody {
  scope: string
  access_token: string
  token_type: string
  app_id: string
  expires_in: number
  nonce: string
  error: string
}

describe('The token operation', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  const ask = (body: string, headers: Record<string, string> = {}): Promise<Response<TokenBody>> =>
    world.call('POST', '/v1/oauth2/token', body, {
      headers: { authorization: basic('sandbox-merchant', 'sandbox-merchant-secret'), ...form, ...headers },
    })

  it('exchanges client credentials for a token of the published form', async () => {
    const { status, headers, body } = await ask('grant_type=client_credentials')

    expect(status).toBe(200)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers['pragma']).toBe('no-cache')
    expect(body.token_type).toBe('Bearer')
    expect(body.access_token).toMatch(/^A21AA[A-Za-z0-9_-]{92}$/)
    expect(body.app_id).toMatch(/^APP-[0-9A-Z]{17}$/)
    expect(body.expires_in).toBe(32_400)
    expect(body.nonce).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ[A-Za-z0-9_-]{43}$/)
    expect(body.scope.split(' ')).toContain('openid')
    expect(body.scope).toContain(`${world.app.service.publicUrl}/services/disputes/read-seller`)
  })

  it('answers with the same token and the time that is left, until it is told not to', async () => {
    const first = await ask('grant_type=client_credentials')
    world.passReally(600)
    const second = await ask('grant_type=client_credentials')
    const fresh = await ask('grant_type=client_credentials&ignoreCache=true')

    expect(second.body.access_token).toBe(first.body.access_token)
    expect(first.body.expires_in - second.body.expires_in).toBeOneOf([600, 601])
    expect(fresh.body.access_token).not.toBe(first.body.access_token)
  })

  it('answers who asks again within a second from memory, and nobody else', async () => {
    const wish = 'grant_type=client_credentials&scope=disputes/read-seller'
    const again = async () => statementsOf(world, async () => expect((await ask(wish)).status).toBe(200))
    vi.spyOn(performance, 'now').mockReturnValue(performance.now())
    onTestFinished(() => void vi.restoreAllMocks())
    const first = await ask(wish)
    await ask(wish)
    expect(await again()).toEqual([])

    const wrong = { authorization: basic('sandbox-merchant', 'another secret') }
    expect((await ask(wish, wrong)).status).toBe(401)

    const { body: fresh } = await ask(`${wish}&ignoreCache=true`)
    expect(fresh.access_token).not.toBe(first.body.access_token)
    expect((await ask(wish)).body.access_token).toBe(fresh.access_token)

    expect(await again()).toEqual([])
    world.app.forgetTokens()
    expect(await again()).toHaveLength(1)
    expect(await again()).toEqual([])
    vi.spyOn(performance, 'now').mockReturnValue(performance.now() + BELIEVED_MS)
    expect(await again()).toHaveLength(1)
  })

  it('grants what was asked for and the app may have', async () => {
    const { body } = await ask(
      `grant_type=client_credentials&scope=${encodeURIComponent('https://uri.paypal.com/services/disputes/read-seller disputes/read-buyer')}`,
    )
    expect(body.scope.split(' ').map((scope) => scope.split('/services/').at(-1))).toEqual([
      'disputes/read-seller',
      'openid',
    ])
  })

  it('says how to name the client where a request names none', async () => {
    const { status, body } = await world.call<{ error_description: string }>(
      'POST',
      '/v1/oauth2/token',
      'grant_type=client_credentials',
      { headers: form },
    )
    expect([status, body.error_description]).toEqual([401, expect.stringContaining('curl -u id:secret')])
  })

  it('grants openid alone where nothing else is asked for', async () => {
    const { body } = await ask('grant_type=client_credentials&scope=openid')
    expect(body.scope).toBe('openid')
    const headers = { authorization: `Bearer ${body.access_token}` }
    expect((await world.call('GET', '/v2/invoicing/invoices', undefined, { headers })).status).toBe(403)
    expect((await ask('grant_type=client_credentials&scope=openid')).body.access_token).toBe(body.access_token)
    expect((await ask('grant_type=client_credentials')).body.scope).toContain('invoicing')
  })

  it('takes the credentials as form fields too, and a form without a content type', async () => {
    const body = 'grant_type=client_credentials&client_id=sandbox-buyer&client_secret=sandbox-buyer-secret'
    const { status } = await world.call('POST', '/v1/oauth2/token', body, { headers: form })
    expect(status).toBe(200)
  })

  it('takes a form under its short name, and credentials that are encoded as in a form', async () => {
    const { status } = await world.call('POST', '/v1/oauth2/token', 'grant_type=client_credentials', {
      headers: {
        authorization: basic('sandbox%2Dmerchant', 'sandbox%2Dmerchant%2Dsecret'),
        'content-type': 'x-www-form-urlencoded',
      },
    })
    expect(status).toBe(200)
  })

  // biome-ignore format: a table reads best as a table
  const refusals: [what: string, body: string, headers: Record<string, string>, status: number, error: string][] = [
    ['a wrong secret',           'grant_type=client_credentials', { authorization: basic('sandbox-merchant', 'wrong') }, 401, 'invalid_client'],
    ['an unknown client',        'grant_type=client_credentials', { authorization: basic('nobody', 'wrong') },           401, 'invalid_client'],
    ['credentials not Basic',    'grant_type=client_credentials', { authorization: 'Bearer x' },                         401, 'invalid_client'],
    ['no grant type',            'scope=openid',                  {},                                                    400, 'unsupported_grant_type'],
    ['another grant type',       'grant_type=password',           {},                                                    400, 'unsupported_grant_type'],
    ['a parameter twice',        'grant_type=client_credentials&grant_type=client_credentials', {},                      400, 'invalid_request'],
    ['no scope that is left',    'grant_type=client_credentials&scope=disputes/read-buyer',     {},                      400, 'invalid_scope'],
    ['both ways of credentials', 'grant_type=client_credentials&client_id=a&client_secret=b',   {},                      400, 'invalid_request'],
  ]
  for (const [what, body, headers, status, error] of refusals)
    it(`refuses ${what} as ${error}`, async () => {
      const response = await ask(body, headers)

      expect(response.status).toBe(status)
      expect(Object.keys(response.body).sort()).toEqual(['error', 'error_description'])
      expect(response.body.error).toBe(error)
      if (status === 401) expect(response.headers['www-authenticate']).toMatch(/^Basic realm=/)
    })

  it('refuses a JSON body as a media type it does not take', async () => {
    const response = await ask('{"grant_type":"client_credentials"}', { 'content-type': 'application/json' })
    expect(response.status).toBe(415)
  })

  it('ends a token when told to, also one it never gave', async () => {
    const person = world.person('sandbox-buyer')
    const token = await world.tokenFor('sandbox-buyer')
    const terminate = (body: string) =>
      world.call('POST', '/v1/oauth2/token/terminate', body, {
        headers: { authorization: basic('sandbox-buyer', 'sandbox-buyer-secret'), ...form },
      })
    expect((await person.get('/v2/payments/captures/X')).status).toBe(403)

    expect((await terminate(`token=${token}&token_type_hint=ACCESS_TOKEN`)).status).toBe(200)
    expect((await terminate('token=unknown')).status).toBe(200)

    expect((await person.get('/v2/payments/captures/X')).status).toBe(401)
    expect(await world.tokenFor('sandbox-buyer')).not.toBe(token)
  })
})
