import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { gunzipSync, gzipSync } from 'node:zlib'
import type pg from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../../../src/app.ts'
import { copyIn, copyOut } from '../../../src/backup/copy.ts'
import { addressOf, databaseIn, inDatabase } from '../../../src/database/address.ts'
import { Connector, cut } from '../../../src/database/connector.ts'
import { readSettings } from '../../../src/settings.ts'
import { json, run } from '../../support/command.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../../support/database.ts'
import { FaultyProxy } from '../../support/faulty-proxy.ts'
import { assertInvariants } from '../../support/invariants.ts'
import { temporaryFolder } from '../../support/process.ts'
import { newWorld, patient, usd, type World } from '../../support/world.ts'

const settings = { PUBLIC_URL: 'http://shop.test' }
const stories = ['seller-loses-and-appeals', 'partial-payments-and-refunds']

/** Addresses whose answers tell all that people can see of a sandbox. */
const looks: [who: string, paths: string[]][] = [
  [
    'sandbox-merchant',
    [
      '/v2/invoicing/invoices?page_size=100&total_required=true',
      '/v2/invoicing/templates?fields=all',
      '/v1/customer/disputes?page_size=50',
      '/v1/notifications/webhooks',
      '/v1/notifications/webhooks-events?page_size=100',
      '/v1/reporting/balances',
    ],
  ],
  ['sandbox-buyer', ['/v1/customer/disputes?page_size=50']],
  ['', ['/sandbox/clock', '/sandbox/mail', '/sandbox/due', '/sandbox/timeline', '/sandbox/requests']],
]

interface Loaded {
  readonly rows: number
  readonly tables: number
  readonly migrated: string[]
  readonly rules_that_hold: number
}

let world: World
const temporary = temporaryFolder()
const folder = temporary.path
let file: string
let tokens: Record<string, string>
beforeAll(async () => {
  world = await newWorld({ works: true, settings })
  await world.app.listen()
  const url = `http://127.0.0.1:${(world.app.server.server.address() as AddressInfo).port}`
  for (const story of stories)
    expect(await run(['scenario', 'run', story, '--url', url], {}), story).toMatchObject({ code: 0 })
  // Its secret is sealed. Nothing happens any more that it would be told of.
  const webhook = { url: 'http://127.0.0.1:30999/hook', event_types: [{ name: 'INVOICING.INVOICE.PAID' }] }
  expect(await world.merchant.post('/v1/notifications/webhooks', webhook)).toMatchObject({ status: 201 })
  tokens = {
    'sandbox-merchant': await world.tokenFor('sandbox-merchant'),
    'sandbox-buyer': await world.tokenFor('sandbox-buyer'),
  }
  // What it answered in the last half second is kept when somebody looks.
  await world.call('GET', '/sandbox/requests')
  file = join(folder, 'monday.backup')
})
afterAll(async () => {
  await world.close()
  temporary.remove()
})

/** Every answer that a service on this database gives, word for word. */
async function seenOn(databaseUrl: string, first: (app: App) => Promise<void> = async () => {}) {
  const app = await openApp({
    ...{ settings: readSettings({ PORT: '0', ...settings }), databaseUrl, log: pino({ level: 'error' }), ...patient },
  })
  await first(app)
  const seen: Record<string, string> = {}
  const look = async (who: string, url: string) => {
    const headers = who === '' ? {} : { authorization: `Bearer ${tokens[who]}` }
    const { statusCode, body } = await app.server.inject({ method: 'GET', url, headers })
    seen[`${who} ${url}`] = `${statusCode} ${body}`
    return body
  }
  for (const [who, paths] of looks.toReversed()) for (const path of paths) await look(who, path)
  const { items } = JSON.parse(await look('sandbox-merchant', '/v2/invoicing/invoices')) as { items: { id: string }[] }
  for (const { id } of items) await look('sandbox-merchant', `/v2/invoicing/invoices/${id}`)
  const disputes = JSON.parse(await look('sandbox-merchant', '/v1/customer/disputes')) as {
    items: { dispute_id: string }[]
  }
  for (const { dispute_id } of disputes.items) await look('sandbox-merchant', `/v1/customer/disputes/${dispute_id}`)
  await assertInvariants(app.database)
  await app.close()
  return seen
}

