import { cpus, loadavg } from 'node:os'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { connectionSettings } from '../../src/database/address.ts'
import { makeContext } from '../harness/context.ts'
import { openBenchDatabase } from '../harness/database.ts'
import { processorMs } from '../harness/processor.ts'
import { startService } from '../harness/service.ts'
import { median } from '../harness/statistics.ts'
import { fillForLists } from './fill.ts'
import type { Listing, Sized } from './listing.ts'
import { listings } from './listings.ts'

const { values: options } = parseArgs({
  options: {
    small: { type: 'string', default: '10000' },
    large: { type: 'string', default: '1000000' },
    rounds: { type: 'string', default: '25' },
    only: { type: 'string', default: '' },
    fill: { type: 'string' },
    few: { type: 'string' },
    many: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

const help = `npm run bench:growth -- [options]

What the first page of every list and search of the API takes of a processor, service and PostgreSQL together, where there are
few rows of everything and where there are a hundred times as many. It may grow to 1.2 times as much. Linux, with PostgreSQL on
the same machine.

  --small <n>, --large <n>   rows of each kind (10000, 1000000)
  --rounds <n>               calls of each kind to each, in turns (25)
  --only <pattern>           only what has this in its name
  --fill <url>               only fills this empty database with --large rows
  --few <url>, --many <url>  measures in two that were filled before
`

const AT_MOST = 1.2
const WARM_UP = 5
const say = (text: string) => process.stderr.write(`${text}\n`)

/** A service on a database that was filled. */
async function openSide(url: string, size: number) {
  const service = await startService(url)
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  const context = makeContext(service.baseUrl, client)
  return { service, client, context, size }
}
type Side = Awaited<ReturnType<typeof openSide>>
type FilledSide = Side & { readonly sized: Sized }

async function sizedOf({ context, size }: Side): Promise<Sized> {
  const [found] = await context.sql<{ newest: string; webhook: string; app: string; account: string }>(
    `select (select max(create_time) from invoices) as newest,
       (select webhook_id from deliveries order by transmit_time limit 1) as webhook, id as app, account_id as account
     from apps where client_id = 'sandbox-merchant'`,
  )
  const { newest, webhook: busyWebhook, app: appId, account: accountId } = found!
  return { size, newest, busyWebhook, appId, accountId }
}

/** What a call takes: of the process that answers it, and of those of PostgreSQL that work for it. */
function meter({ service, context }: Side) {
  let backends: readonly number[] = []
  return {
    async look() {
      const rows = await context.sql<{ pid: number }>(
        `select pid from pg_stat_activity
         where datname = current_database() and application_name = 'quittance'`,
      )
      backends = rows.map(({ pid }) => pid)
    },
    used: () => ({
      service: processorMs(service.process.pid!),
      server: backends.reduce((sum, pid) => sum + processorMs(pid), 0),
    }),
  }
}

/** How many an answer holds, whatever the list is called. */
const foundIn = (answer: object) =>
  Object.values(answer).find((value): value is unknown[] => Array.isArray(value))?.length ?? 0

/** A service on a busy machine refuses calls until it has caught up; then we ask again. */
async function busy(error: unknown): Promise<undefined> {
  if (!String(error).includes('answered 503')) throw error
  await pause(1_000)
}

async function measure(listing: Listing, sides: readonly FilledSide[]) {
  const measured = await Promise.all(
    sides.map(async (side) => ({
      side,
      meter: meter(side),
      token: await side.context.token(listing.who),
      request: listing.request(side.sized),
      found: 0,
      service: [] as number[],
      server: [] as number[],
    })),
  )
  for (let round = -WARM_UP; round < Number(options.rounds); round++)
    for (const one of round % 2 === 0 ? measured : measured.toReversed()) {
      if (round === 0) await one.meter.look()
      const { path, json } = one.request
      const ask = { method: json ? 'POST' : 'GET', path, token: one.token, ...(json && { json }) } as const
      const before = one.meter.used()
      const answer = await one.side.context.call<object>(ask).catch(busy)
      const after = one.meter.used()
      if (answer === undefined) round -= 1
      else if (round < 0) one.found = foundIn(answer)
      else {
        one.service.push(after.service - before.service)
        one.server.push(after.server - before.server)
      }
    }
  return measured.map(({ found, service, server }) => ({
    found,
    service: median(service),
    server: median(server),
    all: median(service.map((ms, i) => ms + server[i]!)),
  }))
}

const cell = ({ all, server }: { all: number; server: number }) => `${all.toFixed(2)} (${server.toFixed(2)})`

async function compare(few: FilledSide, many: FilledSide): Promise<void> {
  process.stdout.write(`${cpus().length} cores, load ${loadavg()[0]!.toFixed(1)}; medians of ${options.rounds}\n\n`)
  process.stdout.write(
    `| What | ${few.size}, ms (of PostgreSQL) | ${many.size}, ms | Ratio | Found |\n|---|---|---|---|---|\n`,
  )
  const grown: string[] = []
  const only = new RegExp(options.only)
  const chosen = listings.filter(({ what }) => only.test(what))
  for (const listing of chosen) {
    const [a, b] = await measure(listing, [few, many])
    const ratio = b!.all / a!.all
    if (ratio > AT_MOST) grown.push(`${listing.what} ${ratio.toFixed(2)}`)
    const found = a!.found === b!.found ? String(a!.found) : `${a!.found} and ${b!.found}`
    process.stdout.write(`| ${listing.what} | ${cell(a!)} | ${cell(b!)} | ${ratio.toFixed(2)} | ${found} |\n`)
  }
  process.stdout.write(
    `\n${chosen.length} lists and searches, ${grown.length} above ${AT_MOST}: ${grown.join('; ') || 'none'}\n`,
  )
  if (grown.length > 0) process.exitCode = 1
}

async function filled(url: string, size: number): Promise<void> {
  const side = await openSide(url, size)
  await fillForLists(side.context, url, size, say)
  await close(side)
}

async function close({ service, client }: Side): Promise<void> {
  await service.stop()
  await client.end()
}

async function compareIn(fewUrl: string, manyUrl: string): Promise<void> {
  const sides = [await openSide(fewUrl, Number(options.small)), await openSide(manyUrl, Number(options.large))] as const
  try {
    const [few, many] = sides
    await compare({ ...few, sized: await sizedOf(few) }, { ...many, sized: await sizedOf(many) })
  } finally {
    for (const side of sides) await close(side)
  }
}

if (options.help) process.stdout.write(help)
else if (options.fill) await filled(options.fill, Number(options.large))
else if (options.few && options.many) await compareIn(options.few, options.many)
else {
  const databases = [
    await openBenchDatabase(process.env['DATABASE_URL']),
    await openBenchDatabase(process.env['DATABASE_URL']),
  ]
  const [few, many] = databases.map(({ url }) => url) as [string, string]
  try {
    await filled(few, Number(options.small))
    await filled(many, Number(options.large))
    await compareIn(few, many)
  } finally {
    for (const database of databases) await database.stop()
  }
}
