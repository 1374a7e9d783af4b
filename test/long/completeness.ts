import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { pino } from 'pino'
import { openApp } from '../../src/app.ts'
import { openDatabase } from '../../src/database/open.ts'
import { statementOf } from '../../src/database/sql.ts'
import { readSettings } from '../../src/settings.ts'
import { makeSeal } from '../../src/webhooks/signing/seal.ts'
import { Receiver } from '../support/receiver.ts'

export interface Completeness {
  readonly changes: number
  readonly kills: number
  /** The share of first calls that are answered with a failure. */
  readonly flaky?: number
  /** Those with a certificate cost far more, and are as complete. */
  readonly signatures?: Signatures
}
type Signatures = 'both' | 'standard'

export interface Outcome {
  readonly acknowledged: number
  /** Changes that were acknowledged and are not there. */
  readonly lost: number
  readonly events: number
  /** Deliveries that should have arrived, one for every event and webhook, and did not. */
  readonly missing: number
  /** Deliveries that arrived and should not have. */
  readonly unexpected: number
  readonly duplicates: number
  readonly kills: number
  readonly seconds: number
}

/** A busy machine is no reason to refuse anybody. */
const patience = { connectTimeoutMs: 60_000, statementTimeoutMs: 60_000 }
const paths = ['/first', '/second']
const changer = fileURLToPath(new URL('./changer.mjs', import.meta.url))
const openCount = statementOf('select count(*)::int as open from delivery_queue')
const allEvents = statementOf("select id, (body::json->'resource'->>'change')::int as change from events")
/** No process is left that could renew them. */
const endLeases = statementOf('update delivery_queue set lease_until = clock_timestamp() where lease_until is not null')
const insertWebhook = statementOf(`insert into webhooks (account_id, app_id, id, url, event_types, secret, create_time,
  update_time) values ('MERCHANTAAAAA', 'APP-SANDBOXMERCHANT01', $1, $2, '{*}', $3, $4, $4)`)

/** Makes changes in a service that is killed again and again, and compares what arrived with what was committed. */
export async function measureCompleteness(databaseUrl: string, options: Completeness): Promise<Outcome> {
  const { changes, kills, flaky = 0.02, signatures = 'both' } = options
  const began = performance.now()
  const receiver = await Receiver.open()
  const seen = new Map<string, number>()
  receiver.behaviour = ({ path, event }, response) => {
    // Nothing is kept but the counts, so that a long run fits.
    receiver.received.length = 0
    const key = `${path} ${event.id}`
    const isFirst = !seen.has(key)
    const fails = isFirst && hash(key) < flaky
    seen.set(key, (seen.get(key) ?? 0) + (fails ? 0 : 1))
    response.writeHead(fails ? 500 : 200).end()
  }
  await prepare(databaseUrl, receiver)

  const acknowledged = new Set<number>()
  let killed = 0
  while (acknowledged.size < changes || killed < kills) {
    const target = Math.floor((changes * (killed + 1)) / (kills + 1))
    const from = firstMissing(acknowledged, changes)
    if (from >= changes && killed >= kills) break
    const isLast = killed >= kills
    const until = isLast ? changes : target
    await runChanger(databaseUrl, { from, to: changes, until, acknowledged, signatures })
    if (!isLast) killed++
  }

  const database = openDatabase(databaseUrl, { connectionsMax: 2, ...patience })
  await database.rows(endLeases)
  const variables = { LOG_LEVEL: 'silent', PORT: '0', WEBHOOK_RETRY_SPEED: '100', WEBHOOK_SIGNATURES: signatures }
  const settings = readSettings(variables)
  const app = await openApp({ settings, databaseUrl, log: pino({ level: 'silent' }), works: true, ...patience })
  for (;;) {
    const [row] = await database.rows<{ open: number }>(openCount)
    if (row!.open === 0) break
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  await app.close()
  const events = await database.rows<{ id: string; change: number }>(allEvents)
  await database.close()
  await receiver.close()

  const expected = new Set(events.flatMap(({ id }) => paths.map((path) => `${path} ${id}`)))
  const arrived = [...seen].filter(([, count]) => count > 0)
  const stored = new Set(events.map(({ change }) => change))
  return {
    acknowledged: acknowledged.size,
    lost: [...acknowledged].filter((change) => !stored.has(change)).length,
    events: events.length,
    missing: [...expected].filter((key) => !((seen.get(key) ?? 0) > 0)).length,
    unexpected: arrived.filter(([key]) => !expected.has(key)).length,
    duplicates: arrived.reduce((sum, [, count]) => sum + count - 1, 0),
    kills: killed,
    seconds: Math.round((performance.now() - began) / 1000),
  }
}

async function prepare(databaseUrl: string, receiver: Receiver): Promise<void> {
  const settings = readSettings({ LOG_LEVEL: 'silent', PORT: '0' })
  const app = await openApp({ settings, databaseUrl, log: pino({ level: 'silent' }), ...patience })
  const seal = makeSeal(settings.secrets!)
  for (const [i, path] of paths.entries()) {
    const id = `COMPLETENESS${i}`
    const secret = seal.close(Buffer.alloc(32, i), id)
    await app.database.rows(insertWebhook, [id, receiver.url(path), secret, app.clock.now()])
  }
  await app.close()
}

interface Round {
  readonly from: number
  readonly to: number
  readonly until: number
  readonly acknowledged: Set<number>
  readonly signatures: Signatures
}

/** Runs the service until it has acknowledged so many changes, and then kills it without warning. */
function runChanger(databaseUrl: string, { from, to, until, acknowledged, signatures }: Round): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [changer, databaseUrl, String(from), String(to), signatures], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    let isExpected = false
    child.on('message', ({ acked, done }: { acked: number[]; done?: boolean }) => {
      for (const change of acked) acknowledged.add(change)
      if (!done && acknowledged.size < until) return
      isExpected = true
      child.kill('SIGKILL')
    })
    child.on('exit', (code) =>
      isExpected ? resolve() : reject(new Error(`The service ended by itself with ${code}.`)),
    )
  })
}

function firstMissing(acknowledged: ReadonlySet<number>, changes: number): number {
  for (let n = 0; n < changes; n++) if (!acknowledged.has(n)) return n
  return changes
}

/** A number between 0 and 1 that is the same for the same text. */
function hash(text: string): number {
  let value = 0
  for (let i = 0; i < text.length; i++) value = (Math.imul(value, 31) + text.charCodeAt(i)) | 0
  return (value >>> 0) / 2 ** 32
}
