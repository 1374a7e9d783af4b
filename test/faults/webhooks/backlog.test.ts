import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionSettings } from '../../../src/database/address.ts'
import { newWorld, type World } from '../../support/world.ts'

describe('A webhook for which more waits than a request has time to drop', () => {
  let world: World
  let other: pg.Client
  beforeAll(async () => {
    world = await newWorld()
    other = new pg.Client(connectionSettings(world.databaseUrl))
    await other.connect()
  })
  afterAll(async () => {
    await other.end()
    await world.close()
  })

  /** A webhook with an event that waits, and 2,500 more; somebody holds the last of them. */
  async function withBacklog(): Promise<string> {
    const webhook = { url: `https://${(await world.events()).length}.receiver.test/`, event_types: [{ name: '*' }] }
    const { body } = await world.merchant.post<{ id: string }>('/v1/notifications/webhooks', webhook)
    await world.merchant.post('/v2/invoicing/invoices', { detail: { currency_code: 'USD' } })
    await world.app.database.query(
      `with sent as (
         insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, seq, round, resource_id, transmit_time)
         select account_id, gen_random_uuid(), app_id, webhook_id, event_account_id, event_id, event_type, seq, n,
           'R' || lpad(n::text, 9, '0'), transmit_time
         from deliveries cross join generate_series(1, 2500) as n where webhook_id = $1 returning *)
       insert into delivery_queue (account_id, id, webhook_id, event_account_id, event_id, seq, resource_id, transmit_time, lane, attempts, next_time)
       select account_id, id, webhook_id, event_account_id, event_id, seq, resource_id, transmit_time, 1, 0, transmit_time from sent`,
      [body.id],
    )
    await other.query('begin')
    await other.query('select from delivery_queue where webhook_id = $1 order by resource_id desc limit 1 for update', [
      body.id,
    ])
    return body.id
  }
  /** How many there are of each kind. */
  const standing = async (id: string) => {
    const { rows } = await world.app.database.query<{ failed: number; waiting: number; all: number }>(
      `select count(*)::int as all, count(d.failure)::int as failed, count(q.id)::int as waiting
       from deliveries d left join delivery_queue q on q.account_id = d.account_id and q.id = d.id where d.webhook_id = $1`,
      [id],
    )
    return rows[0]
  }

  it('is disabled at once; what waited has failed a moment later', async () => {
    const id = await withBacklog()

    const disabled = await world.merchant.post(`/v1/notifications/webhooks/${id}/disable`)
    await other.query('rollback')

    expect(disabled.status).toBe(200)
    await world.settle()
    expect(await standing(id)).toEqual({ all: 2501, failed: 2501, waiting: 0 })
  })

  it('is deleted at once; what waited is gone a moment later', async () => {
    const id = await withBacklog()

    const deleted = await world.merchant.delete(`/v1/notifications/webhooks/${id}`)
    await other.query('rollback')

    expect(deleted.status).toBe(204)
    await world.settle()
    expect(await standing(id)).toEqual({ all: 0, failed: 0, waiting: 0 })
  })
})
