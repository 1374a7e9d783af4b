import { pino } from 'pino'
import { openApp } from '../../src/app.ts'
import { migrate } from '../../src/database/migrate.ts'
import { readSettings } from '../../src/settings.ts'
import { openBenchDatabase } from '../harness/database.ts'
import { copyForLists } from './copies.ts'

/** How long the first page of a list takes for a merchant with few and with many disputes, filter by filter. */

const FEW = 10_000
const MANY = Number(process.argv[2] ?? 1_000_000)
const TIMES = 21

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()

const filters = [
  '',
  'dispute_state=REQUIRED_ACTION',
  'dispute_state=REQUIRED_ACTION,APPEALABLE,UNDER_REVIEW',
  'dispute_state=OPEN_INQUIRIES',
  'statuses=UNDER_REVIEW',
  'statuses=OPEN',
  'reasons=UNAUTHORISED,OTHER',
  'reasons=PROBLEM_WITH_REMITTANCE',
  'dispute_channel=EXTERNAL',
  'dispute_channel=ALERT',
  'dispute_life_cycle_stage=PRE_ARBITRATION',
  'dispute_life_cycle_stage=ARBITRATION',
  'dispute_flows=RETURN',
  'dispute_flows=EVIDENCE',
  'dispute_currency=EUR',
  'dispute_currency=JPY',
  'dispute_amount_gte=900.00&dispute_currency=USD',
  'dispute_amount_gte=5.00&dispute_amount_lte=5.01',
  `create_time_after=${daysAgo(1)}`,
  `create_time_before=${daysAgo(150)}`,
  `update_time_after=${daysAgo(0.1)}`,
  `update_time_before=${daysAgo(60)}&update_time_after=${daysAgo(80)}`,
  `response_due_date_before=${daysAgo(-9.99)}`,
  'invoice_number=INV-77',
  'email=buyer77@example.com',
  'name=buyer%2077',
  'search_text=buyer%2077',
  'search_text=INV-77',
  'disputed_transaction_id=SLST77',
  'disputed_transaction_id=BLST77',
  'sort_by=UPDATE_TIME',
  'sort_by=RESPONSE_DUE_DATE&sort_order=asc',
  'page=50&page_size=50',
  'statuses=WAITING_FOR_SELLER_RESPONSE&reasons=OTHER&dispute_currency=USD',
]

async function measure(count: number): Promise<Map<string, number>> {
  const bench = await openBenchDatabase(process.env['DATABASE_URL'])
  await migrate(bench.url)
  const settings = readSettings({ LOG_LEVEL: 'error', PORT: '0' })
  const app = await openApp({ settings, databaseUrl: bench.url, log: pino({ level: 'error' }) })
  const inject = async (method: 'GET' | 'POST', url: string, headers: Record<string, string>, payload?: string) => {
    const answer = await app.server.inject({ method, url, headers, ...(payload !== undefined && { payload }) })
    if (answer.statusCode >= 300) throw new Error(`${url}: ${answer.statusCode} ${answer.body}`)
    return answer.json() as Record<string, unknown>
  }
  const token = async (client: string) => {
    const authorization = `Basic ${Buffer.from(`${client}:${client}-secret`).toString('base64')}`
    const form = { authorization, 'content-type': 'application/x-www-form-urlencoded' }
    return (await inject('POST', '/v1/oauth2/token', form, 'grant_type=client_credentials'))['access_token'] as string
  }
  const authorization = `Bearer ${await token('sandbox-merchant')}`
  const opened = await inject(
    'POST',
    '/v1/customer/disputes',
    { authorization: `Bearer ${await token('sandbox-buyer')}`, 'content-type': 'application/json' },
    JSON.stringify({ disputed_transactions: [{ buyer_transaction_id: 'FIRST' }], reason: 'OTHER' }),
  )
  const [link] = opened['links'] as { href: string }[]
  await copyForLists((text, values = []) => bench.client.query(text, [...values]), link!.href.split('/').at(-1)!, count)
  const medians = new Map<string, number>()
  for (const filter of filters) {
    const took: number[] = []
    for (let i = 0; i < TIMES; i++) {
      const start = performance.now()
      await inject('GET', `/v1/customer/disputes?${filter}`, { authorization })
      took.push(performance.now() - start)
    }
    medians.set(filter, took.sort((a, b) => a - b)[Math.floor(TIMES / 2)]!)
  }
  await app.close()
  await bench.stop()
  return medians
}

const few = await measure(FEW)
const many = await measure(MANY)
let worst = 0
process.stdout.write(`| filter | ${FEW} disputes, ms | ${MANY} disputes, ms | ratio |\n|---|---|---|---|\n`)
for (const filter of filters) {
  const [a, b] = [few.get(filter)!, many.get(filter)!]
  worst = Math.max(worst, b / a)
  process.stdout.write(`| ${filter || '(none)'} | ${a.toFixed(2)} | ${b.toFixed(2)} | ${(b / a).toFixed(2)} |\n`)
}
process.stdout.write(`worst ${worst.toFixed(2)}\n`)
process.exitCode = worst > 2 ? 1 : 0
