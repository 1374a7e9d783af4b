import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { addressOf } from '../../src/database/address.ts'
import { Broadcast } from '../../src/database/broadcast.ts'
import { Connector } from '../../src/database/connector.ts'
import { migrate } from '../../src/database/migrate.ts'
import type { Database } from '../../src/database/open.ts'
import { keepsStatements } from '../../src/database/pooler.ts'
import { sql } from '../../src/database/sql.ts'
import { run } from '../support/command.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../support/database.ts'
import { invoiceBody } from '../support/payer.ts'
import { Receiver } from '../support/receiver.ts'
import { TransactionPooler } from '../support/transaction-pooler.ts'
import { newWorld, usd, type World } from '../support/world.ts'

const nowhere = 'postgres://nobody@127.0.0.1:1/none'
const me = sql`select pg_backend_pid() as pid`
const echo = sql`select $1::int as i, pg_sleep(0.01)::text as slept`
const settings = sql`
  select current_setting('statement_timeout') as statement, current_setting('enable_seqscan') as scans`

describe('A service behind a pooler in transaction mode', () => {
  let pooler: TransactionPooler
  let world: World
  let receiver: Receiver
  beforeAll(async () => {
    receiver = await Receiver.open()
    world = await newWorld({
      works: true,
      settings: { WEBHOOK_SIGNATURES: 'standard' },
      through: async (directUrl) => {
        pooler = await TransactionPooler.before(directUrl)
        return { databaseUrl: pooler.url, directUrl }
      },
    })
  })
  afterAll(async () => {
    await world.close()
    await pooler.close()
    await receiver.close()
  })

  it('does all it does elsewhere: numbers, locks, money, jobs and deliveries', async () => {
    const { merchant } = world
    await merchant.post('/v1/notifications/webhooks', { url: receiver.url(), event_types: [{ name: '*' }] })
    const numbers = await Promise.all(
      Array.from({ length: 5 }, async () => {
        const made = await merchant.post<{ id: string; detail: { invoice_number: string } }>(
          '/v2/invoicing/invoices',
          invoiceBody(),
          { headers: { prefer: 'return=representation' } },
        )
        expect(made.status, made.text).toBe(201)
        expect((await merchant.post(`/v2/invoicing/invoices/${made.body.id}/send`, {})).status).toBeLessThan(300)
        expect((await world.call('POST', `/sandbox/invoices/${made.body.id}/pay`)).status).toBe(201)
        return made.body.detail.invoice_number
      }),
    )
    expect(new Set(numbers).size).toBe(5)

    const { body: sale } = await world.call<{ buyer_transaction_id: string; seller_transaction_id: string }>(
      'POST',
      '/sandbox/transactions',
      { amount: usd('20.00') },
    )
    const opened = await world.buyer.post('/v1/customer/disputes', {
      disputed_transactions: [{ buyer_transaction_id: sale.buyer_transaction_id }],
      reason: 'MERCHANDISE_OR_SERVICE_NOT_RECEIVED',
    })
    expect(opened.status).toBe(201)
    const refunds = await Promise.all(
      [1, 2, 3].map(() => merchant.post(`/v2/payments/captures/${sale.seller_transaction_id}/refund`, {})),
    )
    expect(refunds.filter(({ status }) => status >= 500)).toEqual([])
    expect((await merchant.get('/v2/invoicing/invoices?total_required=true')).body).toMatchObject({ total_items: 5 })
    await receiver.has(5 * 2)
    expect(pooler.refused).toEqual([])
  })

  it('keeps and forks whole worlds, around the pooler', async () => {
    expect((await world.call('POST', '/sandbox/snapshots', { name: 'before' })).status).toBeLessThan(300)
    const fork = await world.call<{ name: string }>('POST', '/sandbox/forks')
    expect(fork.status, fork.text).toBe(201)
    expect((await world.call('DELETE', `/sandbox/forks/${fork.body.name}`)).status).toBeLessThan(300)
  })
})

