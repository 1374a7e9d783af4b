import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { median } from './harness/statistics.ts'

/** What a developer waits for, as medians of ten, and what an idle sandbox holds: npm run bench:workbench. Ends with 1 when one is too much. */

const TIMES = 10
const INVOICES = 1_000
/** By then a service has let go of what only its start took. */
const IDLE_MS = 25_000
const root = fileURLToPath(new URL('..', import.meta.url))
// The compiled package, as its users have it.
const { startSandbox } = (await import(
  '../dist/testing/index.js' as string
)) as typeof import('../src/testing/index.ts')

async function medianOf(times: number, work: () => Promise<(() => Promise<unknown>) | undefined>): Promise<number> {
  const took: number[] = []
  for (let i = 0; i < times; i++) {
    const began = performance.now()
    const after = await work()
    took.push(performance.now() - began)
    await after?.()
  }
  return median(took)
}

const anInvoice = {
  detail: { currency_code: 'USD' },
  items: [{ name: 'A chair', quantity: '1', unit_amount: { currency_code: 'USD', value: '10.00' } }],
}

interface Started {
  readonly pid: number
  stop(): Promise<unknown>
}

/** Comes back when the service says that it is ready. */
function startService(dataDir: string): Promise<Started> {
  const words = [join(root, 'dist/main.js'), 'start', '--port', '0', '--data-dir', dataDir, '--log-level', 'silent']
  const child = spawn(process.execPath, words)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  return new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => {
      if (!String(text).includes('is ready at')) return
      const stop = () => {
        child.kill('SIGTERM')
        return ended
      }
      resolve({ pid: child.pid!, stop })
    })
    void ended.then((code) => reject(new Error(`the service ended with ${String(code)}`)))
  })
}

const sandbox = await startSandbox()
const world = await medianOf(TIMES, async () => {
  const made = await startSandbox()
  return () => made.stop()
})
const { merchant } = sandbox.people
for (let i = 0; i < INVOICES; i += 20)
  await Promise.all(Array.from({ length: 20 }, () => merchant.invoices.create(anInvoice)))
const fork = await medianOf(TIMES, async () => {
  const made = await sandbox.fork()
  return () => made.stop()
})
const reset = await medianOf(TIMES, async () => {
  await sandbox.reset()
  return async () => void (await merchant.invoices.create(anInvoice))
})
/** Twenty days in which nobody answers a dispute, with the timeout that ends it. */
const { buyer } = sandbox.people
const inquiry = await medianOf(TIMES, async () => {
  const sale = await merchant.sandbox.createTransaction({ amount: { currency_code: 'USD', value: '50.00' } })
  const complaint = {
    reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED' as const,
    disputed_transactions: [{ buyer_transaction_id: String(sale.buyer_transaction_id) }],
  }
  await buyer.disputes.create(complaint)
  await sandbox.clock.advance('P21D')
  return undefined
})
/** Three days in which a delivery is tried again and again, at an address where nobody is. */
await merchant.webhooks.create({
  url: 'http://127.0.0.1:30999/hook',
  event_types: [{ name: 'INVOICING.INVOICE.CREATED' }],
})
const ladder = await medianOf(TIMES, async () => {
  await merchant.invoices.create(anInvoice)
  await sandbox.clock.advance('P4D')
  return undefined
})
await sandbox.stop()

const dataDir = mkdtempSync(join(tmpdir(), 'quittance-bench-'))
await (await startService(dataDir)).stop()
const start = await medianOf(TIMES, async () => (await startService(dataDir)).stop)
const idle = await startService(dataDir)
await pause(IDLE_MS)
/** Of its process alone, without its PostgreSQL. */
const idleMb =
  process.platform === 'linux'
    ? Number(/^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${idle.pid}/status`, 'utf8'))![1]) / 1024
    : Number(execFileSync('ps', ['-o', 'rss=', '-p', String(idle.pid)])) / 1024
await idle.stop()
rmSync(dataDir, { recursive: true, force: true })

const rows = [
  ['a world', world, 300, 'ms'],
  [`a fork of a world with ${INVOICES} invoices`, fork, 1_000, 'ms'],
  ['a reset', reset, 100, 'ms'],
  ['a later start of quittance start', start, 1_000, 'ms'],
  [`its memory when nothing was done for ${IDLE_MS / 1000} s`, idleMb, 100, 'MB'],
  ['an inquiry of 20 days and its timeout', inquiry, 2_000, 'ms'],
  ['a delivery that is tried for 72 hours', ladder, 2_000, 'ms'],
] as const
process.stdout.write(`Medians of ${TIMES}, on ${cpus().length} cores; load ${loadavg()[0]!.toFixed(1)}.\n\n`)
for (const [what, measured, max, unit] of rows)
  process.stdout.write(
    `${what.padEnd(42)} ${measured.toFixed(0).padStart(6)} ${unit}   at most ${max}${measured > max ? '   MISSED' : ''}\n`,
  )
if (rows.some(([, measured, max]) => measured > max)) process.exitCode = 1
