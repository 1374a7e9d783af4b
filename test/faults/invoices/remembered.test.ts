import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../../../src/app.ts'
import { migrate } from '../../../src/database/migrate.ts'
import { randomIds } from '../../../src/kernel/ids.ts'
import { readSettings } from '../../../src/settings.ts'
import { newCluster } from '../../support/cluster.ts'
import { INVOICES } from '../../support/shop.ts'
import { statementsOf } from '../../support/statements.ts'
import { basic, newWorld, patient, type World } from '../../support/world.ts'

const TEMPLATES = '/v2/invoicing/templates'

interface Made {
  detail: { invoice_number: string; note?: string; currency_code: string; metadata: { created_by: string } }
}

describe('What a process remembers of a merchant between creations', () => {
  let world: World
  let second: App
  let token: string
  beforeAll(async () => {
    world = await newWorld({ settings: { STRICT_INVOICER_EMAIL: 'true' } })
    const settings = readSettings({ LOG_LEVEL: 'error', PORT: '0' })
    const log = pino({ level: 'error' })
    second = await openApp({ ...patient, settings, databaseUrl: world.databaseUrl, log, ids: randomIds })
    token = await world.tokenFor('sandbox-merchant')
  })
  afterAll(async () => {
    await second.close()
    await world.close()
  })

  const send = async (app: App, method: 'POST' | 'PUT' | 'DELETE', url: string, payload: object = {}, as = token) => {
    const headers = { authorization: `Bearer ${as}`, prefer: 'return=representation' }
    const answer = await app.server.inject({ method, url, headers, payload })
    expect(answer.statusCode, answer.body).toBeLessThan(300)
    return (answer.body === '' ? undefined : answer.json()) as Made & { id: string; invoice_number: string }
  }
  const create = (app: App, detail: object = {}, rest: object = {}) =>
    send(app, 'POST', INVOICES, { detail: { currency_code: 'USD', ...detail }, ...rest })
  const numberOf = async (app: App, detail: object = {}) => (await create(app, detail)).detail.invoice_number

  it('makes a creation one statement, and is no reason to repeat a number or to leave one out', async () => {
    await numberOf(world.app, { invoice_number: 'A-7' })
    expect(await numberOf(world.app)).toBe('A-8')

    const statements = await statementsOf(world, async () => expect(await numberOf(world.app)).toBe('A-9'))
    expect(statements).toHaveLength(1)

    // Another process counts on, and the merchant chooses one there.
    expect(await numberOf(second)).toBe('A-10')
    expect(await numberOf(world.app)).toBe('A-11')
    await numberOf(second, { invoice_number: 'B-500' })
    expect(await numberOf(world.app)).toBe('B-501')

    const { id } = await create(world.app)
    await send(second, 'DELETE', `${INVOICES}/${id}`)
    expect(await numberOf(world.app)).toBe('B-502')
  })

  it('follows the number that the newest invoice has by now', async () => {
    // Of another merchant, so that this process has no reason to look before it guesses.
    const other = await world.tokenFor('sandbox-merchant-2')
    const make = () => send(world.app, 'POST', INVOICES, { detail: { currency_code: 'USD' } }, other)
    const { id } = await make()

    await send(second, 'PUT', `${INVOICES}/${id}`, { detail: { currency_code: 'USD', invoice_number: 'F-30' } }, other)

    const { invoice_number } = await send(second, 'POST', '/v2/invoicing/generate-next-invoice-number', {}, other)
    expect([invoice_number, (await make()).detail.invoice_number]).toEqual(['F-31', 'F-31'])
  })

  it('is not believed when another process changed a template, or made one the usual', async () => {
    const template = (note: string) => ({
      name: 'Remembered',
      default_template: true,
      template_info: { detail: { currency_code: 'USD', note } },
    })
    expect((await create(world.app)).detail.note).toBeUndefined()

    const { id } = await send(second, 'POST', TEMPLATES, template('First'))
    expect((await create(world.app)).detail.note).toBe('First')

    await send(second, 'PUT', `${TEMPLATES}/${id}`, template('Second'))
    expect((await create(world.app)).detail.note).toBe('Second')
    expect((await create(world.app, { invoice_number: 'C-1' })).detail.note).toBe('Second')

    await send(second, 'DELETE', `${TEMPLATES}/${id}`)
    expect((await create(world.app)).detail.note).toBeUndefined()
  })

  it('refuses nothing that is allowed by now', async () => {
    const { merchant, app } = world
    const from = (email_address: string) => ({ detail: { currency_code: 'USD' }, invoicer: { email_address } })
    expect((await merchant.post(INVOICES, from('merchant@example.com'))).status).toBe(201)
    expect((await merchant.post(INVOICES, from('new@example.com'))).status).toBe(422)

    await app.database.query(
      `update accounts set body = jsonb_set(body, '{email}', '"new@example.com"') where id = 'MERCHANTAAAAA'`,
    )
    expect((await merchant.post(INVOICES, from('new@example.com'))).status).toBe(201)
  })
})

describe('What a process remembers of a merchant from a server that lost its last writes', () => {
  it('is not believed where the server counts on with the same number', async () => {
    const { cluster, remove } = await newCluster({ autovacuum: 'off' })
    await migrate(cluster.url)
    const settings = readSettings({ LOG_LEVEL: 'silent', PORT: '0' })
    const log = pino({ level: 'silent' })
    const app = await openApp({ ...patient, settings, databaseUrl: cluster.url, log, ids: randomIds })
    const asked = await app.server.inject({
      method: 'POST',
      url: '/v1/oauth2/token',
      headers: {
        authorization: basic('sandbox-merchant', 'sandbox-merchant-secret'),
        'content-type': 'application/x-www-form-urlencoded',
      },
      payload: 'grant_type=client_credentials',
    })
    const { access_token } = asked.json<{ access_token: string }>()
    const headers = { authorization: `Bearer ${access_token}`, prefer: 'return=representation' }
    const send = async (method: 'POST' | 'PUT', url: string, payload: object) =>
      (await app.server.inject({ method, url, headers, payload })).json<Made & { id: string }>()
    const template = (note: string) => ({
      name: 'Remembered',
      default_template: true,
      template_info: { detail: { currency_code: 'USD', note } },
    })
    const noteOf = async (invoice_number: string) =>
      (await send('POST', INVOICES, { detail: { currency_code: 'USD', invoice_number } })).detail.note
    /** What was noted of requests is written before, so that the next write is the one of the template. */
    const restart = async (meanwhile: () => void) => {
      await app.server.inject({ method: 'GET', url: '/sandbox/requests?page_size=1' })
      await cluster.kill()
      meanwhile()
      await cluster.start()
      await expect.poll(async () => (await app.server.inject('/readyz')).statusCode).toBe(200)
    }
    const writtenBy = () => cluster.query<{ number: string }>('select xmin::text as number from invoice_templates')
    try {
      const { id } = await send('POST', TEMPLATES, template('First'))
      let putBack = () => {}
      await restart(() => {
        putBack = cluster.keep()
      })
      await send('PUT', `${TEMPLATES}/${id}`, template('Lost'))
      expect(await noteOf('A-1')).toBe('Lost')
      const lost = await writtenBy()

      await restart(putBack)
      await send('PUT', `${TEMPLATES}/${id}`, template('Second'))
      expect(await writtenBy()).toEqual(lost)
      expect(await noteOf('A-2')).toBe('Second')
    } finally {
      await app.close()
      await remove()
    }
  })
})
