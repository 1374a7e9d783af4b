import { cpus } from 'node:os'
import { parseArgs } from 'node:util'
import { makeContext } from './harness/context.ts'
import { openBenchDatabase } from './harness/database.ts'
import { startService } from './harness/service.ts'
import { searches } from './invoices/searches.ts'
import { seedInvoices } from './invoices/seed.ts'

const { values: options } = parseArgs({
  options: {
    small: { type: 'string', default: '10000' },
    large: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '15' },
    help: { type: 'boolean', default: false },
  },
})

const help = `npx tsx bench/invoice-search.ts [options]

Times the first page of the list and of a search with each single criterion, for a merchant with few invoices and for
one with many, through HTTP. Every median with many may take at most twice as long as with few.

  --small <n>   invoices of the first merchant (10000)
  --large <n>   invoices of the second (1000000)
  --rounds <n>  calls of each kind to each merchant, in turn (15)
`

const AT_MOST = 2
/** Differences below this are noise of the machine, not of the data. */
const NOISE_MS = 1
const say = (text: string) => process.stderr.write(`${text}\n`)
const median = (values: readonly number[]) => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)]!

async function run(): Promise<void> {
  const database = await openBenchDatabase(process.env['DATABASE_URL'])
  const service = await startService(database.url)
  try {
    const context = makeContext(service.baseUrl, database.client)
    const sizes = { few: Number(options.small), many: Number(options.large) }
    const few = await seedInvoices(context, 'sandbox-merchant-2', sizes.few, say)
    const many = await seedInvoices(context, 'sandbox-merchant', sizes.many, say)
    await database.client.query('vacuum analyze')

    const [counted] = await context.sql<{ size: string }>(
      "select pg_size_pretty(pg_total_relation_size('invoices')) as size",
    )
    say(`table and indexes: ${counted!.size}`)
    process.stdout.write(
      `${cpus().length} cores; ${sizes.few} and ${sizes.many} invoices; medians of ${options.rounds}\n\n`,
    )
    process.stdout.write('| what | few, ms | many, ms | ratio | found |\n|---|---|---|---|---|\n')
    let worst = 0
    for (const search of searches) {
      const times = { few: [] as number[], many: [] as number[] }
      let found = 0
      for (let round = -2; round < Number(options.rounds); round++)
        for (const [side, merchant] of [
          ['few', few],
          ['many', many],
        ] as const) {
          const { path, json } = search.request(merchant)
          const started = performance.now()
          const { items } = await context.call<{ items: object[] }>({
            method: json ? 'POST' : 'GET',
            path,
            token: merchant.token,
            ...(json && { json }),
          })
          if (round >= 0) times[side].push(performance.now() - started)
          if (side === 'many') found = items.length
        }
      const [a, b] = [median(times.few), median(times.many)]
      const ratio = b <= a + NOISE_MS ? Math.min(b / a, 1) : b / a
      worst = Math.max(worst, ratio)
      process.stdout.write(
        `| ${search.what} | ${a.toFixed(1)} | ${b.toFixed(1)} | ${(b / a).toFixed(2)} | ${found} |\n`,
      )
    }
    process.stdout.write(
      `\nworst ratio ${worst.toFixed(2)}, at most ${AT_MOST}: ${worst <= AT_MOST ? 'met' : 'NOT MET'}\n`,
    )
    if (worst > AT_MOST) process.exitCode = 1
  } finally {
    await service.stop()
    await database.stop()
  }
}

if (options.help) process.stdout.write(help)
else await run()
