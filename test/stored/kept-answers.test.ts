import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { defaultScopes } from '../../src/accounts/scopes.ts'
import { newLiveWorld } from '../support/live.ts'
import { INVOICES, over, recipient } from '../support/shop.ts'
import { newWorld, usd, type World } from '../support/world.ts'

const whole = { prefer: 'return=representation' }

describe('A kept answer', () => {
  let world: World
  beforeAll(async () => {
    world = await newWorld()
  })
  afterAll(() => world.close())

  const kept = async (key: string) => {
    const { rows } = await world.app.database.query('select * from idempotency where key = $1', [key])
    return rows[0]
  }

  it('holds no secret in clear, and gives it again', async () => {
    const webhook = { url: 'http://127.0.0.1:18999/hook', event_types: [{ name: '*' }] }
    const headers = { 'service-request-id': 'a webhook' }
    const first = await world.merchant.post<{ secret: string }>('/v1/notifications/webhooks', webhook, { headers })
    const again = await world.merchant.post('/v1/notifications/webhooks', webhook, { headers })
    const row = await kept('a webhook')

    expect(first.status).toBe(201)
    const secret = /whsec_[\w+/=]+/.exec(first.text)![0]
    expect(again.text).toBe(first.text)
    expect(again.headers['idempotent-replayed']).toBe('true')
    expect(row.body).toBeNull()
    const { rows } = await world.app.database.query(
      "select to_jsonb(i)::text as text from idempotency i where key = 'a webhook'",
    )
    expect(rows[0].text).not.toContain(secret)
    expect(row.sealed.toString('latin1')).not.toContain(secret)
  })

  it('opens for its own request alone', async () => {
    for (const key of ['mine', 'yours'])
      await world.merchant.post(INVOICES, over('1.00'), { headers: { 'service-request-id': key } })
    await world.app.database.query(
      "update idempotency set sealed = (select sealed from idempotency where key = 'mine') where key = 'yours'",
    )
    const again = await world.merchant.post<{ details: { issue: string }[] }>(INVOICES, over('1.00'), {
      headers: { 'service-request-id': 'yours' },
    })

    expect(again.status).toBe(409)
    expect(again.body.details[0]!.issue).toBe('ANSWER_NOT_READABLE')
  })

  it('that was kept before answers were sealed is given again too', async () => {
    const headers = { 'service-request-id': 'old', ...whole }
    const first = await world.merchant.post(INVOICES, over('2.00'), { headers })
    await world.app.database.query("update idempotency set sealed = null, body = $1 where key = 'old'", [first.text])

    expect((await world.merchant.post(INVOICES, over('2.00'), { headers })).text).toBe(first.text)
  })

  it('takes a fraction of what it says, however long that and its address are', async () => {
    const items = Array.from({ length: 100 }, (_, i) => ({
      name: `Item ${i}`,
      description: `A long description of item ${i}. `.repeat(30).slice(0, 1000),
      quantity: '1',
      unit_amount: usd('1.00'),
    }))
    const headers = { 'service-request-id': 'large', ...whole }
    const path = `${INVOICES}?ignored=${'x'.repeat(5_000)}`
    const { status, text } = await world.merchant.post(path, over('1.00', { items }), { headers })
    const row = await kept('large')

    expect(status).toBe(201)
    expect(text.length).toBeGreaterThan(100_000)
    expect(row.sealed.length).toBeLessThan(text.length / 10)
    expect(row.operation.length).toBeLessThan(120)
    expect((await world.merchant.post(path, over('1.00', { items }), { headers })).text).toBe(text)
  })
})

describe('What others said about disputes', () => {
  it('goes when events go', async () => {
    const world = await newWorld()
    const event = { specversion: '1.0', type: 'x', source: 's', datacontenttype: 'application/json', data: {} }
    const tell = (id: string) => world.merchant.post('/v1/customer/dispute-events', { ...event, id })
    const ids = async () => {
      const { rows } = await world.app.database.query('select id from dispute_event_inbox order by id')
      return rows.map(({ id }) => id)
    }
    expect((await tell('old')).status).toBe(204)
    await world.pass('P29D')
    await tell('young')
    await world.app.sweep()
    expect(await ids()).toEqual(['old', 'young'])

    await world.pass('P2D')
    await world.app.sweep()
    expect(await ids()).toEqual(['young'])
    await world.close()
  })
})

describe('With a limit on what an account leaves behind', () => {
  it('large requests end when it is reached, small ones and other accounts go on', async () => {
    const world = await newLiveWorld({ STORED_MEGABYTES_PER_DAY: '1' })
    const scopes = defaultScopes('BUSINESS', ['invoicing'])
    const loud = await world.personWithApp(world.people.merchant.id, scopes)
    const quiet = await world.personWithApp(world.people.otherMerchant.id, scopes)
    const items = Array.from({ length: 100 }, (_, i) => ({
      name: `Item ${i}`,
      description: 'x'.repeat(1000),
      quantity: '1',
      unit_amount: usd('1.00'),
    }))
    const large = over('1.00', { items, primary_recipients: [recipient('payer@example.com')] })
    const answers = []
    for (let i = 0; i < 12; i++)
      answers.push(
        await loud.post<{ name: string; details: { issue: string; description: string }[] }>(INVOICES, large),
      )

    expect(answers.slice(0, 9).map(({ status }) => status)).toEqual(Array.from({ length: 9 }, () => 201))
    const last = answers.at(-1)!
    expect(last.status).toBe(429)
    expect(last.body.details[0]).toMatchObject({ issue: 'QUOTA_EXCEEDED' })
    expect(last.body.details[0]!.description).toMatch(/^The bytes of large requests are limited to 1048576 in one day/)
    expect(Number(last.headers['retry-after'])).toBeGreaterThan(86_000)
    expect((await loud.post(INVOICES, over('1.00'))).status).toBe(201)
    expect((await quiet.post(INVOICES, large)).status).toBe(201)
    await world.close()
  })
})
