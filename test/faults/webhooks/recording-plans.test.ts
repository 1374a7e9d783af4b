import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Connection, Database } from '../../../src/database/open.ts'
import { statementOf } from '../../../src/database/sql.ts'
import { type ClaimedDelivery, record, release, renew } from '../../../src/webhooks/delivery/queue.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../../support/database.ts'
import { asArrived, claimQueued, queueDeliveries } from '../../support/deliveries.ts'
import { pairsLeftOut, planModes, planOf, rowsRead, type Sent } from '../../support/plans.ts'

const BATCH = 1_000

describe('A large batch of deliveries', () => {
  let server: TestDatabase
  let database: Database
  let held: readonly ClaimedDelivery[]
  beforeAll(async () => {
    server = await newDatabase()
    database = openPatiently(server.url, { connectionsMax: 2 })
    // A queue that is small whenever it is counted: the plan is made for that, and kept.
    await database.rows(statementOf('alter table delivery_queue set (autovacuum_enabled = false)'))
    await queueDeliveries(database, BATCH)
    held = await claimQueued(database, BATCH)
    expect(held).toHaveLength(BATCH)
  })
  afterAll(async () => {
    await database.close()
    await server.drop()
  })

  /** What is asked of a database by somebody who then does without the answer. */
  async function askedBy(work: (database: Connection) => Promise<void>): Promise<Sent> {
    const asked: Sent[] = []
    const listening = {
      ...database,
      rows: async ({ text }: { text: string }, values: readonly unknown[]) => {
        asked.push({ text, values })
        return []
      },
    }
    await work(listening as never)
    expect(asked).toHaveLength(1)
    return asked[0]!
  }

  it.each<[string, (database: Connection) => Promise<void>]>([
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
  ])('that %s is found without comparing every row of it with every other', async (_, work) => {
    const statement = await askedBy(work)
    for (const mode of planModes) {
      const plan = await planOf(database, statement, mode)
      expect(pairsLeftOut(plan)).toBeLessThan(BATCH)
      expect(rowsRead(plan)).toBeLessThan(20 * BATCH)
    }
  })
})
