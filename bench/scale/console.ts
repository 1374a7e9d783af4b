import { loadavg } from 'node:os'
import { pino } from 'pino'
import { openApp } from '../../src/app.ts'
import { migrate } from '../../src/database/migrate.ts'
import { readSettings } from '../../src/settings.ts'
import { openBenchDatabase } from '../harness/database.ts'
import { sampleInvoice } from '../invoices/sample.ts'
import { copyForLists } from './copies.ts'

/**
 * How long the lists of the console take for a merchant with many invoices and disputes, and what open consoles cost
 * while nothing happens: npx tsx bench/scale/console.ts [count]. Ends with 1 when one takes too long.
 */

const MANY = Number(process.argv[2] ?? 1_000_000)
const TIMES = 15
const MOST_MS = 50
const CONSOLES = 20
const IDLE_SECONDS = 60
const IDLE_SHARE_MOST = 0.05

const lists = [
  ['/console'],
  ['/console/requests'],
  ['/console/invoices'],
  ['/console/invoices?view=drafts'],
  ['/console/invoices?view=outstanding'],
  ['/console/invoices?view=overdue'],
  ['/console/invoices?view=paid&page=40'],
  ['/console/invoices?q=SCALE-77'],
  ['/console/disputes'],
  ['/console/disputes?view=waiting'],
  ['/console/disputes?view=review'],
  ['/console/disputes?view=resolved'],
  ['/console/disputes?view=all&page=40'],
  ['/console/disputes', 'agent'],
  ['/console/webhooks'],
  ['/console/templates'],
  ['/console/money'],
  ['/console/apps'],
] as const

const copyInvoices = `
  insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, first_names, last_names,
    business_names, reference, memo, item_text, grams)
  select account_id, 'INV2-S' || n, jsonb_set(jsonb_set(body, '{id}', to_jsonb('INV2-S' || n)), '{status}',
      to_jsonb((array['DRAFT', 'SENT', 'PAID', 'PAID', 'CANCELLED', 'PARTIALLY_PAID', 'PAID', 'REFUNDED'])[1 + n % 8])),
    to_char((now() at time zone 'utc') - n * interval '15 seconds', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'scale-' || n,
    amount_minor, emails, first_names, last_names, business_names, reference, memo, item_text, grams
  from invoices, generate_series(1, $2::int) as n where id = $1`

const bench = await openBenchDatabase(process.env['DATABASE_URL'])
await migrate(bench.url)
const settings = readSettings({ LOG_LEVEL: 'error', PORT: '0' })
const app = await openApp({ settings, databaseUrl: bench.url, log: pino({ level: 'error' }) })

async function call<Body>(method: 'GET' | 'POST', url: string, headers: Record<string, string>, payload?: string) {
  const answer = await app.server.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
  if (answer.statusCode >= 400) throw new Error(`${url}: ${answer.statusCode} ${answer.body.slice(0, 300)}`)
  return (String(answer.headers['content-type']).includes('json') ? answer.json() : answer.body) as Body
}
const token = async (client: string) => {
  const authorization = `Basic ${Buffer.from(`${client}:${client}-secret`).toString('base64')}`
  const form = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
  return (await call<{ access_token: string }>('POST', '/v1/oauth2/token', form, 'grant_type=client_credentials'))
    .access_token
}
const as = async (client: string) => ({
  authorization: `Bearer ${await token(client)}`,
  'content-type': 'application/json',
})
const run = (text: string, values: readonly unknown[] = []) => bench.client.query(text, [...values])

const { id } = await call<{ id: string }>(
  'POST',
  '/v2/invoicing/invoices',
  await as('sandbox-merchant'),
  JSON.stringify(sampleInvoice('scale')),
)
await run(copyInvoices, [id, MANY])
await run('analyze invoices')
const { links } = await call<{ links: { href: string }[] }>(
  'POST',
  '/v1/customer/disputes',
  await as('sandbox-buyer'),
  JSON.stringify({ disputed_transactions: [{ buyer_transaction_id: 'FIRST' }], reason: 'OTHER' }),
)
await copyForLists(run, links[0]!.href.split('/').at(-1)!, MANY)

const missed: string[] = []
process.stdout.write(`First pages at ${MANY} rows, medians of ${TIMES}, load ${loadavg()[0]!.toFixed(1)}\n`)
for (const [path, eyes = 'merchant'] of lists) {
  const took: number[] = []
  for (let i = 0; i < TIMES; i++) {
    const began = performance.now()
    await call('GET', path, { cookie: `console-eyes=${eyes}`, host: 'localhost:8080' })
    took.push(performance.now() - began)
  }
  const ms = took.toSorted((a, b) => a - b)[Math.floor(TIMES / 2)]!
  if (ms > MOST_MS) missed.push(path)
  process.stdout.write(
    `  ${`${path} ${eyes}`.padEnd(48)} ${ms.toFixed(1).padStart(8)} ms${ms > MOST_MS ? '  MISSED' : ''}\n`,
  )
}

const base = await app.listen()
const page = await call<string>('GET', '/console', { host: 'localhost:8080' })
const seq = /data-follow="(\d+)"/.exec(page)?.[1] ?? '0'
// Each holds its connection until the service ends.
const open = Array.from({ length: CONSOLES }, async () => (await fetch(`${base}/console/live?after=${seq}`)).text())
await new Promise((resolve) => setTimeout(resolve, 2_000))
const before = process.cpuUsage()
await new Promise((resolve) => setTimeout(resolve, IDLE_SECONDS * 1_000))
const { user, system } = process.cpuUsage(before)
const share = (user + system) / 1e6 / IDLE_SECONDS
process.stdout.write(`${CONSOLES} open consoles while nothing happens: ${(share * 100).toFixed(2)} % of a core\n`)
if (share > IDLE_SHARE_MOST) missed.push('idle')
void Promise.allSettled(open)
await app.close()
await bench.stop()
process.exit(missed.length > 0 ? 1 : 0)
