import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Database } from '../../../src/database/open.ts'
import { statementOf } from '../../../src/database/sql.ts'
import { move, record, release, renew } from '../../../src/webhooks/delivery/queue.ts'
import { lanes } from '../../../src/webhooks/dispatch/lanes.ts'
import { newDatabase, openPatiently, type TestDatabase } from '../../support/database.ts'
import { asArrived, claimQueued, queueDeliveries } from '../../support/deliveries.ts'

const COUNT = 40

describe('Deliveries that are held', () => {
  let server: TestDatabase
  let database: Database
  beforeAll(async () => {
    server = await newDatabase()
    database = openPatiently(server.url, { connectionsMax: 8 })
    await planWhileEmpty()
    await queueDeliveries(database, COUNT)
  })
  afterAll(async () => {
    await database.close()
    await server.drop()
  })

  /** After so many times the server keeps the plan it has, made for a queue that it knows to be empty. */
  async function planWhileEmpty(): Promise<void> {
    await database.rows(statementOf('vacuum analyze delivery_queue'))
    for (let i = 0; i < 10; i++) await claim()
  }

  const claim = () => claimQueued(database, COUNT)
  const waiting = async () => (await database.rows(statementOf('select from delivery_queue'))).length

  it('are found by way of an index, although the queue was empty when that was planned', async () => {
    const planned = statementOf(`select name, generic_plans > 0 as kept from pg_prepared_statements
      where statement like '%with recursive turn as%' and statement not like '%pg_prepared_statements%'`)
    const [claiming] = await database.rows<{ name: string; kept: boolean }>(planned)
    expect(claiming?.kept).toBe(true)
    const values = `0, '', '{}', 10, '2026-03-01T09:00:00.000Z', ${COUNT}, ${COUNT}, 1, true`
    const plan = await database.rows(statementOf(`explain execute "${claiming!.name}" (${values})`))
    expect(JSON.stringify(plan)).toMatch(/delivery_queue_of_webhook/)
    expect(JSON.stringify(plan)).not.toMatch(/Seq Scan/)
  })

  it('belong to one claim at a time, and to another only after their lease ran out', async () => {
    const first = await claim()
    expect(first).toHaveLength(COUNT)
    expect(await claim()).toHaveLength(0)

    await database.rows(statementOf("update delivery_queue set lease_until = clock_timestamp() - interval '1 second'"))
    const second = await claim()
    expect(second).toHaveLength(COUNT)
    await record(database, first.map(asArrived))
    expect(await waiting()).toBe(COUNT)
    await release(database, first)
    expect(await claim()).toHaveLength(0)
    await release(database, second)
  })

  it('leave their lane with their webhook, unless they are being recorded, and can still be recorded', async () => {
    const held = await claim()
    const laneOf = statementOf('select lane from delivery_queue group by lane order by lane')
    await database.transaction(async (connection) => {
      await connection.rows(statementOf('select from delivery_queue where id = $1 for update'), [held[0]!.id])
      await move(database, 'W', lanes.cold)
    })
    expect(await database.rows(laneOf)).toEqual([{ lane: lanes.proven }, { lane: lanes.cold }])
    expect(await claim()).toHaveLength(0)

    await record(database, held.slice(0, 2).map(asArrived))
    expect(await waiting()).toBe(COUNT - 2)
    await move(database, 'W', lanes.proven)
    await release(database, held)
  })

  it('are renewed without waiting for those that are being recorded', async () => {
    const held = await claim()
    await database.transaction(async (connection) => {
      await record(connection, held.slice(0, 1).map(asArrived))
      // On other connections: whoever waited for the first would find out when its patience for locks ends.
      await renew(database, held)
      await record(database, held.slice(1).map(asArrived))
    })
    expect(await waiting()).toBe(0)
  })
})
