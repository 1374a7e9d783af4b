import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/database/open.ts'
import { statementOf } from '../../../src/database/sql.ts'
import { type ClaimedDelivery, record } from '../../../src/webhooks/delivery/queue.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../../support/database.ts'
import { asArrived, claimQueued, queueDeliveries } from '../../support/deliveries.ts'

const setting = statementOf("select current_setting('synchronous_commit') as commits")

describe('The connection that deliveries were claimed and recorded on', () => {
  let server: TestDatabase
  let database: Database
  beforeAll(async () => {
    server = await newDatabase()
    const before = openPatiently(server.url, { connectionsMax: 2 })
    await before.rows(
      statementOf(
        "do $$ begin execute format('alter database %I set synchronous_commit = on', current_database()); end $$",
      ),
    )
    await before.close()
    // One connection for statements that stand alone, so that the last ones share it with the first.
    database = openPatiently(server.url, { connectionsMax: 2 })
    await queueDeliveries(database, 1)
  })
  afterAll(async () => {
    await database.close()
    await server.drop()
  })

  const commits = async () => (await database.row<{ commits: string }>(setting))!.commits
  let claimed: readonly ClaimedDelivery[]

  it('waits for the disk again after a claim', async () => {
    expect(await commits()).toBe('on')
    claimed = await claimQueued(database, 1)
    expect(claimed).toHaveLength(1)
    expect(await commits()).toBe('on')
  })

  it('waits for the disk again after a result', async () => {
    await record(database, claimed.map(asArrived))
    expect(await database.rows(statementOf('select from delivery_queue'))).toHaveLength(0)
    expect(await commits()).toBe('on')
  })
})