async function inEmptyDatabase<T>(work: (own: TestDatabase) => Promise<T>): Promise<T> {
  const own = await newDatabase({ empty: true })
  try {
    return await work(own)
  } finally {
    await own.drop()
  }
}

const restore = (databaseUrl: string, ...more: string[]) =>
  run(['restore', file, ...more], { DATABASE_URL: databaseUrl })

describe('A backup', () => {
  it('fills a new data folder, which then moves to another database with one command, and every answer is the same to the byte', async () => {
    const made = await json<{ rows: number }>(['backup', file], { DATABASE_URL: world.databaseUrl })
    expect(statSync(file).mode & 0o777).toBe(0o600)
    const dataDir = join(folder, 'data')
    const variables = { QUITTANCE_DATA_DIR: dataDir }
    expect(await run(['backup', join(folder, 'none')], variables)).toMatchObject({
      code: 1,
      stderr: `quittance: There is no data in ${dataDir}: set QUITTANCE_DATA_DIR, or DATABASE_URL.\n`,
    })

    const restored = await json<Loaded>(['restore', file], variables)
    expect(restored).toMatchObject({ rows: made.rows, migrated: [] })
    expect(restored.rules_that_hold).toBeGreaterThan(20)
    const wrong = await run(['move', '--to', 'postgres://me@127.0.0.1:1/shop'], variables)
    expect(wrong).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/listens at 127\.0\.0\.1:1\/shop: .* --to\.\n$/),
    })
    await inEmptyDatabase(async ({ url }) => {
      // With what the audit log says of the restore.
      const all = { ...restored, rows: restored.rows + 1 }
      expect(await json<Loaded>(['move', '--to', url], variables)).toEqual(all)
      const before = await seenOn(world.databaseUrl)
      expect(Object.values(before).filter((text) => !text.startsWith('200 '))).toEqual([])
      expect(Object.keys(before).length).toBeGreaterThan(15)
      expect(await seenOn(url)).toEqual(before)
    })

    const again = await run(['start'], { ...variables, PORT: '0' })
    expect(again).toMatchObject({ code: 1, stderr: expect.stringMatching(/was moved to .*: set DATABASE_URL/) })
    const checked = await run(['check'], variables)
    expect(checked).toMatchObject({ code: 1, stdout: expect.stringMatching(/was moved to .*: set DATABASE_URL/) })
  })
})

