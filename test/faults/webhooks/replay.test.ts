import { afterAll, beforeAll, expect, it } from 'vitest'
import { findApp } from '../../../src/accounts/store.ts'
import { REPLAY_MAX } from '../../../src/webhooks/schema.ts'
import { run } from '../../support/command.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, type World } from '../../support/world.ts'

const root = '/v1/notifications'

let world: World
let receiver: Receiver
beforeAll(async () => {
  world = await newWorld()
  receiver = await Receiver.open()
  const { id: app, account_id } = (await findApp(world.app.database, world.merchant.clientId))!
  await world.app.database.query(
    `with told as (
       insert into events (account_id, id, app_id, type, resource_id, body, create_time)
       select $1, 'WH-OLD-' || n, $2, 'INVOICING.INVOICE.CREATED', 'INV2-' || n, '{}', $3 from generate_series(1, $4::int) n
       returning *)
     insert into event_audience (account_id, app_id, event_id, event_account_id, event_type, seq, create_time)
     select account_id, app_id, id, account_id, type, seq, create_time from told`,
    [account_id, app, world.now(), REPLAY_MAX],
  )
})
afterAll(async () => {
  await receiver.close()
  await world.close()
})

it('A replay of what failed finds it behind all that happened before there was a webhook', async () => {
  const { merchant } = world
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

it('A retry of more than are sent again at a time says that there may be more', async () => {
  const { merchant } = world
  const { body: webhook } = await merchant.post<{ id: string }>(`${root}/webhooks`, {
    url: receiver.url('/lost'),
    event_types: [{ name: '*' }],
  })
  // The events of before, and what became of them.
  await world.app.database.query(
    `insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, seq, resource_id,
       transmit_time, failure)
     select account_id, gen_random_uuid(), app_id, $1, account_id, id, type, seq, resource_id, create_time, 'Nobody was there.'
     from events where id like 'WH-OLD-%'`,
    [webhook.id],
  )
  const retried = () => run(['deliveries', 'retry', webhook.id, '--json'], { DATABASE_URL: world.databaseUrl })

  const first = await retried()
  expect(JSON.parse(first.stdout)).toMatchObject({ sent_again: REPLAY_MAX })
  expect(first.stderr).toBe(
    `quittance: no more are sent again to ${webhook.id} at a time, and there may be more: call it again.\n`,
  )
  const second = await retried()
  expect([JSON.parse(second.stdout), second.stderr]).toMatchObject([{ sent_again: 0 }, ''])
  await merchant.delete(`${root}/webhooks/${webhook.id}`)
})

it('A retry of all goes on past a webhook that is deleted meanwhile', async () => {
  const hooks: string[] = []
  receiver.behaviour = { status: 410 }
  for (const place of ['/first', '/second']) {
    const { body } = await world.merchant.post<{ id: string }>(`${root}/webhooks`, {
      url: receiver.url(place),
      event_types: [{ name: 'INVOICING.INVOICE.CREATED' }],
    })
    hooks.push(body.id)
    await world.merchant.post(`${root}/simulate-event`, {
      event_type: 'INVOICING.INVOICE.CREATED',
      webhook_id: body.id,
    })
  }
  await world.settle()
  // Whichever comes first takes the other along.
  await world.app.database.query(`
    create function others_go() returns trigger language plpgsql as $$ begin
      delete from webhooks where id <> new.webhook_id;
      return null;
    end $$;
    create trigger others_go after insert on deliveries for each row execute function others_go()`)

  const { code, stdout } = await run(['deliveries', 'retry', 'all', '--json'], { DATABASE_URL: world.databaseUrl })

  expect(code).toBe(0)
  const results = (JSON.parse(stdout) as { webhook_id: string; sent_again: number; refused: string | null }[]).filter(
    ({ webhook_id }) => hooks.includes(webhook_id),
  )
  expect(results).toMatchObject([
    { sent_again: 1, refused: null },
    { sent_again: 0, refused: 'the webhook was deleted' },
  ])
  await world.app.database.query('drop function others_go cascade')
})
