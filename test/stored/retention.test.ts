import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { combine, type GatheredWrite } from '../../src/database/combine.ts'
import { type Statement, statementOf } from '../../src/database/sql.ts'
import type { Tx } from '../../src/database/transaction.ts'
import { nobody } from '../../src/kernel/caller.ts'
import { after } from '../../src/kernel/clock.ts'
import { attemptNow, resend } from '../../src/webhooks/delivery/redeliver.ts'
import { findEvent } from '../../src/webhooks/events/store.ts'
import { sweepEvents } from '../../src/webhooks/retention.ts'
import { findWebhook } from '../../src/webhooks/subscriptions/store.ts'
import { Receiver } from '../support/receiver.ts'
import { newWorld, type Person, type World } from '../support/world.ts'

const root = '/v1/notifications'
const APP = 'APP-SANDBOXMERCHANT01'
const tables = ['events', 'event_audience', 'deliveries', 'delivery_attempts'] as const

describe('An event that has grown old', () => {
  let world: World
  let receiver: Receiver
  let webhookId: string
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
    receiver = await Receiver.open()
  })
  beforeEach(async () => {
    await world.call('POST', '/sandbox/reset')
    await world.call('POST', '/sandbox/clock', { freeze: true })
    receiver.behaviour = { status: 200 }
    receiver.forget()
    webhookId = await subscribe(world.merchant, '/hook')
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  async function subscribe(who: Person, path: string): Promise<string> {
    const made = await who.post<{ id: string }>(`${root}/webhooks`, {
      url: receiver.url(path),
      event_types: [{ name: '*' }],
    })
    return made.body.id
  }
  const simulate = async () => {
    const body = { event_type: 'PAYMENT.CAPTURE.COMPLETED', webhook_id: webhookId }
    const { body: event } = await world.merchant.post<{ id: string }>(`${root}/simulate-event`, body)
    await world.settle()
    return event.id
  }
  /** Lets time pass, and sweeps as a worker does every hour. */
  const later = async (duration: string) => {
    await world.pass(duration)
    await world.app.sweep()
  }
  const sees = async (eventId: string, who = world.merchant) =>
    (await who.get(`${root}/webhooks-events/${eventId}`)).status
  const counts = async () => {
    const { rows } = await world.app.database.query<Record<string, number>>(
      `select ${tables.map((name) => `(select count(*)::int from ${name}) as ${name}`).join(', ')}`,
    )
    return tables.map((name) => rows[0]![name])
  }
  const nothing = tables.map(() => 0)

  it('is kept for thirty days and then goes, with all that was kept about it', async () => {
    receiver.behaviour = (_, response) => void response.writeHead(receiver.received.length === 1 ? 500 : 200).end()
    const old = await simulate()
    await later('P29DT23H')
    expect(await sees(old)).toBe(200)
    expect(await counts()).toEqual([1, 1, 1, 2])

    const young = await simulate()
    await later('PT2H')

    expect([await sees(old), await sees(young)]).toEqual([404, 200])
    expect(await counts()).toEqual([1, 1, 1, 1])
    const span = { start_time: '2020-01-01T00:00:00Z', end_time: world.now() }
    const { body } = await world.merchant.get<{ events: { id: string }[] }>(`${root}/webhooks-events`, { query: span })
    expect(body.events.map(({ id }) => id)).toEqual([young])
    expect((await world.merchant.post(`${root}/webhooks/${webhookId}/replay`, span)).body).toEqual({ replayed: 0 })
  })

  it('is not vouched for any more, since a CRC-32 is all its signature says of the body', async () => {
    await simulate()
    const [{ headers, event }] = receiver.received as [(typeof receiver.received)[number]]
    const asked = {
      auth_algo: headers['service-auth-algo'],
      cert_url: headers['service-cert-url'],
      transmission_id: headers['service-transmission-id'],
      transmission_sig: headers['service-transmission-sig'],
      transmission_time: headers['service-transmission-time'],
      webhook_id: webhookId,
      webhook_event: event,
    }
    const verified = async () => (await world.merchant.post(`${root}/verify-webhook-signature`, asked)).body
    expect(await verified()).toEqual({ verification_status: 'SUCCESS' })
    await later('P31D')
    expect(await counts()).toEqual(nothing)

    expect(await verified()).toEqual({ verification_status: 'FAILURE' })
  })

  it('stays while it is on its way to somebody, and for nobody else', async () => {
    const colleague = await world.personWithApp(world.people.merchant.id, ['applications/webhooks'])
    await subscribe(colleague, '/tired')
    await world.app.transact(async (tx) =>
      tx.emit({
        accountId: world.people.merchant.id,
        type: 'CUSTOMER.DISPUTE.CREATED',
        resourceId: 'D',
        resource: { dispute_id: 'D' },
        summary: 'A test.',
      }),
    )
    await world.settle()
    const id = receiver.received[0]!.event.id
    expect(receiver.received.length).toBe(2)
    receiver.answers('/tired', { status: 500 })
    await world.pass('P31D')
    await colleague.post(`${root}/webhooks-events/${id}/resend`)
    await world.settle()

    await world.app.sweep()
    expect([await sees(id), await sees(id, colleague)]).toEqual([404, 200])
    expect(await counts()).toEqual([1, 1, 2, 2])

    receiver.answers('/tired', { status: 200 })
    await later('PT1H')
    expect(await counts()).toEqual(nothing)
  })

  it('goes in batches, whoever else is sweeping', async () => {
    await world.app.database.query(
      `with made as (
         insert into events (account_id, id, app_id, type, resource_id, body, create_time)
         select $1, 'WH-' || n, $2, 'INVOICING.INVOICE.PAID', 'R', '{}',
           to_char($3::timestamptz at time zone 'UTC' - n * interval '1 hour', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
         from generate_series(1, 2200) n returning *),
       heard as (
         insert into event_audience (account_id, app_id, event_id, event_account_id, seq, create_time)
         select account_id, app_id, id, account_id, seq, create_time from made),
       inserted as (
         insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, seq,
           resource_id, transmit_time)
         select account_id, gen_random_uuid(), app_id, $4, account_id, id, type, seq, resource_id, create_time
         from made returning *),
       arrived as (
         insert into delivery_attempts (account_id, delivery_id, number, attempt_time, url, http_status, duration_ms,
           response_headers, response_body)
         select account_id, id, 1, transmit_time, '', 200, 1, '{}', '' from inserted where event_id <> 'WH-2000')
       insert into delivery_queue (account_id, id, webhook_id, event_account_id, event_id, seq, resource_id,
         transmit_time, lane, attempts, next_time)
       select account_id, id, webhook_id, event_account_id, event_id, seq, resource_id, transmit_time, 1, 0,
         '2100-01-01T00:00:00.000Z' from inserted where event_id = 'WH-2000'`,
      [world.people.merchant.id, APP, world.now(), webhookId],
    )
    const { database } = world.app
    await database.query('analyze events, event_audience, deliveries')
    const another = () => sweepEvents({ database, now: world.now(), stopped: () => false }, 30)

    await Promise.all([world.app.sweep(), another(), another()])
    await world.app.sweep()

    // Thirty days of hours, and the one that is pending.
    expect(await counts()).toEqual([721, 721, 721, 720])
    expect(await sees('WH-2000')).toBe(200)
    await database.query('delete from delivery_queue')
    await world.app.sweep()
    expect(await counts()).toEqual([720, 720, 720, 720])
  })

  it('goes by way of an index, whatever it is', async () => {
    await simulate()
    await world.pass('P31D')
    const { database } = world.app
    const run: { statement: Statement; values: readonly unknown[] }[] = []
    const watched = (rows: typeof database.rows): typeof database.rows =>
      async function watch<Row>(statement: Statement, values: readonly unknown[] = []) {
        run.push({ statement, values })
        return rows<Row>(statement, values)
      }
    const watching = {
      ...database,
      rows: watched(database.rows),
      transaction: <T>(work: (connection: { rows: typeof database.rows }) => Promise<T>) =>
        database.transaction((connection) => work({ rows: watched(connection.rows) })),
    }
    await sweepEvents({ database: watching, now: world.now(), stopped: () => false }, 30)

    const plans: string[] = []
    for (const { statement, values } of run)
      plans.push(JSON.stringify((await database.query(`explain ${statement.text}`, [...values])).rows))
    expect(plans.length).toBe(8)
    for (const plan of plans) expect(plan).not.toMatch(/Seq Scan/)
  })

  describe('and is asked for again in that moment', () => {
    /** A unit of work that writes at once, in a transaction that is still open. */
    type Writing = Pick<Tx, 'now' | 'write' | 'wake'>
    const held = async (act: (tx: Tx) => void, change: (text: string) => string, meanwhile: () => Promise<unknown>) =>
      world.app.database.transaction(async (connection) => {
        const writes: GatheredWrite[] = []
        const writing: Writing = {
          now: world.now(),
          wake: () => {},
          write: (statement, values, name) =>
            void writes.push({ statement, values, guarded: false, ...(name !== undefined && { name }) }),
        }
        // Resending needs nothing else of a unit of work.
        act(writing as Tx)
        await connection.rows(
          statementOf(change(combine(writes).text)),
          writes.flatMap(({ values }) => values),
        )
        await meanwhile()
      })
    const asItIs = (text: string) => text
    const orphans = async () => {
      const { rows } = await world.app.database.query(
        'select 1 from deliveries d where not exists (select from events e where e.id = d.event_id)',
      )
      return rows.length
    }
    async function resending(change: (text: string) => string) {
      const id = await simulate()
      await world.pass('P31D')
      const { database } = world.app
      const [event, webhook] = [
        await findEvent(database, { ...nobody, appId: APP }, id),
        await findWebhook(database, APP, webhookId),
      ]
      await held(
        (tx) => resend(tx, event, [webhook]),
        change,
        () => world.app.sweep(),
      )
      return id
    }

    it('stays, and goes once it has arrived', async () => {
      const id = await resending(asItIs)
      expect([await orphans(), (await counts())[2]]).toEqual([0, 2])

      await world.settle()
      expect(receiver.received.map(({ event }) => event.id)).toEqual([id, id])
      await world.app.sweep()
      expect(await counts()).toEqual(nothing)
    })

    it('would leave a delivery of nothing if resending did not hold it', async () => {
      await resending((text) => text.replace('for key share of a', ''))
      expect(await orphans()).toBe(1)
      await world.app.database.query('delete from delivery_queue')
      await world.app.database.query('delete from deliveries')
    })

    it('stays when one more attempt is asked for', async () => {
      receiver.behaviour = { status: 410 }
      const id = await simulate()
      await world.pass('P31D')
      const { database } = world.app
      const { rows } = await database.query<{ id: string; account_id: string }>('select * from deliveries')
      let sweeping: Promise<void> | undefined
      const waits = statementOf(
        "select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
      )

      await held(
        (tx) => attemptNow(tx, rows[0]!.account_id, rows[0]!.id),
        asItIs,
        async () => {
          sweeping = world.app.sweep()
          while ((await database.rows(waits)).length === 0);
        },
      )
      await sweeping

      expect([await orphans(), await sees(id)]).toEqual([0, 200])
      await world.settle()
      await world.app.sweep()
      expect(await counts()).toEqual(nothing)
    })
  })

  it('stays for as long as the operator wants, or for ever', async () => {
    const id = await simulate()
    await world.pass('P1Y')
    const { database } = world.app
    const now = after(world.now(), 0)

    await sweepEvents({ database, now, stopped: () => false }, 0)
    await sweepEvents({ database, now, stopped: () => false }, 366)
    expect(await sees(id)).toBe(200)

    await sweepEvents({ database, now, stopped: () => false }, 364)
    expect(await sees(id)).toBe(404)
  })
})
