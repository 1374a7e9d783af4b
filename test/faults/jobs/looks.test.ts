import pg from 'pg'
import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openApp } from '../../../src/app.ts'
import { connectionSettings } from '../../../src/database/address.ts'
import { readSettings } from '../../../src/settings.ts'
import { newDatabase } from '../../support/database.ts'
import { Receiver } from '../../support/receiver.ts'
import { INVOICES, over } from '../../support/shop.ts'
import { basic, patient } from '../../support/world.ts'

const CREATIONS = 80

/** How often the indexes of both queues were looked into while a merchant made invoices, and how long that took. */
async function looksWhileCreating(receiver?: Receiver) {
  const { url, drop } = await newDatabase()
  const settings = readSettings({
    LOG_LEVEL: 'error',
    PORT: '0',
    SHUTDOWN_GRACE_SECONDS: '0',
    RATE_LIMIT_PER_MINUTE: '0',
  })
  const app = await openApp({ ...patient, settings, databaseUrl: url, log: pino({ level: 'error' }), works: true })
  const post = (path: string, headers: Record<string, string>, payload: object | string) =>
    app.server.inject({ method: 'POST', url: path, headers, payload })
  const form = {
    authorization: basic('sandbox-merchant', 'sandbox-merchant-secret'),
    'content-type': 'application/x-www-form-urlencoded',
  }
  const { access_token } = (await post('/v1/oauth2/token', form, 'grant_type=client_credentials')).json()
  const authorized = { authorization: `Bearer ${access_token}` }
  if (receiver)
    await post('/v1/notifications/webhooks', authorized, { url: receiver.url(), event_types: [{ name: '*' }] })

  const began = performance.now()
  for (let i = 0; i < CREATIONS; i++) expect((await post(INVOICES, authorized, over('1.00'))).statusCode).toBe(201)
  await receiver?.has(CREATIONS, { within: 30_000 })
  const seconds = (performance.now() - began) / 1000
  // The figures are complete once the connections that made them are closed.
  await app.close()
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  const { rows } = await client.query<{ relname: string; idx_scan: string }>(
    "select relname, idx_scan from pg_stat_user_tables where relname in ('jobs', 'delivery_queue')",
  )
  await client.end()
  await drop()
  const looks = (table: string) => Number(rows.find(({ relname }) => relname === table)!.idx_scan)
  return { jobs: looks('jobs'), deliveries: looks('delivery_queue'), seconds }
}

// Looking by itself twice a second, and a look or two more at the start.
const byItself = (seconds: number, scansPerLook: number) => (2 * seconds + 4) * scansPerLook

it('Invoices that enqueue neither job nor delivery make nobody look for one', async () => {
  const { jobs, deliveries, seconds } = await looksWhileCreating()

  expect(jobs).toBeLessThan(byItself(seconds, 6))
  expect(deliveries).toBeLessThan(byItself(seconds, 8))
})

it('Deliveries that are added make nobody look for jobs', async () => {
  const receiver = await Receiver.open()
  const { jobs, deliveries, seconds } = await looksWhileCreating(receiver)

  expect(receiver.received).toHaveLength(CREATIONS)
  expect(jobs).toBeLessThan(byItself(seconds, 6))
  // To be claimed and recorded takes six to nine each; four workers that looked at every event once added five.
  expect(deliveries).toBeLessThan(CREATIONS * 11 + byItself(seconds, 8))
  await receiver.close()
})
