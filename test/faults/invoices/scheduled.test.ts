import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type App, openApp } from '../../../src/app.ts'
import { act } from '../../../src/invoices/act.ts'
import type { Instant } from '../../../src/kernel/clock.ts'
import { randomIds } from '../../../src/kernel/ids.ts'
import { SandboxClock } from '../../../src/sandbox/clock.ts'
import { startService } from '../../support/process.ts'
import { over, shopOf } from '../../support/shop.ts'
import { withoutGuard } from '../../support/unguarded.ts'
import { newWorld, patient, type World } from '../../support/world.ts'

const INVOICES = 16
/** The day the clocks go forward in California: seven in the morning is one hour earlier than the day before. */
const ISSUE_DATE = '2026-03-08'
const ISSUE_TIME = '2026-03-08T14:00:00.000Z' as Instant

/** Waits until something is true; what it waits for happens in another process. */
const until = (isTrue: () => Promise<boolean>) => expect.poll(isTrue, { interval: 2 }).toBe(true)

describe('Scheduled invoices are sent exactly once', () => {
  let world: World
  let shop: ReturnType<typeof shopOf>
  let scheduled: string[]
  beforeAll(async () => {
    world = await newWorld()
    shop = shopOf(world)
    await shop.watchMails()
  })
  afterAll(() => world.close())

  async function schedule(invoice_date = ISSUE_DATE): Promise<string[]> {
    const ids: string[] = []
    for (let n = 0; n < INVOICES; n++) ids.push((await shop.sends(over('10.00', {}, { invoice_date }))).id)
    return ids
  }
  const count = async (statement: string) => {
    const { rows } = await world.app.database.query<{ count: number }>(statement, [scheduled])
    return rows[0]!.count
  }
  const sent = () =>
    count("select count(*)::int from events where type = 'INVOICING.INVOICE.SENT' and resource_id = any($1)")
  const mails = () => count("select count(*)::int from enqueued_mails where payload->>'invoice_id' = any($1)")
  const left = () => count("select count(*)::int from jobs where key like 'issue:%' and substr(key, 7) = any($1)")

  async function expectEachSentOnce(): Promise<void> {
    expect(await sent()).toBe(INVOICES)
    expect(await count('select count(distinct resource_id)::int from events where resource_id = any($1)')).toBe(
      INVOICES,
    )
    expect(await mails()).toBe(2 * INVOICES)
    for (const id of scheduled) expect((await shop.sees(id)).status).toBe('SENT')
  }

  it('by workers of which one is killed in the middle, on the day the clocks change', async () => {
    scheduled = await schedule()
    await new SandboxClock(world.app.database).set(`2026-03-08T13:59:59.000Z` as Instant, true)
    const variables = { DATABASE_URL: world.databaseUrl, LOG_LEVEL: 'error' }
    const first = await startService(variables, 'work')
    expect(await sent()).toBe(0)

    // Seven o'clock: the first worker begins and is killed; what it held is given to another as if its lease ran out.
    await world.app.database.query('update clock set frozen_time = $1', [ISSUE_TIME])
    await world.app.database.query("select pg_notify('quittance', 'clock'), pg_notify('quittance', 'jobs')")
    await until(async () => (await sent()) > 0)
    await first.end('SIGKILL')
    await world.app.database.query(
      "update jobs set lease_until = now() - interval '1 second' where lease_until is not null",
    )
    const other = await startService(variables, 'work')
    await until(async () => (await left()) === 0)
    await other.end('SIGTERM')

    await expectEachSentOnce()
  })

  it('by two workers at the same time', async () => {
    await new SandboxClock(world.app.database).set('2026-03-09T09:00:00.000Z' as Instant, true)
    const rival: App = await openApp({
      ...patient,
      settings: world.app.service.settings,
      databaseUrl: world.databaseUrl,
      log: pino({ level: 'error' }),
      ids: randomIds,
      works: true,
    })
    await world.call('POST', '/sandbox/clock', { to: '2026-03-09T09:00:00Z' })
    scheduled = await schedule('2026-03-12')

    await shop.pass('P5D')
    await until(async () => (await left()) === 0)
    await rival.close()

    await expectEachSentOnce()
  })

  const issueAtOnce = async (wrap: typeof withoutGuard) => {
    const { id } = await shop.sends(over('10.00', {}, { invoice_date: '2026-12-24' }))
    await shop.pass('PT1S')
    await world.app.database.query(
      `update invoices set body = jsonb_set(body, '{detail,invoice_date}', '"2026-03-01"') where id = $1`,
      [id],
    )
    const target = { accountId: world.people.merchant.id, id }
    const attempt = () =>
      world.app.transact((tx) => act(world.app.service, wrap(tx), 'clock', target, 'issue', undefined)).catch(() => {})
    await Promise.all(Array.from({ length: 50 }, attempt))
    return (await shop.events(id)).filter((type) => type === 'SENT').length
  }

  it('however many try at the same moment', async () => {
    expect(await issueAtOnce((tx) => tx)).toBe(1)
  })

  it('and more than once without the guard of the version', async () => {
    const { query } = world.app.database
    // The log takes one move from each version, which would catch it as well.
    await query('alter table invoice_transitions drop constraint invoice_transitions_pkey')

    expect(await issueAtOnce(withoutGuard)).toBeGreaterThan(1)
    await query('truncate invoices, invoice_transitions cascade')
  })
})
