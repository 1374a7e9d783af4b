import { makeContext } from './harness/context.ts'
import { openBenchDatabase } from './harness/database.ts'
import type { Context } from './harness/row.ts'
import { startService } from './harness/service.ts'
import { median } from './harness/statistics.ts'
import { sampleInvoice } from './invoices/sample.ts'

const INVOICES = '/v2/invoicing/invoices'
const DISPUTES = '/v1/customer/disputes'
const ITEMS = 100
const PAYMENTS = 1_000
const LISTED = 9_000
/** One after another: what one call takes, not how many fit into a second. */
const TIMES = 15
/** A third as many come before, which warm up. */
const CALLS = TIMES + TIMES / 3
const PAYERS = 20

/** What one large thing takes at the median, and what it may take. */
export interface LargeFigure {
  readonly what: string
  readonly medianMs: number
  readonly mostMs: number
  readonly isMet: boolean
}

/** The largest calls the contract allows, and a list of a merchant the planner knows nothing of. */
export async function measureLarge(
  databaseUrl: string | undefined,
  say: (text: string) => void,
): Promise<LargeFigure[]> {
  const database = await openBenchDatabase(databaseUrl)
  const service = await startService(database.url)
  try {
    const context = makeContext(service.baseUrl, database.client)
    const figures: LargeFigure[] = []
    for (const measure of [pdfs, disputes, lists]) {
      figures.push(...(await measure(context)))
      say(printLarge(figures.slice(-1)))
    }
    return figures
  } finally {
    await service.stop()
    await database.stop()
  }
}

export const printLarge = (figures: readonly LargeFigure[]): string =>
  figures
    .map(
      ({ what, medianMs, mostMs, isMet }) =>
        `  ${what.padEnd(58)} ${medianMs.toFixed(1)} ms (at most ${mostMs.toFixed(1)}) ${isMet ? 'met' : 'NOT MET'}\n`,
    )
    .join('')

const figure = (what: string, medianMs: number, mostMs: number): LargeFigure => ({
  what,
  medianMs,
  mostMs,
  isMet: medianMs <= mostMs,
})

/** The median of so many calls, after a third as many that warm up. */
async function medianOf(call: (n: number) => Promise<unknown>): Promise<number> {
  const took: number[] = []
  for (let n = 0; n < CALLS; n++) {
    const began = performance.now()
    await call(n)
    took.push(performance.now() - began)
  }
  return median(took.slice(-TIMES))
}

/** Each of an invoice of its own, so that none was printed before. */
async function pdfs(context: Context): Promise<LargeFigure[]> {
  const token = await context.token()
  const [item] = sampleInvoice().items
  const paths: string[] = []
  for (let n = 0; n < CALLS; n++) {
    const json = { ...sampleInvoice(`pdf-${n}`), items: Array.from({ length: ITEMS }, () => item!) }
    const { id } = await context.call<{ id: string }>({ method: 'POST', path: INVOICES, json, token })
    await context.call({ method: 'POST', path: `${INVOICES}/${id}/send`, json: {}, token })
    paths.push(`/invoice/p/${id.replace('INV2-', '').replaceAll('-', '')}/pdf`)
  }
  const print = async (n: number) => {
    const answer = await fetch(context.baseUrl + paths[n]!)
    await answer.arrayBuffer()
    if (answer.status !== 200) throw new Error(`A PDF answered ${answer.status}.`)
  }
  return [figure(`a PDF of ${ITEMS} items, printed for the first time`, await medianOf(print), 300)]
}

async function disputes(context: Context): Promise<LargeFigure[]> {
  const [buyer, merchant] = [await context.token('sandbox-buyer'), await context.token()]
  const opened: string[] = []
  const open = async (ids: readonly string[]) => {
    const { links } = await context.call<{ links: { href: string }[] }>({
      method: 'POST',
      path: DISPUTES,
      json: {
        disputed_transactions: ids.map((buyer_transaction_id) => ({ buyer_transaction_id })),
        reason: 'UNAUTHORISED',
        dispute_amount: { currency_code: 'USD', value: '1.00' },
      },
      token: buyer,
    })
    opened.push(new URL(links[0]!.href).pathname)
  }
  const made: string[][] = []
  for (let n = 0; n < CALLS; n++) made.push(await paymentsOf(context, buyer))
  const unknown = (n: number) => Array.from({ length: PAYMENTS }, (_, i) => `LARGE${context.run}${n}N${i}`)
  const accept = (n: number) =>
    context.call({ method: 'POST', path: `${opened[n]!}/accept-claim`, json: { note: 'Paid back.' }, token: merchant })
  return [
    figure(`a dispute over ${PAYMENTS} payments, opened`, await medianOf((n) => open(made[n]!)), 300),
    figure(`a dispute over ${PAYMENTS} payments, paid back`, await medianOf(accept), 300),
    // Only a sandbox does this, and it writes the payments as well.
    figure(`the same with payments that it makes up`, await medianOf((n) => open(unknown(n))), 600),
  ]
}

/** A thousand payments of a buyer, by the ids that the buyer knows. */
async function paymentsOf(context: Context, token: string): Promise<string[]> {
  const ids: string[] = []
  const pay = async () => {
    const { buyer_transaction_id } = await context.call<{ buyer_transaction_id: string }>({
      method: 'POST',
      path: '/sandbox/transactions',
      json: { amount: { currency_code: 'USD', value: '1.00' } },
      token,
    })
    ids.push(buyer_transaction_id)
  }
  const payer = async () => {
    for (let n = 0; n < PAYMENTS / PAYERS; n++) await pay()
  }
  await Promise.all(Array.from({ length: PAYERS }, payer))
  return ids
}

const copyInvoices = `
  insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, first_names, last_names,
    business_names, reference, memo, item_text, grams)
  select account_id, id || n, jsonb_set(body, '{id}', to_jsonb(id || n)), create_time, number_key || n, amount_minor,
    emails, first_names, last_names, business_names, reference, memo, item_text, grams
  from invoices, generate_series(1, $2) as n where id = $1`

/** The planner knows the other merchant's invoices; those of this one came after it looked. */
async function lists(context: Context): Promise<LargeFigure[]> {
  const token = await context.token('sandbox-merchant-2')
  await context.sql('alter table invoices set (autovacuum_enabled = off)')
  await context.sql('analyze invoices')
  const { id } = await context.call<{ id: string }>({
    method: 'POST',
    path: INVOICES,
    json: sampleInvoice('list'),
    token,
  })
  await context.sql(copyInvoices, [id, LISTED])
  const list = () => medianOf(() => context.call({ method: 'GET', path: INVOICES, token }))
  const fresh = await list()
  await context.sql('analyze invoices')
  return [figure(`a list of ${LISTED} invoices without statistics, twice as with`, fresh, 2 * (await list()))]
}
