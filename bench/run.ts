import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { drawChart } from './harness/chart.ts'
import { harnessFile, nextMessage, startChild } from './harness/child.ts'
import { makeContext } from './harness/context.ts'
import { type BenchDatabase, openBenchDatabase } from './harness/database.ts'
import { startGenerator } from './harness/generator.ts'
import { type Measured, measure, type Pace } from './harness/measure.ts'
import { openTransactionLimit } from './harness/pgbench.ts'
import { printProfile } from './harness/profile.ts'
import type { Row } from './harness/row.ts'
import { loadRows } from './harness/rows.ts'
import { live, type RunningService, startService } from './harness/service.ts'
import { printTable, toJson, verdictOf } from './harness/table.ts'
import { measureLarge, printLarge } from './large.ts'
import { measureNeighbours, printNeighbours } from './neighbours/run.ts'

const help = `npm run bench -- [options]

  --quick         under two minutes, for a first look
  --only <name>   only this row; may be given several times. neighbours-api is a merchant beside a noisy one,
                  large what the largest calls take, one after another
  --sandbox       measure a sandbox, which notes all that happens, instead of a live service
  --json          figures for programs instead of the table
  --svg <file>    also draw the ratios as a picture
  --profile       also profile the service, and say what it spent its time on
  --help

Runs on an embedded PostgreSQL, or on a new database in the server of DATABASE_URL.
Ends with 1 when a required ratio was not reached.
`

