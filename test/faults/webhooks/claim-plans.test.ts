import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Connection, Database } from '../../../src/database/open.ts'
import { sql, unprepared } from '../../../src/database/sql.ts'
import { ANY_WEBHOOK, beforeAccounts, endpointOf } from '../../../src/webhooks/delivery/free-address.ts'
import { move } from '../../../src/webhooks/delivery/queue.ts'
import { Recount } from '../../../src/webhooks/delivery/recount.ts'
import { DeliveryWork } from '../../../src/webhooks/delivery/work.ts'
import { lanes } from '../../../src/webhooks/dispatch/lanes.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../../support/database.ts'
import { claimQueued, queueDeliveries } from '../../support/deliveries.ts'
import { askedBy, planOf, rowsRead } from '../../support/plans.ts'
import { newWorld, patient, type World } from '../../support/world.ts'

const CLAIMED = 250
const ENDPOINTS = 100
const BURST = 4_000

const uncounted = unprepared('alter table delivery_queue set (autovacuum_enabled = false)')
/** How often rows were changed since the queue was last counted. PostgreSQL tells it up to a second later. */
const changes = sql`select n_mod_since_analyze::int as n from pg_stat_user_tables where relname = 'delivery_queue'`
const changesIn = (database: Database) => async () => (await database.row<{ n: number }>(changes))!.n
const inTime = { timeout: 20_000 }
const unexpected = (error: unknown): never => {
  throw error
}

const count = ({ rows }: Connection) => rows(unprepared('analyze delivery_queue'))

/** So many deliveries to webhooks and as many to free addresses in the lane of the claim, and as many in the others. */
async function queue(connection: Connection, each: number): Promise<void> {
  const accounts = Math.min(each, ENDPOINTS)
  await queueDeliveries(connection, each, { lane: lanes.unproven, webhook: 'A', accounts })
  await queueDeliveries(connection, each, { webhook: 'W', accounts })
  await queueDeliveries(connection, each, { webhook: ANY_WEBHOOK, accounts })
  await queueDeliveries(connection, each, { lane: lanes.cold, webhook: 'Z', accounts })
}

/** How many rows a claim reads, of webhooks or of free addresses, with a plan that was made before the rest came. */
async function readBy(database: Database, afterWebhook: string, before?: (connection: Connection) => Promise<unknown>) {
  const statement = await askedBy((asked) => claimQueued(asked, CLAIMED, { afterWebhook, each: 3 }))
  const stages = before && { before, between: (connection: Connection) => queue(connection, BURST) }
  return rowsRead(await planOf(database, statement, 'force_generic_plan', stages))
}

/** What a claim takes is read twice, and found one line at a time. */
const few = (read: number) => expect([read > 2 * CLAIMED, read < 5 * CLAIMED]).toEqual([true, true])

describe('A claim out of a queue that grew within a minute', () => {
  let server: TestDatabase
  let database: Database
  beforeAll(async () => {
    server = await newDatabase()
    // A claim that reads what it should not is to be seen, however long it takes.
    database = openPatiently(server.url, { connectionsMax: 2, statementTimeoutMs: 60_000 })
    await database.rows(uncounted)
  })
  afterAll(async () => {
    await database.close()
    await server.drop()
  })

  const known: [string, (connection: Connection) => Promise<unknown>][] = [
    ['was never counted', async () => {}],
    ['was counted while it was empty', count],
    [
      'was counted when one waited',
      async (connection) => {
        await queueDeliveries(connection, 1)
        await count(connection)
      },
    ],
  ]

  it.each(known)('and %s goes from line to line', async (_, before) => {
    for (const afterWebhook of ['', beforeAccounts]) few(await readBy(database, afterWebhook, before))
  })

  it.each(known)('of which one line changes its lane, and %s, is read in that line alone', async (_, before) => {
    const statement = await askedBy((asked) => move(asked, endpointOf(ANY_WEBHOOK, 'A1'), lanes.cold))
    const between = (connection: Connection) => queue(connection, BURST)
    const read = rowsRead(await planOf(database, statement, 'force_generic_plan', { before, between }))

    // What is moved is read twice.
    expect(read).toBe((2 * BURST) / ENDPOINTS)
  })

  it('and was counted when few were left of many goes so once it is counted again', async () => {
    await queue(database, BURST)
    await database.rows(unprepared('delete from delivery_queue'))
    await queue(database, 1)
    await count(database)
    await queue(database, BURST)
    expect(await readBy(database, '')).toBeGreaterThan(100 * CLAIMED)
    await expect.poll(changesIn(database), inTime).toBeGreaterThanOrEqual(4 * BURST)

    const recount = new Recount(database, unexpected, 0)
    recount.took(1)
    await recount.close()

    expect(await changesIn(database)()).toBe(0)
    for (const afterWebhook of ['', beforeAccounts]) few(await readBy(database, afterWebhook))
  })
})

describe('A claim that takes long', () => {
  let world: World
  let asking: Database
  beforeEach(async () => {
    world = await newWorld({ isOwn: true })
    asking = openPatiently(world.databaseUrl, { statementTimeoutMs: 200 })
    await world.app.database.rows(uncounted)
    await queueDeliveries(world.app.database, 1_500, { at: '2999-01-01T00:00:00.000Z' })
    await expect.poll(changesIn(world.app.database), inTime).toBe(1_500)
  })
  afterEach(async () => {
    await asking.close()
    await world.app.database.rows(unprepared('delete from delivery_queue'))
    await world.close()
  })

  const working = (slowMs: number, onError: (error: unknown) => void) => {
    const { service, clock } = world.app
    return new DeliveryWork(service, { ...patient, database: asking, clock, onError }, { slowMs })
  }

  it('has the queue counted', async () => {
    const work = working(0, unexpected)
    work.wake()

    await expect.poll(changesIn(world.app.database), inTime).toBe(0)
    await work.close()
  })

  it('has it counted also when it is given up', async () => {
    const errors: unknown[] = []
    const work = working(100, (error) => errors.push(error))
    await world.app.database.transaction(async ({ rows }) => {
      await rows(unprepared('lock table webhooks in access exclusive mode'))
      work.wake()

      await expect.poll(changesIn(world.app.database), inTime).toBe(0)
    })
    await work.close()
    expect(String(errors[0])).toMatch('statement timeout')
  })
})
