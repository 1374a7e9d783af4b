import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openService } from '../../../src/cli/commands/serve.ts'
import { readSettings } from '../../../src/settings.ts'
import { run } from '../../support/command.ts'
import { newDatabase, type TestDatabase } from '../../support/database.ts'
import { tokenOver } from '../../support/process.ts'
import { Receiver } from '../../support/receiver.ts'

type Opened = Awaited<ReturnType<typeof openService>>

describe('A process with a port of its own for those who run it', () => {
  let database: TestDatabase
  let receiver: Receiver
  let serving: Opened
  let working: Opened
  const log = pino({ level: 'silent' })
  beforeAll(async () => {
    database = await newDatabase()
    receiver = await Receiver.open()
    const variables = { PORT: '0', DATABASE_URL: database.url, STATUS_PORT: '0' }
    serving = await openService(readSettings(variables), log, { serves: true, works: false })
    working = await openService(readSettings(variables), log, { serves: false, works: true })
  })
  afterAll(async () => {
    await working.close()
    await serving.close()
    await receiver.close()
    await database.drop()
  })
  const told = async ({ statusUrl }: Opened, path: string) => {
    const response = await fetch(`${statusUrl}${path}`)
    return { status: response.status, type: response.headers.get('content-type'), text: await response.text() }
  }

  it('tells at STATUS_PORT what it delivered, which no other process counts', async () => {
    const { publicUrl } = serving.app.service
    const headers = { authorization: `Bearer ${await tokenOver(publicUrl)}`, 'content-type': 'application/json' }
    const post = async (path: string, body: object) =>
      fetch(`${publicUrl}/v1/notifications/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    const made = await post('webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
    const { id: webhook_id } = (await made.json()) as { id: string }
    await post('simulate-event', { event_type: 'INVOICING.INVOICE.PAID', webhook_id })
    await receiver.has(1)

    const delivered = 'quittance_webhook_attempts_total{outcome="delivered",answer="2xx"} 1'
    await expect.poll(async () => (await told(working, '/metrics')).text).toContain(delivered)
    expect((await told(serving, '/metrics')).text).not.toContain(delivered)
  })

  it('tells there how it is, as Prometheus and balancers read it, and nothing else', async () => {
    expect(await told(working, '/healthz')).toMatchObject({ status: 200, text: '{"status":"ok"}' })
    expect(await told(working, '/readyz')).toMatchObject({ status: 200, text: '{"status":"ready"}' })
    expect(await told(working, '/metrics')).toMatchObject({ status: 200, type: expect.stringContaining('text/plain') })
    expect((await told(working, '/v2/invoicing/invoices')).status).toBe(404)
  })

  it('keeps the figures of a process that answers requests from whoever reaches those', async () => {
    const { publicUrl } = serving.app.service
    const asked = async (path: string) => {
      const response = await fetch(publicUrl + path)
      return [path, response.status, await response.text()]
    }

    expect(await asked('/metrics')).toEqual(['/metrics', 404, expect.stringContaining('NO_SUCH_OPERATION')])
    expect(await asked('/healthz')).toEqual(['/healthz', 200, '{"status":"ok"}'])
    expect(await asked('/readyz')).toEqual(['/readyz', 200, '{"status":"ready"}'])
    expect((await asked('/openapi.json'))[2]).not.toContain('"/metrics"')
    expect(await told(serving, '/metrics')).toMatchObject({ status: 200, type: expect.stringContaining('text/plain') })
  })

  it('names the setting when somebody else listens there', async () => {
    const STATUS_PORT = new URL(working.statusUrl!).port
    const { code, stderr } = await run(['work'], { DATABASE_URL: database.url, STATUS_PORT })

    expect([code, stderr]).toEqual([1, expect.stringContaining('set STATUS_PORT')])
  })

  it('is not the port that requests come to', async () => {
    const PORT = new URL(serving.statusUrl!).port
    const { code, stderr } = await run(['serve'], { DATABASE_URL: database.url, PORT, STATUS_PORT: PORT })

    expect([code, stderr]).toEqual([2, expect.stringContaining('PORT and STATUS_PORT are both')])
  })
})
