import { setTimeout as pause } from 'node:timers/promises'
import { GATEWAY_SECRET, startGateway } from '../../test/support/gateway.ts'
import { freePort } from '../../test/support/ports.ts'
import { type RunningService, runCommand, startService } from '../../test/support/process.ts'
import { RawReceiver, Receiver } from '../../test/support/receiver.ts'
import { openBenchDatabase } from '../harness/database.ts'
import { type Client, clientAt } from './client.ts'

export const PUBLIC_URL = 'https://pay.example'

/** A merchant with several apps, each with a token: limits of requests are by app. */
export interface Merchant {
  readonly tokens: readonly string[]
}

export type Scene = Awaited<ReturnType<typeof openScene>>

/** Two processes of a live service on one PostgreSQL, two merchants, a gateway that answers and a mail server that hangs. */
export async function openScene(databaseUrl: string | undefined) {
  const database = await openBenchDatabase(databaseUrl)
  const gateway = await startGateway()
  const mailServer = await RawReceiver.open(() => {})
  const receiver = await Receiver.open()
  const variables = {
    DATABASE_URL: database.url,
    QUITTANCE_ENVIRONMENT: 'live',
    QUITTANCE_SECRET: 'a secret of the bench, long enough to be one of ours',
    LOG_LEVEL: 'silent',
    PUBLIC_URL,
    SHUTDOWN_GRACE_SECONDS: '0',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    GATEWAY_URL: gateway.url,
    GATEWAY_SECRET,
    GATEWAY_ALLOW_HTTP: 'true',
    GATEWAY_ALLOW_PRIVATE: 'true',
    SMTP_URL: `smtp://127.0.0.1:${mailServer.port}`,
    SMTP_ALLOW_PRIVATE: 'true',
    SMTP_ALLOW_PLAIN: 'true',
  }
  // They print the public address, so their ports are chosen here.
  const ports = await Promise.all([freePort(), freePort()])
  const services: RunningService[] = []
  for (const port of ports) services.push(await startService({ ...variables, PORT: String(port) }))
  const urls = ports.map((port) => `http://127.0.0.1:${port}`)
  const staff = clientAt('127.0.0.1')

  async function merchant(name: string, apps: number): Promise<Merchant> {
    const account = await made<{ id: string }>(['accounts', 'create', '--email', `${name}@example.com`, '--name', name])
    const tokens: string[] = []
    for (let i = 0; i < apps; i++) {
      const app = await made<{ client_id: string; client_secret: string }>(['apps', 'create', account.id])
      tokens.push(await tokenOf(staff, urls[0]!, app.client_id, app.client_secret))
    }
    return { tokens }
  }

  async function made<Result>(words: string[]): Promise<Result> {
    const { code, stdout, stderr } = await runCommand([...words, '--json'], variables)
    if (code !== 0) throw new Error(`${words.join(' ')}: ${stderr}`)
    return JSON.parse(stdout) as Result
  }

  return {
    urls,
    gateway,
    receiver,
    description: database.description,
    merchant,
    async close() {
      staff.close()
      await Promise.all(services.map((service) => service.end('SIGTERM')))
      await Promise.all([gateway.close(), mailServer.close(), receiver.close()])
      await pause(100)
      await database.stop()
    },
  }
}

async function tokenOf(client: Client, url: string, id: string, secret: string): Promise<string> {
  const { text } = await client.call(url, {
    method: 'POST',
    path: '/v1/oauth2/token',
    headers: {
      authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: 'grant_type=client_credentials',
  })
  return (JSON.parse(text) as { access_token: string }).access_token
}