describe('A pooler in transaction mode', () => {
  let own: TestDatabase
  let pooler: TransactionPooler
  let pooled: Database
  let direct: Database
  beforeAll(async () => {
    own = await newDatabase()
    await migrate(own.url, { pooled: true })
    pooler = await TransactionPooler.before(own.url)
    pooled = openPatiently(pooler.url, { pooled: true, connectionsMax: 8 })
    direct = openPatiently(own.url, { connectionsMax: 2 })
  })
  afterAll(async () => {
    await pooled.close()
    await direct.close()
    await pooler.close()
    await own.drop()
  })

  it('lends servers that have our settings, by the role', async () => {
    expect(await pooled.row(settings)).toEqual({ statement: '5s', scans: 'off' })
  })

  it('lends a transaction one server and statements any', async () => {
    const pids = await pooled.transaction(async (one) => {
      const before = await one.rows(me)
      await Promise.all(Array.from({ length: 20 }, () => pooled.rows(me)))
      return [before, await one.rows(me)]
    })

    expect(pids[0]).toEqual(pids[1])
  })

  it('is not taken for one that keeps prepared statements, whichever servers one is led to', async () => {
    const connector = new Connector(addressOf(pooler.url), {}, { pooled: true })

    for (let i = 0; i < 5; i++) {
      await Promise.all(Array.from({ length: 8 }, () => pooled.rows(me)))
      expect(await keepsStatements(connector)).toBe(false)
    }
  })

  it('is noticed by who took it for one that keeps statements: each is answered, and none is named any more', async () => {
    // As a service is left when its pooler is given other settings.
    const forgetful = await TransactionPooler.before(own.url, { takes: ['options'] })
    const trusting = openPatiently(forgetful.url, { connectionsMax: 8 })
    const numbers = Array.from({ length: 40 }, (_, i) => i)
    const asked = await Promise.all(numbers.map((i) => trusting.rows<{ i: number }>(echo, [i])))
    expect(asked.map(([row]) => row!.i)).toEqual(numbers)

    const named = () => trusting.transaction((one) => one.rows<{ i: number }>(echo, [1]))
    expect(await named()).toMatchObject([{ i: 1 }])
    await trusting.close()
    await forgetful.close()
  })

  it('that has a single server to lend is not held up by who finds out whether it keeps statements', async () => {
    const bare = await newDatabase()
    const narrow = await TransactionPooler.before(bare.url, { servers: 1 })
    const service = openPatiently(narrow.url, { pooled: true, connectTimeoutMs: 30_000 })

    // One of its two clients holds the server and the other waits for it, which nothing else would end.
    expect(await service.rows(me)).toHaveLength(1)
    await service.close()
    await narrow.close()
    await bare.drop()
  })

  it('is gone around by what listens', async () => {
    let heard = 0
    const broadcast = new Broadcast(own.url, pooled)
    broadcast.on('jobs', () => heard++)
    await broadcast.listen()

    await pooled.rows(sql`select pg_notify('quittance', 'jobs')`)

    await expect.poll(() => heard).toBe(1)
    await broadcast.close()
  })

  it.each(['migrate', 'start'])('without a way around it refuses to %s, and says what to set', async (command) => {
    const { code, stderr } = await run([command], { DATABASE_URL: pooler.url, PORT: '0' })

    expect(stderr).toMatch(/^quittance: .*transaction mode.*set DATABASE_DIRECT_URL/)
    expect(code).toBe(1)
  })

  it.each(['check', 'start'])('and a way to another database are refused by %s', async (command) => {
    const other = await newDatabase()
    const { code, stdout, stderr } = await run([command], {
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: other.url,
      PORT: '0',
    })
    await other.drop()

    expect(stdout + stderr).toContain('DATABASE_DIRECT_URL leads to another database than DATABASE_URL')
    expect(code).toBe(command === 'check' ? 1 : 2)
  })

  it.each(['check', 'start'])('that is not there is noticed by %s, beside a way around it', async (command) => {
    const { code, stdout, stderr } = await run([command], {
      DATABASE_URL: nowhere,
      DATABASE_DIRECT_URL: own.url,
      PORT: '0',
    })

    expect(stdout + stderr).toContain('No PostgreSQL listens at 127.0.0.1:1/none: start it, or correct DATABASE_URL.')
    expect(code).toBe(1)
  })

  it.each(['check', 'start', 'migrate', 'apps list'])('is not blamed by %s for the way around it', async (command) => {
    const { code, stdout, stderr } = await run(command.split(' '), {
      DATABASE_URL: pooler.url,
      DATABASE_DIRECT_URL: nowhere,
      PORT: '0',
    })

    expect(stdout + stderr).toContain(
      'No PostgreSQL listens at 127.0.0.1:1/none: start it, or correct DATABASE_DIRECT_URL.',
    )
    expect(code).toBe(1)
  })

  it('is needed beside the way around it', async () => {
    const { code, stderr } = await run(['start'], { DATABASE_DIRECT_URL: own.url, PORT: '0' })

    expect(stderr).toBe(
      'quittance: DATABASE_DIRECT_URL goes with DATABASE_URL, which is the address of a pooler: set both.\n',
    )
    expect(code).toBe(2)
  })
})