const { values: options } = parseArgs({
  options: {
    quick: { type: 'boolean', default: false },
    only: { type: 'string', multiple: true, default: [] },
    sandbox: { type: 'boolean', default: false },
    json: { type: 'boolean', default: false },
    svg: { type: 'string' },
    profile: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
})

const QUICK_TOTAL_SECONDS = 50
const CONCURRENCY = 16

/** Many short rounds: what else the machine does lasts longer than one. Quick rounds grow fewer with more rows. */
function paceFor(rows: number): Pace {
  if (!options.quick)
    return { rounds: 25, seconds: 0.7, warmUpSeconds: 3, warmUpSecondsMax: 40, concurrency: CONCURRENCY }
  const seconds = Math.min(0.5, QUICK_TOTAL_SECONDS / (rows * 2 * 5))
  const rounds = Math.min(15, Math.max(3, Math.floor(QUICK_TOTAL_SECONDS / (rows * 2 * seconds)) - 2))
  return { rounds, seconds, warmUpSeconds: 2 * seconds, warmUpSecondsMax: 3, concurrency: CONCURRENCY }
}

/** The scheduler shares between processes: sixteen backends of pgbench get more of a busy machine than one service. */
const busyMachine = (load: number) =>
  `The machine is busy with other things (load ${load.toFixed(1)}): ratios, above all those against pgbench, come out too low.\n`

/** Whatever was opened is closed in turn, also when something failed or somebody pressed Ctrl-C. */
const closers: (() => unknown)[] = []
let closing: Promise<void> | undefined
const closeAll = () => {
  closing ??= (async () => {
    for (const close of closers.reverse()) await close()
  })()
  return closing
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
  process.once(signal, () => closeAll().then(() => process.exit(130)))

const say = (text: string) => process.stderr.write(`${text}\n`)

async function run(rows: readonly Row[]): Promise<void> {
  const pace = paceFor(rows.length)
  const database = await openBenchDatabase(process.env['DATABASE_URL'])
  closers.push(() => database.stop())
  const profiles = mkdtempSync(join(tmpdir(), 'quittance-profile-'))
  closers.push(() => rmSync(profiles, { recursive: true, force: true }))
  const profiling = options.profile ? ['--cpu-prof', '--cpu-prof-dir', profiles] : []
  const secret = { QUITTANCE_SECRET: live.QUITTANCE_SECRET }
  const sandbox = await startService(database.url, secret, options.sandbox ? profiling : [])
  closers.push(() => sandbox.stop())
  const begin = (settings: NodeJS.ProcessEnv, nodeOptions: readonly string[]) =>
    options.sandbox ? startAgain(database, { ...secret, ...settings }) : startLive(database, settings, nodeOptions)
  const service = options.sandbox ? sandbox : await begin({}, profiling)
  const forgetful = rows.some((row) => row.forgetful) ? await begin({ READ_MEMORY_MB: '0' }, []) : service
  const bare = startChild(harnessFile('bare-server.ts'), { DATABASE_URL: database.url })
  closers.push(() => bare.stop())
  const { baseUrl } = await nextMessage<{ baseUrl: string }>(bare)
  const transactions = await openTransactionLimit(database.url)
  closers.push(() => transactions.stop())
  const generator = await startGenerator()
  closers.push(() => generator.stop())

  const where = `${database.description}, Node ${process.versions.node}, ${cpus().length} cores, ${pace.concurrency} at once, ${options.sandbox ? 'sandbox' : 'live'}`
  say(`${where}; ${pace.rounds} rounds of ${pace.seconds.toFixed(1)} s for each side of ${rows.length} rows`)
  const busy = loadavg()[0]! > cpus().length ? busyMachine(loadavg()[0]!) : ''
  say(busy)
  const bench = {
    service,
    forgetful,
    bareServer: { baseUrl, pid: bare.process.pid },
    transactions,
    generator,
    sandbox,
    context: makeContext(sandbox.baseUrl, database.client),
    progress: say,
  }
  const measured: Measured[] = []
  for (const row of rows)
    try {
      measured.push(await measure(bench, row, pace))
    } catch (error) {
      // What a quarter of an hour was spent on is told all the same.
      say(`${row.name} could not be measured: ${error instanceof Error ? error.message : error}`)
      process.exitCode = 1
    }

  if (options.json)
    process.stdout.write(`${JSON.stringify({ where, rows: toJson(measured, transactions.tool) }, null, 2)}\n`)
  else process.stdout.write(`\n${where}\n${busy}\n${printTable(measured, transactions.tool)}`)
  if (options.svg !== undefined) writeFileSync(options.svg, drawChart(measured, `${where}, ${today()}`))
  if (options.profile) {
    await service.stop()
    say(`\n${printProfile(profiles)}`)
  }
  if (measured.some((line) => verdictOf(line) === 'NOT MET')) process.exitCode = 1
}

/** A live service on the database of a sandbox, which it refuses, as its apps, unless both are made to be of its kind. */
async function startLive(
  database: BenchDatabase,
  settings: NodeJS.ProcessEnv,
  nodeOptions: readonly string[],
): Promise<RunningService> {
  await database.client.query("update deployment set environment = 'live'; update apps set sandbox = false")
  return startAgain(database, { ...live, ...settings }, nodeOptions)
}

async function startAgain({ url }: BenchDatabase, settings: NodeJS.ProcessEnv, nodeOptions: readonly string[] = []) {
  const service = await startService(url, settings, nodeOptions)
  closers.push(() => service.stop())
  return service
}

const today = () => new Date().toISOString().slice(0, 10)

const NEIGHBOURS = 'neighbours-api'

async function runNeighbours(): Promise<void> {
  const figures = await measureNeighbours(process.env['DATABASE_URL'], { seconds: options.quick ? 6 : 20, say })
  process.stdout.write(
    options.json ? `${JSON.stringify({ neighbours: figures }, null, 2)}\n` : printNeighbours(figures),
  )
  if (figures.some(({ isMet }) => !isMet)) process.exitCode = 1
}

const LARGE = 'large'

async function runLarge(): Promise<void> {
  const figures = await measureLarge(process.env['DATABASE_URL'], say)
  process.stdout.write(options.json ? `${JSON.stringify({ large: figures }, null, 2)}\n` : printLarge(figures))
  if (figures.some(({ isMet }) => !isMet)) process.exitCode = 1
}

if (options.help) process.stdout.write(help)
else {
  const all = await loadRows()
  const others = [NEIGHBOURS, LARGE]
  const unknown = options.only.filter((name) => !others.includes(name) && !all.some((row) => row.name === name))
  if (unknown.length > 0) {
    say(`No row is called ${unknown.join(', ')}. There are: ${[...all.map(({ name }) => name), ...others].join(', ')}.`)
    process.exitCode = 2
  } else {
    try {
      const wanted = options.only.length === 0 ? all : all.filter(({ name }) => options.only.includes(name))
      if (wanted.length > 0) await run(wanted)
      if (options.only.includes(NEIGHBOURS)) await runNeighbours()
      if (options.only.includes(LARGE)) await runLarge()
    } finally {
      await closeAll()
    }
  }
}
