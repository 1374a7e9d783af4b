import { afterAll, beforeAll, expect, it } from 'vitest'
import { findApp } from '../../../src/accounts/store.ts'
import { REPLAY_MAX } from '../../../src/webhooks/schema.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, type World } from '../../support/world.ts'

const root = '/v1/notifications'

let world: World
let receiver: Receiver
beforeAll(async () => {
  world = await newWorld()
  receiver = await Receiver.open()
})
afterAll(async () => {
  await receiver.close()
  await world.close()
})

it('A replay of what failed finds it behind all that happened before there was a webhook', async () => {
  const { merchant } = world
  const { id: app, account_id } = (await findApp(world.app.database, merchant.clientId))!
  await world.app.database.query(
    `with told as (
       insert into events (account_id, id, app_id, type, resource_id, body, create_time)
       select $1, 'WH-OLD-' || n, $2, 'INVOICING.INVOICE.CREATED', 'INV2-' || n, '{}', $3 from generate_series(1, $4::int) n
       returning *)
     insert into event_audience (account_id, app_id, event_id, event_account_id, event_type, seq, create_time)
     select account_id, app_id, id, account_id, type, seq, create_time from told`,
    [account_id, app, world.now(), REPLAY_MAX],
  )
  const webhook = await merchant.post<{ id: string }>(`${root}/webhooks`, {
    url: receiver.url(),
    event_types: [{ name: '*' }],
  })
  receiver.behaviour = { status: 410 }
  const missed = await merchant.post<{ id: string }>(`${root}/simulate-event`, {
    event_type: 'INVOICING.INVOICE.CREATED',
    webhook_id: webhook.body.id,
  })
  await world.settle()
  receiver.behaviour = { status: 200 }
  receiver.forget()

  const replayed = await merchant.post(`${root}/webhooks/${webhook.body.id}/replay`, {
    start_time: '2026-01-01T00:00:00Z',
    end_time: world.now(),
  })
  await world.settle()

  expect(replayed.body).toEqual({ replayed: 1 })
  expect(receiver.received.map(({ event }) => event.id)).toEqual([missed.body.id])
})
