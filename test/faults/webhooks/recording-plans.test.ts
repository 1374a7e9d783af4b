import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Connection, Database } from '../../../src/database/open.ts'
import { unprepared } from '../../../src/database/sql.ts'
import { type ClaimedDelivery, record, release, renew } from '../../../src/webhooks/delivery/queue.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../../support/database.ts'
import { asArrived, claimQueued, queueDeliveries } from '../../support/deliveries.ts'
import { askedBy, pagesRead, pairsLeftOut, planModes, planOf, rowsRead } from '../../support/plans.ts'

const BATCH = 1_000
const ACCOUNTS = 300

describe('A large batch of deliveries', () => {
  let server: TestDatabase
  let database: Database
  let held: readonly ClaimedDelivery[]
  beforeAll(async () => {
    server = await newDatabase()
    database = openPatiently(server.url, { connectionsMax: 2 })
    // Never counted, as when it grew within a minute.
    await database.rows(unprepared('alter table delivery_queue set (autovacuum_enabled = false)'))
    await queueDeliveries(database, 10 * BATCH, { accounts: ACCOUNTS })
    held = await claimQueued(database, BATCH, { each: 4 })
    expect(held).toHaveLength(BATCH)
  })
  afterAll(async () => {
    await database.close()
    await server.drop()
  })

  const works: [string, (database: Connection) => Promise<void>][] = [
    ['arrived', (database) => record(database, held.map(asArrived))],
    [
      'is put off',
      (database) =>
        record(
          database,
          held.map((one) => ({ ...asArrived(one), status: 'PENDING', next_time: held[0]!.next_time })),
        ),
    ],
    ['is given back', (database) => release(database, held)],
    ['is held for longer', (database) => renew(database, held)],
  ]
  /** Leaves so many for the planner to know of, and brings back the others when it has planned. */
  const knowing = (known: number) => ({
    before: async ({ rows }: Connection) => {
      await rows(unprepared('create temporary table kept as select * from delivery_queue'))
      await rows(unprepared('truncate delivery_queue'))
      await rows(unprepared(`insert into delivery_queue select * from kept limit ${known}`))
      await rows(unprepared('analyze delivery_queue'))
    },
    between: async ({ rows }: Connection) => {
      await rows(unprepared('insert into delivery_queue select * from kept on conflict do nothing'))
      await rows(unprepared('drop table kept'))
    },
  })
  const states: [string, Parameters<typeof planOf>[3]][] = [
    ['was never counted', undefined],
    ['was counted while it was empty', knowing(0)],
    ['was counted when one waited', knowing(1)],
  ]

  it.each(works.flatMap(([what, work]) => states.map(([queue, stages]) => [what, queue, work, stages] as const)))(
    'that %s is found by its ids, also in a queue that %s',
    async (_, __, work, stages) => {
      const statement = await askedBy(work)
      for (const mode of planModes) {
        const plan = await planOf(database, statement, mode, stages)
        expect(pairsLeftOut(plan)).toBeLessThan(BATCH)
        expect(rowsRead(plan)).toBeLessThan(5 * BATCH)
        expect(pagesRead(plan)).toBeLessThan(40 * BATCH)
      }
    },
  )
})
