import { pino } from 'pino'
import { expect, it } from 'vitest'
import { openApp } from '../../../src/app.ts'
import { sql } from '../../../src/database/sql.ts'
import { readSettings } from '../../../src/settings.ts'
import { newDatabase } from '../../support/database.ts'
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
