import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { basic, newWorld, type World } from '../../support/world.ts'

interface ErrorBody {
  name: string
  debug_id: string
}

describe('With rate limits', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({
      settings: { RATE_LIMIT_PER_MINUTE: '60', RATE_LIMIT_BURST: '5', TOKEN_RATE_LIMIT_PER_MINUTE: '10' },
    })
  })
  // A request is earned back within a second, which on a busy machine passes between two of these.
  beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
  afterEach(() => void vi.useRealTimers())
  afterAll(() => world.close())

  const ask = (clientId: string, secret: string) =>
    world.call<ErrorBody>('POST', '/v1/oauth2/token', 'grant_type=client_credentials', {
      headers: { authorization: basic(clientId, secret), 'content-type': 'application/x-www-form-urlencoded' },
    })

  it('an app is told how many requests it has left, and refused with the time to wait when it has none', async () => {
    const answers = []
    for (let i = 0; i < 6; i++) answers.push(await world.merchant.get<ErrorBody>('/v2/payments/captures/X'))

    expect(answers.slice(0, 5).map(({ status }) => status)).toEqual([404, 404, 404, 404, 404])
    expect(answers[0]!.headers['ratelimit-limit']).toBe('60')
    expect(answers[0]!.headers['ratelimit-remaining']).toBe('4')
    const last = answers[5]!
    expect(last.status).toBe(429)
    expect(last.body.name).toBe('RATE_LIMIT_REACHED')
    expect(Number(last.headers['retry-after'])).toBeGreaterThanOrEqual(1)
  })

  it('a large body counts as several requests', async () => {
    const large = await world.personWithApp(world.people.merchant.id, ['payments/refund'])
    const call = (note: string) => large.post('/v2/payments/captures/X/refund', { note_to_payer: note })
    const first = await call('x'.repeat(5 * 16_384))
    const second = await call('small')

    expect(first.status).not.toBe(429)
    expect(second.status).toBe(429)
    expect(Number(second.headers['retry-after'])).toBeGreaterThanOrEqual(2)
  })

  it('one app does not use up what another has', async () => {
    expect((await world.partner.get('/v2/invoicing/invoices')).status).toBe(200)
  })

  it('guessing a secret ends after ten tries, whatever is tried, and other clients go on', async () => {
    const guesses = []
    for (let i = 0; i < 12; i++) guesses.push((await ask('sandbox-buyer', `guess ${i}`)).status)

    expect(guesses.slice(0, 10).every((status) => status === 401)).toBe(true)
    expect(guesses.slice(10)).toEqual([429, 429])
    expect((await ask('sandbox-merchant-2', 'sandbox-merchant-2-secret')).status).toBe(200)
  })

  it('health is never refused', async () => {
    for (let i = 0; i < 20; i++) expect((await world.call('GET', '/healthz')).status).toBe(200)
  })
})
