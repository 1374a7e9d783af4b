import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../../../src/app.ts'
import { randomIds } from '../../../src/kernel/ids.ts'
import { readSettings } from '../../../src/settings.ts'
import { newWorld, patient, type World } from '../../support/world.ts'

const INVOICES = '/v2/invoicing/invoices'
const AT_ONCE = 16
const ROUNDS = 8

describe('Invoices whose number we choose', () => {
  let world: World
  let second: App
  beforeAll(async () => {
    world = await newWorld()
    const settings = readSettings({ LOG_LEVEL: 'error', PORT: '0' })
    const log = pino({ level: 'error' })
    second = await openApp({ ...patient, settings, databaseUrl: world.databaseUrl, log, ids: randomIds })
  })
  afterAll(async () => {
    await second.close()
    await world.close()
  })

  const draft = (number?: string) => ({
    detail: { currency_code: 'USD', ...(number !== undefined && { invoice_number: number }) },
  })
  const create = async (app: App, token: string, body: object = draft()) => {
    const headers = { authorization: `Bearer ${token}`, prefer: 'return=representation' }
    const response = await app.server.inject({ method: 'POST', url: INVOICES, headers, payload: body })
    expect(response.statusCode, response.body).toBe(201)
    return (response.json() as { detail: { invoice_number: string } }).detail.invoice_number
  }
  const following = (first: number, count: number) =>
    Array.from({ length: count }, (_, i) => String(first + i).padStart(4, '0'))

  it('get one each, without gaps, sixteen at once and on two processes', async () => {
    const token = await world.tokenFor('sandbox-merchant')
    const numbers: string[] = []
    const maker = async (app: App) => {
      for (let round = 0; round < ROUNDS; round++) numbers.push(await create(app, token))
    }

    await Promise.all(Array.from({ length: AT_ONCE }, (_, i) => maker(i % 2 === 0 ? world.app : second)))

    expect(numbers.sort()).toEqual(following(1, AT_ONCE * ROUNDS))
    const { rows } = await world.app.database.query('select count(*)::int as count from invoices')
    expect(rows).toEqual([{ count: AT_ONCE * ROUNDS }])
  })

  it('step over numbers that merchants chose themselves, also while those are being taken', async () => {
    const token = await world.tokenFor('sandbox-merchant-2')
    await Promise.all(['0002', '0003', '0007'].map((number) => create(world.app, token, draft(number))))
    // The newest decides where the count goes on.
    await create(world.app, token, draft('0001'))

    const made = await Promise.all(Array.from({ length: 5 }, (_, i) => create(i % 2 ? world.app : second, token)))

    expect(made.sort()).toEqual(['0004', '0005', '0006', '0008', '0009'])
  })

  it('leave no gap behind for a creation that is refused', async () => {
    const { merchant } = world
    const before = await merchant.post<{ detail: { invoice_number: string } }>(INVOICES, draft(), {
      headers: { prefer: 'return=representation' },
    })
    const refused = {
      ...draft(),
      items: [{ name: 'x', quantity: 'many', unit_amount: { currency_code: 'USD', value: '1' } }],
    }

    const [status] = await Promise.all([merchant.post(INVOICES, refused), merchant.post(INVOICES, draft())])
    const after = await merchant.post<{ detail: { invoice_number: string } }>(INVOICES, draft(), {
      headers: { prefer: 'return=representation' },
    })

    expect(status.status).toBeGreaterThanOrEqual(400)
    expect(Number(after.body.detail.invoice_number)).toBe(Number(before.body.detail.invoice_number) + 2)
  })
})
