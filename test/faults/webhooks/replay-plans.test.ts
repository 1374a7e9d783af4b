import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { findApp } from '../../../src/accounts/store.ts'
import { run } from '../../support/command.ts'
import { planModes, planOf, rowsRead, type Sent } from '../../support/plans.ts'
import { newWorld, type World } from '../../support/world.ts'

const MANY = 1_000
const root = '/v1/notifications'

describe('On tables that were never counted', () => {
  let world: World
  let hook: string
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
    const { database } = world.app
    for (const table of ['events', 'event_audience', 'deliveries', 'delivery_queue'])
      await database.query(`alter table ${table} set (autovacuum_enabled = false)`)
    const made = await world.merchant.post<{ id: string }>(`${root}/webhooks`, {
      url: 'https://lost.invalid/',
      event_types: [{ name: '*' }],
    })
    hook = made.body.id
    const { id: app, account_id } = (await findApp(database, world.merchant.clientId))!
    await database.query(
      `with told as (
         insert into events (account_id, id, app_id, type, resource_id, body, create_time)
         select $1, 'WH-LOST-' || n, $2, 'INVOICING.INVOICE.CREATED', 'INV2-' || n, '{}', $3
         from generate_series(1, $4::int) n returning *),
       heard as (
         insert into event_audience (account_id, app_id, event_id, event_account_id, event_type, seq, create_time)
         select account_id, app_id, id, account_id, type, seq, create_time from told)
       insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, seq, resource_id,
         transmit_time, failure)
       select account_id, gen_random_uuid(), app_id, $5, account_id, id, type, seq, resource_id, create_time, 'Nobody was there.'
       from told`,
      [account_id, app, world.now(), MANY, hook],
    )
  })
  afterAll(() => world.close())

  /** How many rows of tables the server looks at for what a command asks of deliveries, planned for its values and for any. */
  async function readBy(...words: string[]): Promise<number[]> {
    const spy = vi.spyOn(pg.Client.prototype, 'query')
    const { code, stderr } = await run(['deliveries', ...words], { DATABASE_URL: world.databaseUrl })
    expect(code, stderr).toBe(0)
    const calls = spy.mock.calls.map(([query]) => query as unknown as Sent)
    spy.mockRestore()
    const asked = calls.filter(({ text }) => /\bfrom deliveries\b/.test(text ?? ''))
    expect(asked).not.toEqual([])
    const read: number[] = []
    for (const mode of planModes)
      for (const statement of asked) read.push(rowsRead(await planOf(world.app.database, statement, mode)))
    return read
  }

  it.each([['list'], ['show'], ['retry']])(
    '"deliveries %s" looks at each event that failed a few times',
    async (name) => {
      const read = await readBy(name, ...(name === 'list' ? [] : [hook]))

      // All that were looked at again and again would be a million.
      for (const rows of read) expect([rows >= MANY, rows < 20 * MANY]).toEqual([true, true])
    },
  )
})
