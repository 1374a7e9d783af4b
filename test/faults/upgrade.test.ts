import { copyFileSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readContents, tablesOf } from '../../src/backup/contents.ts'
import { brokenRules } from '../../src/backup/verify.ts'
import { connectionSettings } from '../../src/database/address.ts'
import { migrate } from '../../src/database/migrate.ts'
import { run } from '../support/command.ts'
import { newDatabase, type TestDatabase } from '../support/database.ts'
import { times } from '../support/size.ts'
import { newWorld, type World } from '../support/world.ts'

const ours = fileURLToPath(new URL('../../migrations', import.meta.url))
const files = readdirSync(ours).toSorted()
/** Before it there was no whole service. */
const first = files.indexOf('0006_payer.sql')

type Row = Record<string, unknown>
type Rows = Record<string, Row[]>

/** What the rows of earlier versions were like, where it was not only that columns were missing. */
const earlier: readonly [until: string, table: string, change: (row: Row, rows: Rows) => Row][] = [
  [
    '0009_delivery_queue.sql',
    'deliveries',
    (row, { delivery_queue: queue = [] }) => {
      const waiting = queue.find(({ id }) => id === row['id'])
      const status = waiting ? 'PENDING' : row['failure'] === null ? 'SUCCESS' : 'FAILURE'
      const {
        lane = 0,
        attempts = 1,
        next_time = row['transmit_time'],
        signature = null,
        key_id = null,
        url,
      } = waiting ?? {}
      return {
        ...row,
        status,
        lane,
        attempts,
        next_time,
        signature,
        key_id,
        last_error: row['failure'],
        url: row['url'] ?? url,
      }
    },
  ],
  ['0019_consent_and_environment.sql', 'app_secrets', (row) => ({ ...row, assertion_key: '\\x00' })],
  ['0025_reversals.sql', 'payment_transactions', (row) => ({ ...row, body: without(row['body'], ['reversed']) })],
  [
    '0025_reversals.sql',
    'disputes',
    (row) => {
      const { refunds, disputed_transactions, ...body } = row['body'] as Record<string, object[]>
      const bare = {
        ...body,
        disputed_transactions: disputed_transactions!.map((one) => without(one, ['reversed'])),
        ...(refunds && { refunds: refunds.map((one) => without(one, ['transaction', 'reversal'])) }),
      }
      return { ...row, body: bare }
    },
  ],
]

const without = (value: unknown, keys: readonly string[]) =>
  Object.fromEntries(Object.entries(value as object).filter(([key]) => !keys.includes(key)))

/** What nobody could know of rows from before, or what is of the moment: of all tables, or of one. */
const unknown = [
  'actor',
  'cause',
  'key_id',
  'generation',
  'token_generation',
  'class',
  'due',
  'sealed',
  'sandbox',
  'seq',
  'event_audience.event_type',
]
/** What was not written down before there was such a table, or only in part. */
const logs = [
  'audit_log',
  'dispute_transitions',
  'invoice_transitions',
  'request_log',
  'happenings',
  'happenings_told',
  'quotas',
  'logos',
  'signing_authority',
  'event_ids',
]

let world: World
let rows: Rows
let folder: string
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'quittance-upgrade-'))
  world = await newWorld({ works: true })
  await world.app.listen()
  await play('deadline-missed')
  // Nobody is there, so that some deliveries wait.
  const webhook = { url: 'http://127.0.0.1:30999/hook', event_types: [{ name: '*' }] }
  const subscribed = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', webhook)
  await play('partial-payments-and-refunds')
  const client = await connect(world.databaseUrl)
  rows = await rowsOf(client)
  expect(rows['delivery_queue']).not.toEqual([])
  await world.merchant.delete(`/v1/notifications/webhooks/${subscribed.body.id}`)
  await client.end()
})
afterAll(async () => {
  await world.close()
  rmSync(folder, { recursive: true })
})

async function play(story: string): Promise<void> {
  const { port } = world.app.server.server.address() as AddressInfo
  const played = await run(['scenario', 'run', story, '--url', `http://127.0.0.1:${port}`], {})
  expect([played.code, played.stderr], story).toEqual([0, ''])
}

async function connect(url: string): Promise<pg.Client> {
  const client = new pg.Client(connectionSettings(url))
  await client.connect()
  return client
}

