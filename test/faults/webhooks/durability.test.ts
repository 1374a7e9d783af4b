import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Database, openDatabase } from '../../../src/database/open.ts'
import { statementOf } from '../../../src/database/sql.ts'
import type { Instant } from '../../../src/kernel/clock.ts'
import { lanes } from '../../../src/webhooks/lanes.ts'
import { type ClaimedDelivery, claimDeliveries, record } from '../../../src/webhooks/queue.ts'
import { newDatabase, type TestDatabase } from '../../support/database.ts'

const now = '2026-03-01T09:00:00.000Z' as Instant
const setting = statementOf("select current_setting('synchronous_commit') as commits")

describe('The connection that deliveries were claimed and recorded on', () => {
  let server: TestDatabase
  let database: Database
  beforeAll(async () => {
    server = await newDatabase()
    const before = openDatabase(server.url, { connectionsMax: 2 })
    await before.rows(
      statementOf(
        "do $$ begin execute format('alter database %I set synchronous_commit = on', current_database()); end $$",
      ),
    )
    await before.close()
    // One connection for statements that stand alone, so that the last ones share it with the first.
    database = openDatabase(server.url, { connectionsMax: 2 })
    await database.rows(
      statementOf(`insert into delivery_queue (account_id, id, webhook_id, event_account_id, event_id, seq, resource_id,
          transmit_time, lane, attempts, next_time)
        values ('A', gen_random_uuid(), 'W', 'A', 'E', 1, 'R', $1, 0, 0, $1)`),
      [now],
    )
  })
  afterAll(async () => {
    await database.close()
    await server.drop()
  })

  const commits = async () => (await database.row<{ commits: string }>(setting))!.commits
  let claimed: readonly ClaimedDelivery[]

  it('waits for the disk again after a claim', async () => {
    expect(await commits()).toBe('on')
    const claim = { lane: lanes.proven, afterWebhook: '', busy: [], webhooks: 10, each: 8, count: 75 }
    claimed = (await claimDeliveries(database, claim, now)).claimed
    expect(claimed).toHaveLength(1)
    expect(await commits()).toBe('on')
  })

  it('waits for the disk again after a result', async () => {
    const { account_id, id, claim } = claimed[0]!
    await record(database, [
      {
        account_id,
        id,
        claim,
        lane: lanes.proven,
        status: 'SUCCESS',
        url: 'https://example.com/',
        attempt_time: now,
        http_status: 200,
        reason: 'OK',
        duration_ms: 1,
        headers: {},
        body: '',
        error: null,
      },
    ])
    expect(await database.rows(statementOf('select from delivery_queue'))).toHaveLength(0)
    expect(await commits()).toBe('on')
  })
})
