import type { AddressInfo } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { pino } from 'pino'
import { SMTPServer } from 'smtp-server'
import type { Account } from '../../src/accounts/schema.ts'
import { defaultScopes } from '../../src/accounts/scopes.ts'
import { addAccount } from '../../src/accounts/store.ts'
import { type App, openApp } from '../../src/app.ts'
import { sql } from '../../src/database/sql.ts'
import { readSettings } from '../../src/settings.ts'
import { addNewApp } from '../../test/support/apps.ts'
import { GATEWAY_SECRET, startGateway } from '../../test/support/gateway.ts'
import { Receiver } from '../../test/support/receiver.ts'

export const PUBLIC_URL = 'https://pay.example'
const DONE_WITHIN_MS = 120_000
const LOOK_EVERY_MS = 20

/** What is due and not done; deadlines that lie ahead are not. */
const open = sql`
  select (select count(*) from jobs where due and parked_time is null)::int
    + (select count(*) from delivery_queue)::int as open,
    (select count(*)::int from jobs where parked_time is not null) as parked`

interface Asked {
  readonly token?: string
  readonly headers?: Record<string, string>
  readonly json?: object
  readonly form?: Record<string, string>
}

export interface Member {
  readonly account: Account
  readonly token: string
  readonly appId: string
}

export type Scene = Awaited<ReturnType<typeof openScene>>

/** A live service that works, with a gateway, a mail server and a receiver that take everything. */
export async function openScene(databaseUrl: string) {
  const gateway = await startGateway()
  const receiver = await Receiver.open()
  const mails = new SMTPServer({
    authOptional: true,
    disabledCommands: ['STARTTLS'],
    logger: false,
    onData: (stream, _session, done) => void stream.resume().on('end', () => done()),
  })
  await new Promise<void>((resolve) => mails.listen(0, '127.0.0.1', resolve))
  const settings = readSettings({
    QUITTANCE_ENVIRONMENT: 'live',
    QUITTANCE_SECRET: 'a secret of the bench, long enough to be one of ours',
    PUBLIC_URL,
    MAIL_PER_ACCOUNT_PER_DAY: '1000000',
    SHUTDOWN_GRACE_SECONDS: '0',
    RATE_LIMIT_PER_MINUTE: '0',
    TOKEN_RATE_LIMIT_PER_MINUTE: '0',
    PAGE_RATE_LIMIT_PER_MINUTE: '0',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
    GATEWAY_URL: gateway.url,
    GATEWAY_SECRET,
    GATEWAY_ALLOW_HTTP: 'true',
    GATEWAY_ALLOW_PRIVATE: 'true',
    SMTP_URL: `smtp://127.0.0.1:${(mails.server.address() as AddressInfo).port}`,
    SMTP_ALLOW_PRIVATE: 'true',
    SMTP_ALLOW_PLAIN: 'true',
  })
  const app: App = await openApp({ settings, databaseUrl, log: pino({ level: 'error' }), works: true })

  async function call<Body>(method: 'GET' | 'POST', path: string, { token, headers = {}, json, form }: Asked = {}) {
    const { statusCode, body, ...answer } = await app.server.inject({
      method,
      url: path,
      headers: {
        ...headers,
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(json && { 'content-type': 'application/json' }),
        ...(form && { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      ...(json && { payload: JSON.stringify(json) }),
      ...(form && { payload: new URLSearchParams(form).toString() }),
    })
    if (statusCode >= 400) throw new Error(`${method} ${path} answered ${statusCode}: ${body.slice(0, 500)}`)
    const isJson = String(answer.headers['content-type']).startsWith('application/json')
    return { headers: answer.headers, text: body, body: (isJson ? JSON.parse(body) : undefined) as Body }
  }

  /** An account with an app, as the command line makes them. */
  async function member(kind: Account['kind'], name: string): Promise<Member> {
    const features = ['invoicing', 'disputes', 'webhooks', 'payments'] as const
    const { account, clientId, secret, appId } = await app.transact(async (tx) => {
      const account: Account = {
        id: tx.newId('account'),
        kind,
        status: 'ACTIVE',
        email: `${name}@example.com`,
        name,
        given_name: name,
        surname: 'Example',
        country_code: 'US',
        time_zone: 'America/Los_Angeles',
        currency_code: 'USD',
        create_time: tx.now,
      }
      addAccount(tx, account)
      const scopes = defaultScopes(kind, features)
      return { account, ...addNewApp(tx, { accountId: account.id, scopes, features, secrets: settings.secrets! }) }
    })
    const { body } = await call<{ access_token: string }>('POST', '/v1/oauth2/token', {
      headers: { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` },
      form: { grant_type: 'client_credentials' },
    })
    return { account, appId, token: body.access_token }
  }

  return {
    app,
    receiver,
    call,
    member,
    /** Comes back when everything that is due is done. */
    async settled(): Promise<void> {
      const until = performance.now() + DONE_WITHIN_MS
      for (;;) {
        const [row] = await app.database.rows<{ open: number; parked: number }>(open)
        if (row!.parked > 0) throw new Error(`${row!.parked} jobs failed for good.`)
        if (row!.open === 0) return
        if (performance.now() > until) throw new Error(`${row!.open} things are due and not done.`)
        await pause(LOOK_EVERY_MS)
      }
    },
    async close(): Promise<void> {
      await app.close()
      await gateway.close()
      await receiver.close()
      await new Promise<void>((resolve) => mails.close(resolve))
    },
  }
}
