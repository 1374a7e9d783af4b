import { pino } from 'pino'
import { expect, it, vi } from 'vitest'
import { openApp } from '../../../src/app.ts'
import { sql } from '../../../src/database/sql.ts'
import { readSettings } from '../../../src/settings.ts'
import { newDatabase, openPatiently } from '../../support/database.ts'
import { FaultyProxy } from '../../support/faulty-proxy.ts'
import { patient } from '../../support/world.ts'

it('A service of which something cannot be closed in order closes all the rest, and says so', async () => {
  const own = await newDatabase({ stopped: true })
  const proxy = await FaultyProxy.before(own.url)
  const settings = readSettings({ PORT: '0', LOG_LEVEL: 'silent' })
  const databaseUrl = proxy.url(own.url)
  const app = await openApp({ settings, databaseUrl, log: pino({ level: 'silent' }), ...patient })
  expect((await app.server.inject({ method: 'POST', url: '/sandbox/forks' })).statusCode).toBe(201)

  // The copy of the fork cannot be dropped.
  proxy.set('closes')
  await expect(app.close()).rejects.toThrow()

  proxy.set('fine')
  await expect(app.database.rows(sql`select 1`)).rejects.toThrow()
  proxy.close()
  await own.drop()
})

it('A fork that could not be ended in order does not count any more', async () => {
  const own = await newDatabase({ stopped: true })
  const proxy = await FaultyProxy.before(own.url)
  const settings = readSettings({ PORT: '0', LOG_LEVEL: 'silent', FORKS_MAX: '1' })
  const app = await openApp({ settings, databaseUrl: proxy.url(own.url), log: pino({ level: 'silent' }), ...patient })
  const fork = async () => app.server.inject({ method: 'POST', url: '/sandbox/forks' })
  const { name } = (await fork()).json<{ name: string }>()
  const end = () => app.server.inject({ method: 'DELETE', url: `/sandbox/forks/${name}` })

  proxy.set('resets')
  expect((await end()).statusCode).toBe(503)

  proxy.set('fine')
  expect((await end()).statusCode).toBe(404)
  await expect.poll(async () => (await fork()).statusCode).toBe(201)
  await app.close()
  proxy.close()
  await own.drop()
})

it('A service that ends while it plays a story waits for none of it, and takes away what the story set up', async () => {
  const own = await newDatabase({ stopped: true })
  const settings = readSettings({ PORT: '0', LOG_LEVEL: 'silent', SHUTDOWN_GRACE_SECONDS: '0' })
  const app = await openApp({ settings, databaseUrl: own.url, log: pino({ level: 'silent' }), ...patient })
  const url = await app.listen()
  const body = { pause_seconds: 60, forward_to: 'http://127.0.0.1:9000/' }
  const started = await fetch(`${url}/sandbox/scenarios/seller-wins/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  const { id } = (await started.json()) as { id: string }
  const run = `${url}/sandbox/scenario-runs/${id}`
  expect(await (await fetch(`${run}?after=0`)).json()).toMatchObject({ status: 'RUNNING', steps: [{ step: 'pay' }] })
  // Neither the rest between two steps nor whoever waits for the next is waited for.
  vi.useFakeTimers({ toFake: ['setTimeout'] })
  const waiting = app.server.inject({ method: 'GET', url: `/sandbox/scenario-runs/${id}?after=1` })

  await app.close()

  expect((await waiting).statusCode).toBe(200)
  vi.useRealTimers()
  const database = openPatiently(own.url)
  expect((await database.query('select from webhooks')).rows).toEqual([])
  await database.close()
  await own.drop()
})
