import { pino } from 'pino'
import type { BrowserContext, BrowserContextOptions } from 'playwright-core'
import { openApp } from '../../src/app.ts'
import { beginLogin } from '../../src/console/sign-in/logins.ts'
import { addPerson, grantRole } from '../../src/console/sign-in/people.ts'
import { readSettings } from '../../src/settings.ts'

interface OperatorStudio {
  readonly databaseUrl: string
  readonly secret: string
  readonly folder: string
  context(options: BrowserContextOptions): Promise<BrowserContext>
}

const base = 'https://console.test'

/** A day with an hour in which receivers were down, and two jobs that failed for good. */
const troubles = [
  `update deployment set environment = 'live'`,
  `insert into delivery_counts (from_time, arrived, failed)
   select to_char(date_trunc('hour', now() at time zone 'utc') - n * interval '15 minutes', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
     (200 + 180 * sin((96 - n) / 15.0))::int, case when n between 30 and 38 then 60 + n else n % 3 end
   from generate_series(0, 95) as n`,
  `insert into request_counts (from_time, under_ms, requests, failed)
   select to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), under_ms, requests, 0
   from (values (5, 31200), (10, 11840), (25, 4310), (50, 620), (100, 150)) as answered (under_ms, requests)`,
  `insert into jobs (name, payload, run_at, parked_time, attempts, last_error, create_time)
   select name, '{}', now, now, 14, error, now from (values
     ('mail', 'Error: 550 mailbox unavailable'), ('gateway-refund', 'Error: 409 already refunded')) as failed (name, error),
     to_char(now() at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as now`,
]

/** The picture of an operator's first page: the same database as a live service, whose cookie a browser has no TLS for here. */
export async function takeOperatorPicture({ databaseUrl, secret, folder, context }: OperatorStudio): Promise<void> {
  const environment = { PORT: '0', LOG_LEVEL: 'error', QUITTANCE_ENVIRONMENT: 'live', PUBLIC_URL: base }
  const settings = readSettings({ ...environment, QUITTANCE_SECRET: secret })
  const app = await openApp({ settings, databaseUrl, log: pino({ level: 'error' }) })
  const session = await app.transact(async (tx) => {
    const personId = addPerson(tx, { name: 'Sample Operator', email: 'operator@example.test' })
    grantRole(tx, personId, { role: 'operator', account_id: null })
    return beginLogin(tx, { personId, way: 'link', isFresh: true, address: '127.0.0.1', browser: 'pictures' }, tx.now)
  })
  const own = await context({ viewport: { width: 1440, height: 900 }, locale: 'en-US' })
  await own.route('**/*', async (route) => {
    const { pathname, search } = new URL(route.request().url())
    const headers = { host: 'console.test', cookie: `__Host-quittance=${session}` }
    const answer = await app.server.inject({ url: pathname + search, headers })
    return route.fulfill({
      status: answer.statusCode,
      contentType: String(answer.headers['content-type']),
      body: answer.rawPayload,
    })
  })
  const page = await own.newPage()
  await page.goto(`${base}/console/operator`)
  await page.screenshot({ path: `${folder}/console-operator.png`, fullPage: true })
  await own.close()
  await app.close()
}

/** Makes the sandbox of the other pictures a live service, with troubles of its own. */
export async function goLive(query: (text: string) => Promise<unknown>): Promise<void> {
  for (const text of troubles) await query(text)
}
