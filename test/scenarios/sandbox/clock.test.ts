import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listAccounts, listApps } from '../../../src/accounts/store.ts'
import { after } from '../../../src/kernel/clock.ts'
import { live } from '../../support/live.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, START, type World } from '../../support/world.ts'

interface ClockBody {
  now: string
  frozen: boolean
  fired: { work: string; at: string }[]
  details: { issue: string }[]
}

describe('The sandbox clock', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  const statusWith = async (token: string) =>
    (await world.call('GET', '/v2/payments/captures/X', undefined, { headers: { authorization: `Bearer ${token}` } }))
      .status
  const move = (body: object) => world.call<ClockBody>('POST', '/sandbox/clock', body)

  it('shows what time it is and whether it stands still', async () => {
    const { status, body } = await world.call<ClockBody>('GET', '/sandbox/clock')
    expect(status).toBe(200)
    expect(body).toEqual({ now: START, frozen: true })
  })

  it('moves by a duration, in calendar units, and to an instant', async () => {
    expect((await move({ advance: 'P1M' })).body.now).toBe('2026-04-02T09:00:00.000Z')
    expect((await move({ advance: 'PT36H' })).body.now).toBe('2026-04-03T21:00:00.000Z')
    expect((await move({ to: '2026-05-01T00:00:00+02:00' })).body.now).toBe('2026-04-30T22:00:00.000Z')
  })

  it('fires what falls due on the way, in order, each at its own time', async () => {
    const at = (day: string) => `2026-05-${day}T00:00:00.000Z`
    await world.app.transact(async (tx) => {
      for (const day of ['07', '03', '05'])
        tx.enqueue({ name: 'no-such-job', payload: { account_id: 'A' }, runAt: at(day) as never, key: `clock ${day}` })
    })
    const { body } = await move({ to: '2026-05-06T00:00:00Z' })

    expect(body.fired.map((fired) => fired.at)).toEqual([at('03'), at('05')])
    expect(body.now).toBe(at('06'))
  })

  it('says of all that falls due at the next instant what it was, however much that is', async () => {
    const at = after(world.now(), 60)
    await world.app.transact(async (tx) => {
      for (let n = 0; n < 150; n++)
        tx.enqueue({ name: 'no-such-job', payload: { account_id: 'A' }, runAt: at, key: `next ${n}` })
    })
    const { body } = await world.call<ClockBody & { next: { at: string }[] }>('POST', '/sandbox/clock', { next: true })

    expect([body.now, body.fired.length, body.next.length]).toEqual([at, 150, 150])
  })

  it('runs on when it is let go, and stands still when it is stopped', async () => {
    const { body: running } = await move({ freeze: false })
    expect(running.frozen).toBe(false)
    const { body: stopped } = await move({ freeze: true })
    expect(stopped.frozen).toBe(true)
    expect(stopped.now >= running.now).toBe(true)
    expect((await world.call<ClockBody>('GET', '/sandbox/clock')).body.now).toBe(stopped.now)
  })

  it.each([{ freeze: true }, { advance: 'PT0S' }])(
    'does not go back to when it was asked for while work that was due took its time: %o',
    async (body) => {
      const receiver = await Receiver.open()
      const shown = async () => (await world.call<ClockBody>('GET', '/sandbox/clock')).body.now
      let seen = ''
      receiver.behaviour = async (_, response) => {
        const before = await shown()
        await expect.poll(shown).not.toBe(before)
        seen = await shown()
        response.end()
      }
      const webhook = { url: receiver.url(), event_types: [{ name: '*' }] }
      const { id } = (await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', webhook)).body
      await move({ freeze: false })
      await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })

      const { now } = (await move(body)).body

      expect(seen).not.toBe('')
      expect(now >= seen).toBe(true)
      await move({ freeze: true })
      await world.merchant.delete(`/v1/notifications/webhooks/${id}`)
      await receiver.close()
    },
  )

  // biome-ignore format: a table reads best as a table
  const refusals: [what: string, body: object, status: number, issue: string][] = [
    ['to go back',                 { to: '2020-01-01T00:00:00Z' },                       422, 'CLOCK_MOVES_FORWARD_ONLY'],
    ['a duration that goes back',  { advance: 'P-1D' },                                  422, 'CLOCK_MOVES_FORWARD_ONLY'],
    ['a duration it cannot read',  { advance: 'tomorrow' },                              400, 'INVALID_PARAMETER_SYNTAX'],
    ['a duration of nothing',      { advance: 'P' },                                     400, 'INVALID_PARAMETER_SYNTAX'],
    ['a duration of no time',      { advance: 'PT' },                                    400, 'INVALID_PARAMETER_SYNTAX'],
    ['nothing backwards',          { advance: '-P' },                                    400, 'INVALID_PARAMETER_SYNTAX'],
    ['a duration that breaks off', { advance: 'P1DT' },                                  400, 'INVALID_PARAMETER_SYNTAX'],
    ['a number without a unit',    { advance: 'P1' },                                    400, 'INVALID_PARAMETER_SYNTAX'],
    ['an instant it cannot read',  { to: '2026-13-01T00:00:00Z' },                       400, 'INVALID_PARAMETER_SYNTAX'],
    ['two ways at once',           { to: '2027-01-01T00:00:00Z', advance: 'P1D' },       400, 'INVALID_PARAMETER_VALUE'],
    ['nothing to do',              {},                                                   400, 'MISSING_REQUIRED_PARAMETER'],
    ['a flag that is no flag',     { freeze: 'yes' },                                    400, 'INVALID_PARAMETER_SYNTAX'],
    ['a time beyond the calendar', { advance: 'P9000Y' },                                400, 'INVALID_PARAMETER_VALUE'],
  ]
  for (const [what, body, status, issue] of refusals)
    it(`refuses ${what}`, async () => {
      const before = world.now()
      const response = await move(body)

      expect(response.status).toBe(status)
      expect(response.body.details[0]!.issue).toBe(issue)
      expect(world.now()).toBe(before)
    })

  it('is reset with everything else, to the seeded people and real time', async () => {
    const token = await world.tokenFor('sandbox-merchant')
    const { status } = await world.call('POST', '/sandbox/reset')
    expect(status).toBe(200)

    const { body } = await world.call<ClockBody>('GET', '/sandbox/clock')
    expect(body.frozen).toBe(false)
    expect(await statusWith(token)).toBe(404)
    expect(await world.tokenFor('sandbox-merchant')).toBe(token)
    expect(await world.events()).toEqual([])
  })

  it('is not what access tokens live on: they outlive jumps and resets until they are told to expire', async () => {
    const token = await world.tokenFor('sandbox-buyer')
    const seen = await statusWith(token)
    await world.pass('P1Y')
    await world.call('POST', '/sandbox/reset')
    expect(await statusWith(token)).toBe(seen)

    const { status, body } = await world.call<{ expired: number }>('POST', '/sandbox/tokens/expire')
    expect(status).toBe(200)
    expect(body.expired).toBeGreaterThan(0)

    expect(await statusWith(token)).toBe(401)
    expect(await world.tokenFor('sandbox-buyer')).not.toBe(token)
  })
})

describe('In live', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld({
      settings: live,
    })
  })
  afterAll(() => world.close())

  it('there is nobody, the sandbox credentials are refused, and no sandbox address answers', async () => {
    const { database } = world.app
    expect([await listAccounts(database), await listApps(database)]).toEqual([[], []])
    await expect(world.tokenFor('sandbox-merchant')).rejects.toThrow('invalid_client')
    for (const [method, path] of [
      ['GET', '/sandbox/clock'],
      ['POST', '/sandbox/clock'],
      ['POST', '/sandbox/reset'],
      ['POST', '/sandbox/tokens/expire'],
      ['POST', '/sandbox/transactions'],
    ] as const)
      expect((await world.call(method, path, {})).status).toBe(404)
  })

  it('health, readiness, metrics and documents answer without a token', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics', '/openapi.json', '/docs'])
      expect((await world.call('GET', path)).status).toBe(200)
    expect((await world.call('GET', '/metrics')).text).toContain('quittance_http_request_seconds')
    const { body } = await world.call<{ openapi: string; paths: object }>('GET', '/openapi.json')
    expect(body.openapi).toBe('3.1.0')
    expect(Object.keys(body.paths).some((path) => path.startsWith('/sandbox'))).toBe(false)
  })
})
