import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest'
import { networkOf, RateLimit } from '../../../src/http/limits/rate-limit.ts'
import { statusRoutes } from '../../../src/http/status.ts'
import { dialects } from '../../../src/kernel/dialect.ts'
import { RecentMap } from '../../../src/kernel/recent-map.ts'
import { chooseLocale } from '../../../src/payer/words/languages.ts'
import { describedService } from '../../../src/printed.ts'
import { referenceRoutes } from '../../../src/reference/routes.ts'
import { describedRoutes } from '../../../src/routes.ts'
import { basic, newWorld, type World } from '../../support/world.ts'

const refuses = (limit: RateLimit, name: string) => {
  try {
    limit.take(name)
    return false
  } catch {
    return true
  }
}

/** Limits give back by this clock: on a busy machine there would be room again before a test comes to its end. */
const standStill = () => vi.useFakeTimers({ toFake: ['performance'] })
afterEach(() => void vi.useRealTimers())

describe('A rate limit', () => {
  it('remembers whom it refuses, however many others come', () => {
    standStill()
    const limit = new RateLimit(60, 2, 1_000)
    for (let i = 0; i < 2; i++) limit.take('guesser')
    expect(refuses(limit, 'guesser')).toBe(true)
    for (let i = 0; i < 5_000; i++) refuses(limit, `name ${i}`)

    expect(refuses(limit, 'guesser')).toBe(true)
    expect(limit.size).toBe(1_000)
  })

  it('lets names that come when there is no room share what is left, and forgets those that are full again', () => {
    standStill()
    const limit = new RateLimit(60, 1, 1_000)
    for (let i = 0; i < 1_000; i++) limit.take(`name ${i}`)
    let taken = 0
    for (let i = 0; i < 20_000; i++) if (!refuses(limit, `flood ${i}`)) taken++
    expect(taken).toBeLessThanOrEqual(1_024)

    vi.advanceTimersByTime(1_000)
    for (let i = 0; i < 1_000; i++) expect(refuses(limit, `later ${i}`)).toBe(false)
    expect(limit.size).toBe(1_000)
  })
})

describe('A map of recent entries', () => {
  it('lets go of what was unused for longest', () => {
    const map = new RecentMap<string, number>(3)
    for (const [i, key] of ['a', 'b', 'c'].entries()) map.set(key, i)
    map.get('a')
    map.set('d', 3)

    expect(map.size).toBe(3)
    expect(map.get('b')).toBeUndefined()
    expect(map.get('a')).toBe(0)
  })
})

describe('Languages that nobody speaks', () => {
  it('come to a few locales, whatever is asked for', () => {
    const letters = 'abcdefghijklmnopqrstuvwxyz0123456789'
    const random = (length: number) =>
      Array.from(
        { length },
        (_, i) => letters[(length * 7 + i * 13 + asked * 31 + (asked >> i)) % letters.length],
      ).join('')
    let asked = 0
    const locales = new Set<string>()
    for (; asked < 2_000; asked++)
      for (const language of ['en', 'de', 'fr', 'es', 'ja'])
        locales.add(chooseLocale(`${language}-${random(2)}-${random(8)}-${random(5)}`).tag)

    expect(locales.size).toBeLessThan(300)
    expect(chooseLocale('de-AT-1996').tag).toBe('de-AT')
    expect(chooseLocale('de-XX').tag).toBe('de')
    expect(chooseLocale('en').tag).toBe('en-US')
    expect(chooseLocale('es-419').tag).toBe('es-419')
  })
})

describe('With a limit on tokens', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({ settings: { TOKEN_RATE_LIMIT_PER_MINUTE: '5', PAGE_RATE_LIMIT_PER_MINUTE: '10' } })
  })
  afterAll(() => world.close())

  it('guesses end for an address, also when each comes with another client id', async () => {
    const guess = (i: number) =>
      world.call('POST', '/v1/oauth2/token', 'grant_type=client_credentials', {
        headers: { authorization: basic(`client ${i}`, 'guess'), 'content-type': 'application/x-www-form-urlencoded' },
      })
    standStill()
    const statuses: number[] = []
    for (let i = 0; i < 55; i++) statuses.push((await guess(i)).status)

    expect(statuses.slice(0, 50).every((status) => status === 401)).toBe(true)
    expect(statuses.slice(50).every((status) => status === 429)).toBe(true)
  })

  it('the documents of the API count as pages', async () => {
    standStill()
    const statuses: number[] = []
    for (let i = 0; i < 12; i++) statuses.push((await world.call('GET', i % 2 ? '/docs' : '/openapi.json')).status)

    expect(statuses.slice(0, 10).every((status) => status === 200)).toBe(true)
    expect(statuses.slice(10)).toEqual([429, 429])
  })
})

