import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { newLiveWorld } from '../../support/live.ts'
import { newWorld, type World } from '../../support/world.ts'

type Headers = Record<string, string>
type Refusal = { name: string; details: { issue: string; description: string; location: string }[] }

describe('A sandbox', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ settings: { PUBLIC_URL: 'https://pay.shop.example', ALLOWED_HOSTS: 'Ci.Shop.example' } })
  })
  afterAll(() => world.close())
  const ask = (headers: Headers, method: 'GET' | 'POST' = 'GET', path = '/sandbox/clock') =>
    world.call<Refusal>(method, path, undefined, { headers })

  it.each([
    'localhost:8080',
    'LOCALHOST',
    'quittance.localhost:8080',
    '127.0.0.1:8080',
    '[::1]:8080',
    '192.168.1.20:8080',
    'quittance:8080',
    'my-laptop.local',
    'host.docker.internal:8080',
    'shop.test',
    'pay.shop.example',
    'ci.shop.example:443',
  ])('answers to %s', async (host) => {
    expect((await ask({ host })).status).toBe(200)
  })

  it.each(['rebound.attacker.example:8080', 'localhost.attacker.example', '127.0.0.1.nip.example', 'evil.example.'])(
    'does not answer to %s, whatever is asked, and names the setting',
    async (host) => {
      const token = await world.tokenFor('sandbox-merchant')
      for (const path of ['/sandbox/clock', '/v2/invoicing/invoices', '/healthz', '/nowhere', '/docs']) {
        const { status, body } = await ask({ host, authorization: `Bearer ${token}` }, 'GET', path)

        expect([status, body.details[0]?.issue]).toEqual([403, 'HOST_NOT_ALLOWED'])
        expect(body.details[0]).toMatchObject({
          location: 'header',
          description: expect.stringMatching(/ALLOWED_HOSTS/),
        })
      }
    },
  )

  // biome-ignore format: a table reads best as a table
  it.each<[who: string, method: 'GET' | 'POST', headers: Headers, status: number]>([
    ['curl',                                    'POST', {},                                                                                         200],
    ['a page of its own',                       'POST', { origin: 'http://localhost:8080', 'sec-fetch-site': 'same-origin' },                       200],
    ['a page of its own in an old browser',     'POST', { origin: 'http://localhost:8080' },                                                        200],
    ['a page of its own behind a proxy',        'POST', { origin: 'https://pay.shop.example' },                                                     200],
    ['a page of an allowed host',               'POST', { origin: 'https://ci.shop.example', 'sec-fetch-site': 'cross-site' },                      200],
    ['a person who types',                      'GET',  { 'sec-fetch-site': 'none', 'sec-fetch-mode': 'navigate' },                                 200],
    ['a link in a mail',                        'GET',  { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' },                           200],
    ['a script of another page',                'POST', { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'no-cors' }, 403],
    ['a script in an old browser',              'POST', { origin: 'https://attacker.example' },                                                     403],
    ['a form of another page',                  'POST', { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'navigate' }, 403],
    ['a page without an origin',                'POST', { origin: 'null' },                                                                         403],
    ['another port of the same machine',        'POST', { origin: 'http://localhost:3000', 'sec-fetch-site': 'same-site', 'sec-fetch-mode': 'cors' }, 403],
    ['another port in an old browser',          'POST', { host: '127.0.0.1:8080', origin: 'http://127.0.0.1:3000' },                                403],
    ['a page that reads',                       'GET',  { origin: 'https://attacker.example', 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' }, 403],
    ['a form in a browser that says nothing',   'POST', { 'content-type': 'application/x-www-form-urlencoded' },                                    415],
    ['a text form of such a browser',           'POST', { 'content-type': 'text/plain' },                                                           415],
  ])('called by %s (%s) with %o gives %i', async (_, method, headers, status) => {
    const path = method === 'GET' ? '/sandbox/clock' : '/sandbox/tokens/expire'
    expect((await ask({ host: 'localhost:8080', ...headers }, method, path)).status).toBe(status)
  })

  it('is not reset by a page of somebody else', async () => {
    const { body } = await world.call<{ seller_transaction_id: string }>('POST', '/sandbox/transactions', {
      amount: { currency_code: 'USD', value: '1.00' },
    })

    const answer = await ask({ origin: 'https://attacker.example' }, 'POST', '/sandbox/reset')

    expect(answer.body.details[0]).toMatchObject({
      issue: 'ORIGIN_NOT_ALLOWED',
      description: expect.stringMatching(/attacker\.example.*ALLOWED_HOSTS/),
    })
    expect((await world.merchant.get(`/v2/payments/captures/${body.seller_transaction_id}`)).status).toBe(200)
  })
})

describe('Names and origins do not count', () => {
  it('in a sandbox with ALLOWED_HOSTS=*', async () => {
    const world = await newWorld({ settings: { ALLOWED_HOSTS: '*' } })
    const headers = { host: 'rebound.attacker.example', origin: 'https://attacker.example' }
    expect((await world.call('GET', '/sandbox/clock', undefined, { headers })).status).toBe(200)
    await world.close()
  })

  it('in live, where nothing works without a secret', async () => {
    const world = await newLiveWorld()
    const headers = { host: 'any.shop.example', origin: 'https://other.example' }
    expect((await world.call('GET', '/healthz', undefined, { headers })).status).toBe(200)
    await world.close()
  })
})
