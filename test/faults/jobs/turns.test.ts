import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { defaultScopes } from '../../../src/accounts/scopes.ts'
import type { Database } from '../../../src/database/open.ts'
import { makeTransact, type Transact, type TransactFor } from '../../../src/database/transaction.ts'
import { job } from '../../../src/jobs/job-definition.ts'
import { Runner } from '../../../src/jobs/runner.ts'
import { after, type Instant } from '../../../src/kernel/clock.ts'
import { countingIds } from '../../../src/kernel/ids.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../../support/database.ts'
import { GATEWAY_SECRET, startGateway } from '../../support/gateway.ts'
import { newLiveWorld } from '../../support/live.ts'
import { invoiceBody, openSheet, PUBLIC_URL } from '../../support/payer.ts'
import { RawReceiver } from '../../support/receiver.ts'
import { INVOICES } from '../../support/shop.ts'
import { START } from '../../support/world.ts'

describe('Jobs', () => {
  let test: TestDatabase
  let database: Database
  let transactFor: TransactFor
  let transact: Transact
  let now: Instant = START
  let runner: Runner
  let release: () => void
  let held: Promise<void>
  const clock = { now: () => now }
  const begun: { text: string; account_id: string }[] = []

  beforeAll(async () => {
    test = await newDatabase()
    database = openPatiently(test.url)
    transactFor = makeTransact({
      database,
      clock,
      ids: countingIds(),
      isUrgent: (name) => name === 'money',
      onWork: () => runner.wake(),
    })
    transact = transactFor({ kind: 'service', task: 'test' })
  })
  afterAll(async () => {
    await database.close()
    await test.drop()
  })
  beforeEach(async () => {
    now = START
    begun.length = 0
    held = new Promise((resolve) => {
      release = resolve
    })
    const run = async (payload: { text: string; account_id: string }) => {
      begun.push(payload)
      if (payload.text.startsWith('slow')) await held
    }
    const definitions = ['mail', 'money'].map((name) => job({ name, retryAfter: [], run }))
    await database.query('truncate jobs')
    runner = new Runner({ database, transactFor, clock, definitions })
  })

  const enqueue = (account_id: string, text: string, { name = 'mail', count = 1, runAt = now } = {}) =>
    transact(async (tx) => {
      for (let i = 0; i < count; i++) tx.enqueue({ name, payload: { account_id, text: `${text} ${i}` }, runAt })
    })
  const begunOf = (account: string) => begun.filter(({ account_id }) => account_id === account).map(({ text }) => text)
  const ended = async () => {
    release()
    await runner.whenIdle()
    const { rows } = await database.query('select count(*)::int as left from jobs')
    return rows[0].left === 0
  }

  it('of one account that are slow and many leave slots for those of others', async () => {
    await enqueue('A', 'slow', { count: 40 })
    await expect.poll(() => begunOf('A').length).toBe(3)
    await enqueue('B', 'quick', { count: 5 })
    await expect.poll(() => begunOf('B').length).toBe(5)

    expect(begunOf('A')).toHaveLength(3)
    expect(await ended()).toBe(true)
    expect(begunOf('A')).toHaveLength(40)
  })

  it('about money do not wait, however many others of all accounts are under way', async () => {
    for (const account of ['A', 'B', 'C', 'D', 'E']) await enqueue(account, 'slow', { count: 10 })
    await expect.poll(() => begun.length).toBe(10)
    await enqueue('A', 'charge', { name: 'money' })
    await expect.poll(() => begunOf('A').at(-1)).toBe('charge 0')

    expect(await ended()).toBe(true)
  })

  it('of more accounts than there are slots, or than one claim looks at, all get their turn', async () => {
    await enqueue('A0', 'slow', { count: 5 })
    await expect.poll(() => begun.length).toBe(3)
    const accounts = Array.from({ length: 200 }, (_, i) => `B${String(i).padStart(3, '0')}`)
    await transact(async (tx) => {
      for (const account_id of accounts)
        for (const text of ['first', 'second', 'third', 'fourth'])
          tx.enqueue({ name: 'mail', payload: { account_id, text } })
    })
    await expect.poll(() => begun.length).toBe(3 + 800)

    for (const account of accounts) expect(begunOf(account).sort()).toEqual(['first', 'fourth', 'second', 'third'])
    expect(await ended()).toBe(true)
  })

  it('that lie ahead are found when their time has come, and run in its order', async () => {
    await enqueue('A', 'later', { runAt: after(START, 60) })
    await enqueue('A', 'sooner', { runAt: after(START, 30) })
    await enqueue('A', 'now')
    await expect.poll(() => begunOf('A')).toEqual(['now 0'])
    now = after(START, 60)
    runner.wake()
    await runner.whenIdle()

    expect(begunOf('A')).toEqual(['now 0', 'sooner 0', 'later 0'])
  })

  it('of processes before the update, which say neither class nor account, are run too', async () => {
    await database.query(
      `insert into jobs (name, payload, run_at, create_time) values ('mail', '{"text":"old"}', $1, $1)`,
      [START],
    )
    runner.wake()
    await runner.whenIdle()

    expect(begun).toMatchObject([{ text: 'old' }])
    expect(await ended()).toBe(true)
  })
})

describe('A merchant whose mail server hangs', () => {
  it('does not keep the payer of another waiting for the gateway', async () => {
    const gateway = await startGateway()
    const hanging = await RawReceiver.open(() => {})
    const settings = {
      PUBLIC_URL,
      SHUTDOWN_GRACE_SECONDS: '0',
      GATEWAY_URL: gateway.url,
      GATEWAY_SECRET,
      GATEWAY_ALLOW_HTTP: 'true',
      GATEWAY_ALLOW_PRIVATE: 'true',
      SMTP_URL: `smtp://127.0.0.1:${hanging.port}`,
      SMTP_ALLOW_PRIVATE: 'true',
      SMTP_ALLOW_PLAIN: 'true',
      MAIL_PER_INVOICE_PER_DAY: '0',
    }
    const world = await newLiveWorld(settings, { works: true })
    const scopes = defaultScopes('BUSINESS', ['invoicing', 'payments'])
    const loud = await world.personWithApp(world.people.merchant.id, scopes)
    const quiet = await world.personWithApp(world.people.otherMerchant.id, scopes)
    const sent = async (merchant: typeof loud) => {
      const { body } = await merchant.post<{ id: string }>(INVOICES, invoiceBody())
      await merchant.post(`${INVOICES}/${body.id}/send`, {})
      return body.id
    }
    const id = await sent(loud)
    for (let i = 0; i < 15; i++)
      await loud.put(`${INVOICES}/${id}`, invoiceBody({}, { note: `Version ${i}` }), {
        query: { send_to_recipient: 'true' },
      })
    await expect.poll(() => hanging.connections).toBeGreaterThan(0)

    const other = await sent(quiet)
    const { send } = await openSheet(world, `/invoice/p/${other.replace('INV2-', '').replaceAll('-', '')}`)
    expect((await send()).status).toBe(303)
    await expect.poll(() => gateway.charges.size).toBe(1)

    const { rows } = await world.app.database.query(
      "select count(*)::int as waiting from jobs where name = 'send-mail' and account_id = $1",
      [world.people.merchant.id],
    )
    expect(rows[0].waiting).toBeGreaterThan(10)
    await hanging.close()
    await world.app.database.query("delete from jobs where name = 'send-mail'")
    await world.close()
    await gateway.close()
  })
})