describe('Restoring', () => {
  let own: TestDatabase
  beforeAll(async () => {
    own = await newDatabase({ empty: true })
  })
  afterAll(() => own.drop())
  const copyOf = (name: string, change: (bytes: Buffer) => Buffer) => {
    const path = join(folder, name)
    writeFileSync(path, change(readFileSync(file)))
    return path
  }
  const restoring = async (path: string, variables: Record<string, string> = {}, ...more: string[]) => {
    const { code, stdout, stderr } = await run(['restore', path, ...more], { DATABASE_URL: own.url, ...variables })
    // Before the sentence it may say how far it is.
    const [sentence] = /quittance: [^\n]+\n$/.exec(stderr) ?? []
    expect([stdout, sentence]).toEqual(['', expect.any(String)])
    return `${code} ${sentence}`
  }
  const changedText = (bytes: Buffer, from: string, to: string) =>
    gzipSync(Buffer.from(gunzipSync(bytes).toString('latin1').replace(from, to), 'latin1'))

  it('refuses a file that is cut off, damaged, changed or none of ours, and has made nothing', async () => {
    const cut = copyOf('cut', (bytes) => bytes.subarray(0, bytes.length - 20))
    const half = copyOf('half', (bytes) => bytes.subarray(0, bytes.length / 2))
    const flipped = copyOf('flipped', (bytes) => {
      bytes[Math.floor(bytes.length / 3)]! ^= 0x10
      return bytes
    })
    const changed = copyOf('changed', (bytes) => changedText(bytes, 'Sandbox Merchant', 'Sandbox Merchand'))
    const ofNothing = ['null', '7', '{"tables":[null]}'].map((facts, i) =>
      copyOf(`nothing${i}`, () => gzipSync(`quittance backup 1\n${facts}\n`)),
    )
    const other = copyOf('other', () => gzipSync('create table books'))
    const newer = copyOf('newer', (bytes) => changedText(bytes, 'quittance backup 1', 'quittance backup 2'))

    for (const path of [cut, half]) expect(await restoring(path)).toMatch(/^1 .* ends too early: /)
    for (const path of [flipped, changed, ...ofNothing]) expect(await restoring(path)).toMatch(/^1 .* is damaged: /)
    for (const path of [other, import.meta.filename]) expect(await restoring(path)).toMatch(/is no backup of Quittance/)
    expect(await restoring(newer)).toMatch(/newer version of Quittance/)
    expect(await restoring(join(folder, 'gone'))).toMatch(/gone cannot be read \(ENOENT\)/)
    expect((await run(['migrate'], { DATABASE_URL: own.url })).stdout).toMatch(/^Applied 0001/)

    const nowhere = join(folder, 'nowhere')
    expect(await run(['restore', flipped, '--data-dir', nowhere], {})).toMatchObject({ code: 1 })
    expect(existsSync(nowhere)).toBe(false)
  })

  it('refuses what the settings do not open, and what is of another environment', async () => {
    const secret = 'another secret than the sandbox of this test has'
    expect(await restoring(file, { QUITTANCE_SECRET: secret })).toMatch(
      /^2 .*QUITTANCE_SECRET is not the one .* in what is to be loaded .*: set it to what it was there/,
    )
    const live = { QUITTANCE_ENVIRONMENT: 'live', QUITTANCE_SECRET: secret }
    expect(await restoring(file, live)).toMatch(/^2 .* is of a sandbox service: set QUITTANCE_ENVIRONMENT=sandbox/)
  })

  it('brings back what was made while people wrote, of one instant and whole', async () => {
    const busy = join(folder, 'busy.backup')
    let sales = 0
    // Before each table is read.
    const proxy = await FaultyProxy.before(world.databaseUrl, async (bytes) => {
      if (!bytes.includes('copy "')) return
      expect(await world.merchant.post('/sandbox/transactions', { amount: usd('10.00') })).toMatchObject({
        status: 201,
      })
      sales++
    })

    expect(await run(['backup', busy], { DATABASE_URL: proxy.url(world.databaseUrl) })).toMatchObject({ code: 0 })

    expect(sales).toBeGreaterThan(20)
    proxy.close()
    // One that was migrated and never used is empty.
    expect(await run(['restore', busy], { DATABASE_URL: own.url })).toMatchObject({ code: 0 })
    const seen = await seenOn(own.url, async (app) => {
      const headers = { authorization: `Bearer ${tokens['sandbox-merchant']}` }
      const payload = { amount: usd('10.00') }
      const more = { method: 'POST', url: '/sandbox/transactions', headers, payload } as const
      expect((await app.server.inject(more)).statusCode).toBe(201)
    })
    expect(seen['sandbox-merchant /v1/reporting/balances']).toMatch(/^200/)
  })

  it('refuses a database that is not empty, in use or of something else, unless it is told to replace what is there', async () => {
    expect(await restoring(file)).toMatch(/^1 .*is not empty \(\w+ has rows\): .*--replace/)
    expect(await restore(own.url, '--replace')).toMatchObject({ code: 0 })
    expect(await restoring(file, { DATABASE_URL: world.databaseUrl }, '--replace')).toMatch(
      /in use by a running service: stop it first, and let a pooler/,
    )

    await inEmptyDatabase(async ({ url }) => {
      const database = openPatiently(url, { applicationName: 'somebody else' })
      await database.query('create table books (id int)')
      expect(await restoring(file, { DATABASE_URL: url }, '--replace')).toMatch(/tables of something else \(books\)/)
      await database.close()
    })
  })

  it('refuses a database in whose encoding not every name can be written, as a start does', async () => {
    await inEmptyDatabase(async ({ url }) => {
      const owner = openPatiently(url, { applicationName: 'somebody else' })
      const name = `${databaseIn(url)}_latin`
      await owner.query(`create database ${name} encoding 'LATIN1' locale_provider libc locale 'C' template template0`)
      const latin = inDatabase(url, name)
      const says = /has the encoding LATIN1, .*: create it with encoding 'UTF8' \(and template template0\)\.\n?$/

      expect(await restoring(file, { DATABASE_URL: latin })).toMatch(says)
      expect(await run(['migrate'], { DATABASE_URL: url })).toMatchObject({ code: 0 })
      expect(await run(['move', '--to', latin], { DATABASE_URL: url })).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(says),
      })
      await owner.query(`drop database ${name}`)
      await owner.close()
    })
  })

  it('is what a move does too, which lets nothing go and needs another database', async () => {
    await inEmptyDatabase(async ({ url }) => {
      expect(await run(['migrate'], { DATABASE_URL: url })).toMatchObject({ code: 0 })
      const moving = async (to: string) => (await run(['move', '--to', to], { DATABASE_URL: url })).stderr

      expect(await moving(own.url)).toMatch(/is not empty \(\w+ has rows\): name an empty one\.\n$/)
      expect(await moving(url)).toMatch(/is the database that the data is in already: name another\.\n$/)
    })
  })

  it('leaves nothing on its connection of a wait for the server, and says what the server says when it ends one', async () => {
    const client = await new Connector(addressOf(own.url), {}).connect()
    await client.query('create temporary table large (piece text)')
    const pieces = async function* () {
      for (let i = 0; i < 3; i++) yield Buffer.from(`${'x'.repeat(1e6)}\n`)
    }
    const { stream } = (client as unknown as { connection: pg.Connection }).connection
    const before = stream.listenerCount('close')

    expect(await copyIn(client, 'copy large from stdin', pieces())).toBe(3)
    expect(stream.listenerCount('close')).toBe(before)

    const ended = copyOut(client, 'copy (select pg_terminate_backend(pg_backend_pid())) to stdout').next()
    await expect(ended).rejects.toThrow(/terminating connection/)
    cut(client)
  })

  it('leaves every trigger as it was, and what can be backed up also where the audit log takes no row, which is said', async () => {
    const database = openPatiently(own.url, { applicationName: 'somebody else' })
    const triggers =
      'select tgrelid::regclass::text, tgname, tgenabled from pg_trigger where not tgisinternal order by 1, 2'
    expect((await database.query(triggers)).rows).toEqual((await world.app.database.query(triggers)).rows)
    await database.query("alter table audit_log add constraint closed check (actor <> 'command:backup') not valid")
    await database.close()

    const { code, stderr } = await run(['backup', join(folder, 'unsaid.backup')], { DATABASE_URL: own.url })

    // Before it, where the machine is busy, how far it is.
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^quittance: the backup is made, and .* "closed"\n$/m)])
  })

  it('never writes over a file, and leaves none behind that is not whole', async () => {
    const { stderr } = await run(['backup', file], { DATABASE_URL: world.databaseUrl })
    expect(stderr).toBe(`quittance: ${file} exists: name a file that does not, or remove it.\n`)

    // Two at once: whichever comes second has found neither the file nor a sign of the first when it began.
    const both = join(folder, 'both')
    const ended = await Promise.all([1, 2].map(() => run(['backup', both], { DATABASE_URL: world.databaseUrl })))
    expect(ended.map(({ code }) => code).sort()).toEqual([0, 1])

    const taken = join(folder, 'taken')
    writeFileSync(`${taken}.unfinished`, 'of another call')
    const second = await run(['backup', taken], { DATABASE_URL: world.databaseUrl })
    expect(second).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('taken.unfinished exists: another backup'),
    })
    expect(readFileSync(`${taken}.unfinished`, 'utf8')).toBe('of another call')

    const nowhere = join(folder, 'no', 'folder')
    const missing = await run(['backup', nowhere], { DATABASE_URL: world.databaseUrl })
    expect(missing).toMatchObject({ code: 1, stderr: expect.stringContaining('cannot be written (ENOENT)') })
    expect(existsSync(`${nowhere}.unfinished`)).toBe(false)
  })
})
