import { loadavg } from 'node:os'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { pino } from 'pino'
import { type App, openApp } from '../../src/app.ts'
import { beginLogin } from '../../src/console/sign-in/logins.ts'
import { addPerson, grantRole } from '../../src/console/sign-in/people.ts'
import { connectionSettings } from '../../src/database/address.ts'
import { migrate } from '../../src/database/migrate.ts'
import { readSettings } from '../../src/settings.ts'
import { openBenchDatabase } from '../harness/database.ts'
import { cpuSecondsIn } from '../harness/processor.ts'
import { median } from '../harness/statistics.ts'
import { sampleInvoice } from '../invoices/sample.ts'
import { fill, makeRoots } from './console-rows.ts'
import { copyForLists, withoutIndexes } from './copies.ts'

/**
 * How long the lists of the console take where every table has many rows, of a sandbox and of a live service:
 * npx tsx bench/scale/console.ts [count]. Ends with 1 when one takes too long. `--fill URL` only fills that database, and
 * `--on URL` measures in one that was filled.
 */
const { values: given, positionals } = parseArgs({
  allowPositionals: true,
  options: { fill: { type: 'string' }, on: { type: 'string' } },
})

const MANY = Number(positionals[0] ?? 1_000_000)
const TIMES = 15
const MOST_MS = 50
const SECRET = 'a secret of a bench, as long as one of a live service'
const MERCHANT = 'sandbox-merchant'

const say = (text: string) => process.stdout.write(`${text}\n`)

/** Lists of both faces; `BUSY` and `QUIET` are webhooks that all deliveries went to, and none. */
const common = [
  '/console/invoices',
  '/console/invoices?view=drafts',
  '/console/invoices?view=scheduled',
  '/console/invoices?view=outstanding',
  '/console/invoices?view=overdue',
  '/console/invoices?view=paid&page=40',
  '/console/invoices?view=refunded',
  '/console/invoices?view=cancelled',
  '/console/invoices?q=SCALE-77',
  '/console/invoices?q=buyer@example.com',
  '/console/invoices?q=Nobody',
  '/console/invoices?q=Meyers',
  '/console/invoices?currency=EUR',
  '/console/invoices?from=2026-01-01&to=2026-03-31',
  '/console/invoices?currency=USD&least=10&most=500',
  '/console/invoices?view=overdue&currency=EUR&from=2026-01-01',
  '/console/disputes',
  '/console/disputes?view=waiting',
  '/console/disputes?view=review',
  '/console/disputes?view=appealable',
  '/console/disputes?view=resolved',
  '/console/disputes?view=all&page=40',
  '/console/webhooks',
  '/console/webhooks/BUSY',
  '/console/webhooks/QUIET',
  '/console/templates',
  '/console/money',
  '/console/apps',
]
const ofSandbox = [
  '/console',
  '/console?kind=event',
  '/console?trouble=true',
  '/console?subject=INV2-S77',
  '/console/requests',
  '/console/requests?show=trouble',
  '/console/requests?q=scale77',
  '/console/mail',
  '/console/mail?to=person77@example.com',
  '/console/clock',
  '/console/scenarios',
]
const ofOperators = [
  '/console/operator',
  '/console/operator/decisions',
  '/console/operator/decisions?stage=ARBITRATION',
  '/console/operator/decisions?days=7',
  '/console/operator/accounts',
  '/console/operator/accounts?q=person77',
  '/console/operator/accounts/ACCOUNTS77',
  '/console/operator/deliveries',
  '/console/operator/webhooks/BUSY',
  '/console/operator/webhooks/BUSY?standing=PENDING',
  '/console/operator/webhooks/QUIET',
  '/console/operator/jobs',
  '/console/operator/jobs?name=seldom',
  '/console/operator/keys',
  '/console/operator/audit',
  '/console/operator/audit?resource=INV2-S77',
  '/console/operator/audit?actor=person:PER-S1000',
  '/console/operator/audit?account=ACCOUNTS1000',
  '/console/operator/audit?cause=scale77',
  '/console/people',
]

const settingsOf = (environment: string) =>
  readSettings({
    LOG_LEVEL: 'error',
    PORT: '0',
    QUITTANCE_ENVIRONMENT: environment,
    QUITTANCE_SECRET: SECRET,
    ...(environment === 'live' && { PUBLIC_URL: 'https://console.test' }),
  })
const open = (environment: string, databaseUrl: string) =>
  openApp({ settings: settingsOf(environment), databaseUrl, log: pino({ level: 'error' }) })

async function call<Body>(app: App, method: 'GET' | 'POST', url: string, headers: object, payload?: string) {
  const answer = await app.server.inject({
    method,
    url,
    headers: { ...headers },
    ...(payload !== undefined && { payload }),
  })
  if (answer.statusCode >= 300) throw new Error(`${url}: ${answer.statusCode} ${answer.body.slice(0, 300)}`)
  return (String(answer.headers['content-type']).includes('json') ? answer.json() : answer.body) as Body
}

