import { expect, it } from 'vitest'
import { sql } from '../../src/database/sql.ts'
import { newWorld } from '../support/world.ts'

const addApp = sql`
  insert into apps select one.* from apps a cross join lateral jsonb_populate_record(a,
    '{"id": "APP-MEANWHILE", "client_id": "meanwhile"}') one
  where a.client_id = 'sandbox-merchant'`
const waitingForLocks = "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'"

it('A reset forgets what somebody wrote while it was looking for what there is', async () => {
  const world = await newWorld({ isOwn: true })
  const { database } = world.app
  const { reset } = await database.transaction(async (connection) => {
    await connection.rows(addApp)
    const answer = world.call('POST', '/sandbox/reset')
    // It has seen no such app, and waits to delete the account that the app belongs to.
    await expect.poll(async () => (await database.query(waitingForLocks)).rows.length, { timeout: 30_000 }).toBe(1)
    return { reset: answer }
  })

  expect((await reset).status).toBe(200)
  expect((await database.query("select from apps where client_id = 'meanwhile'")).rows).toEqual([])
  await world.close()
})