it('Invented access tokens end for an address before the database is asked, and those who hold one go on', async () => {
  standStill()
  const world = await newWorld({ settings: { TOKEN_RATE_LIMIT_PER_MINUTE: '5' } })
  const list = (authorization: string) =>
    world.call('GET', '/v2/invoicing/invoices', undefined, { headers: { authorization } })
  const token = await world.tokenFor('sandbox-merchant')
  expect((await list(`Bearer ${token}`)).status).toBe(200)
  const asked = vi.spyOn(world.app.database, 'row')
  const statuses: number[] = []
  for (let i = 0; i < 70; i++)
    statuses.push((await list(`Bearer ${token.slice(0, -4)}${String(i).padStart(4, '-')}`)).status)

  expect(statuses.slice(0, 50).every((status) => status === 401)).toBe(true)
  expect(statuses.slice(50).every((status) => status === 429)).toBe(true)
  // Whose it is, and whether its account has moved away.
  expect(asked.mock.calls).toHaveLength(2 * 50)
  asked.mockRestore()
  expect((await list(`Bearer ${token}`)).status).toBe(200)
  await world.close()
})

describe('What the service says of itself', () => {
  const asked = { notReady: 0, metrics: 0, describe: 0 }
  const parts = {
    service: { publicUrl: 'https://public.example', environment: 'live', dialect: dialects.service },
    routes: () => {
      asked.describe++
      return []
    },
  }
  const routes = [
    ...statusRoutes({
      notReady: async () => [`${asked.notReady++}`],
      metrics: async () => `${asked.metrics++}`,
    }),
    // As much of the service as its description needs.
    ...referenceRoutes(parts as unknown as Parameters<typeof referenceRoutes>[0]),
  ]
  const ask = (url: string, times: number) =>
    Promise.all(
      Array.from({ length: times }, () => routes.find((route) => route.url === url)!.handle({ query: {} } as never)),
    )

  it('is made once for all who ask, or for all who ask at once', async () => {
    for (const url of ['/readyz', '/metrics', '/openapi.json', '/docs']) await ask(url, 50)
    await ask('/openapi.json', 50)

    expect(asked).toEqual({ notReady: 1, metrics: 1, describe: 1 })
  })

  it('is answered under load where machines ask, and not where people read', () => {
    const always = describedRoutes(describedService).filter((route) => route.always)

    expect(always.map(({ url }) => url)).toEqual(['/healthz', '/readyz', '/metrics'])
  })
})

describe('Callers who name accounts at length', () => {
  it('are remembered by a few bytes each', async () => {
    setFlagsFromString('--expose-gc')
    const collect = runInNewContext('gc') as () => void
    const world = await newWorld({ isOwn: true })
    const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url')
    const named = (i: number) =>
      world.partner.get('/v2/invoicing/invoices?page_size=1', {
        headers: {
          'service-auth-assertion': `${part({ alg: 'none' })}.${part({
            iss: 'sandbox-partner',
            payer_id: world.people.merchant.id,
            padding: `${i}${'x'.repeat(7_000)}`,
          })}.`,
        },
      })
    for (let i = 0; i < 20; i++) expect((await named(-i)).status).toBe(200)
    collect()
    const before = process.memoryUsage().heapUsed
    for (let i = 0; i < 250; i++) await named(i)
    // Asking for the log of requests writes what is held of them, which is not what callers are remembered by.
    await world.call('GET', '/sandbox/requests?page_size=1')
    collect()
    const grownBy = process.memoryUsage().heapUsed - before
    await world.close()

    // So many assertions have 2.3 megabytes.
    expect(grownBy).toBeLessThan(1_500_000)
  })
})

it('Addresses of version 6 count as the network they are of', () => {
  expect(networkOf('2001:db8:1:2:3:4:5:6')).toBe(networkOf('2001:db8:1:2:ffff::1'))
  expect(networkOf('::ffff:192.0.2.1')).toBe('192.0.2.1')
})