async function fillAll(url: string, client: pg.Client): Promise<void> {
  await migrate(url)
  const app = await open('sandbox', url)
  const post = async <Body>(who: string, path: string, body: object): Promise<Body> => {
    const authorization = `Basic ${Buffer.from(`${who}:${who}-secret`).toString('base64')}`
    const form = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
    const grant = 'grant_type=client_credentials'
    const { access_token } = await call<{ access_token: string }>(app, 'POST', '/v1/oauth2/token', form, grant)
    const json = { authorization: `Bearer ${access_token}`, 'content-type': 'application/json' }
    return call<Body>(app, 'POST', path, json, JSON.stringify(body))
  }
  const run = (text: string, values: readonly unknown[] = []) => client.query(text, [...values])
  const { id: invoiceId } = await post<{ id: string }>(MERCHANT, '/v2/invoicing/invoices', sampleInvoice('scale'))
  const { busyWebhook, disputeId } = await makeRoots(post)
  await app.close()
  const { rows } = await client.query('select id, account_id from apps where client_id = $1', [MERCHANT])
  const [{ id: appId, account_id: accountId }] = rows as [{ id: string; account_id: string }]
  say('disputes')
  await withoutIndexes(run, 'disputes', () => copyForLists(run, disputeId, MANY))
  await fill(run, { accountId, appId, invoiceId, busyWebhook }, MANY, say)
  say('checkpoint')
  // What is rolled back or was deleted, and which pages all may see: as a service that ran for a while has it.
  await run('vacuum analyze')
  await run('checkpoint')
}

const missed: string[] = []
/** Where the server works, so that its processor time can be read. */
let serverFolder = '/nowhere'
/** Of this process, which is the service, and of the server. */
const processorMs = () =>
  process.cpuUsage().user / 1e3 + process.cpuUsage().system / 1e3 + cpuSecondsIn(serverFolder) * 1e3

async function time(
  app: App,
  face: string,
  lists: readonly string[],
  headers: object,
  named: (path: string) => string,
) {
  for (const path of lists) {
    const took: number[] = []
    let isAnswered = true
    const before = processorMs()
    for (let i = 0; i < TIMES && isAnswered; i++) {
      const began = performance.now()
      isAnswered = await call(app, 'GET', named(path), headers).then(
        () => true,
        () => false,
      )
      took.push(performance.now() - began)
    }
    const used = (processorMs() - before) / took.length
    const [ms, most] = [median(took), Math.max(...took)]
    const isMissed = ms > MOST_MS || !isAnswered
    if (isMissed) missed.push(`${face} ${path}`)
    say(
      `| ${face} | \`${path}\` | ${ms.toFixed(1)} | ${most.toFixed(1)} | ${used.toFixed(1)} | ${isMissed ? '**not met**' : 'met'} |`,
    )
  }
}

async function measure(url: string, client: pg.Client): Promise<void> {
  // One that was filled by an earlier version gets what is new.
  await migrate(url)
  const { rows: places } = await client.query('show data_directory')
  serverFolder = (places[0] as { data_directory: string }).data_directory
  const { rows } = await client.query('select id, url from webhooks order by url')
  const [busy, quiet] = rows as [{ id: string }, { id: string }]
  const named = (path: string) => path.replace('BUSY', busy.id).replace('QUIET', quiet.id)
  say(`First pages where every table has ${MANY} rows, milliseconds on the server, load ${loadavg()[0]!.toFixed(1)}\n`)
  say(`| Who looks | Page | Median of ${TIMES} | Longest | Processor, ms | |\n|---|---|---|---|---|---|`)

  await client.query(`update deployment set environment = 'live'`)
  const live = await open('live', url)
  const { rows: owners } = await client.query('select account_id from apps where client_id = $1', [MERCHANT])
  const { account_id } = owners[0] as { account_id: string }
  for (const [role, lists] of [
    ['admin', common],
    ['operator', ofOperators],
    ['agent', ['/console/disputes']],
  ] as const) {
    const secret = await live.transact(async (tx) => {
      const personId = addPerson(tx, { name: `A ${role}`, email: `${role}@example.test` })
      grantRole(tx, personId, { role, account_id: role === 'admin' ? account_id : null })
      return beginLogin(tx, { personId, way: 'link', isFresh: true, address: '127.0.0.1', browser: 'bench' }, tx.now)
    })
    const headers = { cookie: `__Host-quittance=${secret}`, host: 'console.test' }
    await time(live, `live, ${role}`, lists, headers, named)
  }
  await live.close()

  await client.query(`update deployment set environment = 'sandbox'`)
  const sandbox = await open('sandbox', url)
  const eyes = (name: string) => ({ cookie: `console-eyes=${name}`, host: 'localhost:8080' })
  await time(sandbox, 'sandbox, merchant', [...ofSandbox, ...common], eyes('merchant'), named)
  const ofDisputes = common.filter((path) => path.startsWith('/console/disputes'))
  await time(sandbox, 'sandbox, buyer', ofDisputes, eyes('buyer'), named)
  await time(sandbox, 'sandbox, agent', ['/console/disputes'], eyes('agent'), named)
  await sandbox.close()
}

async function at(url: string, work: (url: string, client: pg.Client) => Promise<void>): Promise<void> {
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  await work(url, client)
  await client.end()
}

if (given.fill) await at(given.fill, fillAll)
else if (given.on) await at(given.on, measure)
else {
  const bench = await openBenchDatabase(process.env['DATABASE_URL'])
  await at(bench.url, fillAll)
  await at(bench.url, measure)
  await bench.stop()
}
process.exit(missed.length > 0 ? 1 : 0)