async function rowsOf(client: pg.Client): Promise<Rows> {
  const found: Rows = {}
  for (const { name } of await tablesOf(client)) {
    const { rows: all } = await client.query<{ all: Row[] }>(
      `select coalesce(jsonb_agg(to_jsonb(t)), '[]') as all from ${name} t`,
    )
    found[name] = all[0]!.all
  }
  return found
}

/** The migrations up to one of them, and perhaps more behind. */
function folderUpTo(count: number, more: Record<string, string> = {}): string {
  const own = mkdtempSync(join(folder, 'migrations-'))
  for (const name of files.slice(0, count)) copyFileSync(join(ours, name), join(own, name))
  for (const [name, text] of Object.entries(more)) writeFileSync(join(own, name), text)
  return own
}

/** Puts the rows of today into an earlier schema, as far as it has tables and columns for them. */
async function putRows(client: pg.Client, at: string): Promise<void> {
  const { facts } = await readContents(client)
  await client.query('commit')
  for (const { name, columns } of facts.tables) {
    const changes = earlier.filter(([until, table]) => table === name && at < until)
    const then = (rows[name] ?? []).map((row) => changes.reduce((changed, [, , change]) => change(changed, rows), row))
    const listed = columns.filter((column) => then.some((row) => row[column] !== undefined))
    if (listed.length === 0) continue
    await client.query(`alter table ${name} disable trigger all`)
    await client.query(
      `insert into ${name} (${listed.join(', ')}) overriding system value
       select ${listed.join(', ')} from jsonb_populate_recordset(null::${name}, $1)`,
      [JSON.stringify(then)],
    )
    await client.query(`alter table ${name} enable trigger all`)
  }
}

/** Rows in an order of their own, without what could not be known. */
const comparable = (all: Rows) =>
  Object.fromEntries(
    Object.entries(all)
      .filter(([table]) => !logs.includes(table))
      .map(([table, list]) => {
        const columns = unknown.map((name) => name.replace(`${table}.`, ''))
        return [table, list.map((row) => JSON.stringify(without(row, columns))).toSorted()]
      }),
  )

describe('A database of an earlier version', () => {
  const stages = files.slice(first, -1)
  const tried = times(5, stages.length)
  const chosen = Array.from({ length: tried }, (_, i) => stages[Math.round((i * (stages.length - 1)) / (tried - 1))]!)

  // Becomes older from one to the next, so that each begins where the one before was.
  let older: TestDatabase
  beforeAll(async () => {
    older = await newDatabase({ empty: true })
  })
  afterAll(() => older.drop())

  it.each(chosen)('that stopped at %s has everything after migrating, and no rule is broken', async (name) => {
    await migrate(older.url, { folder: folderUpTo(files.indexOf(name) + 1) })
    const own = await newDatabase({ like: older })
    const client = await connect(own.url)
    await putRows(client, name)

    const applied = await migrate(own.url)

    expect(applied).toEqual(files.slice(files.indexOf(name) + 1))
    expect((await brokenRules(client, () => {})).broken).toEqual([])
    expect(comparable(await rowsOf(client))).toEqual(comparable(rows))
    await client.end()
    await own.drop()
  })
})

describe('A process of the version before', () => {
  it('goes on while a newer one expands every table under its hands', async () => {
    const tables = Object.keys(rows)
    const expand = tables.map((table) => `alter table ${table} add column added_later text not null default 'new';`)
    const index =
      'drop index concurrently if exists added;\ncreate index concurrently added on invoices (added_later);\n'
    const newer = folderUpTo(files.length, {
      '9998_expand.sql': expand.join('\n'),
      '9999_index.sql': `-- Runs outside a transaction.\n${index}`,
    })

    expect(await migrate(world.databaseUrl, { folder: newer })).toEqual(['9998_expand.sql', '9999_index.sql'])

    // Everything was asked before, and is prepared on its connections.
    await play('deadline-missed')
    await play('partial-payments-and-refunds')
    expect(await world.call('GET', '/readyz')).toMatchObject({ status: 200 })
    // One that crashed meanwhile starts again.
    expect(await migrate(world.databaseUrl)).toEqual([])
    expect(await world.call('POST', '/sandbox/reset', { keep: ['webhooks'] })).toMatchObject({ status: 200 })
  })
})
