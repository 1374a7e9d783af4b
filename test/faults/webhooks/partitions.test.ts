import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectionSettings } from '../../../src/database/address.ts'
import { runBesideWriters } from '../../../src/database/indexes.ts'
import { json, run } from '../../support/command.ts'
import { Receiver } from '../../support/receiver.ts'
import { newWorld, type World } from '../../support/world.ts'

const root = '/v1/notifications'
const tables = ['events', 'event_audience', 'event_ids', 'deliveries', 'delivery_attempts', 'audit_log']
const WRITERS = 2
/** So many events each way through a change at least. */
const ENOUGH = 5

/**
 * Clients that make events one after another and keep what they were told, until they are stopped. Told that the database cannot answer
 * now, as somebody is who waits for a table for two seconds, which on a busy machine may be the case, they send the same again.
 */
class Writers {
  readonly made: string[] = []
  readonly refused: unknown[] = []
  #isStopped = false
  readonly #running: Promise<void>[]

  constructor(world: World, webhook_id: string) {
    this.#running = Array.from({ length: WRITERS }, async () => {
      for (let key = randomUUID(); !this.#isStopped; ) {
        const { status, body } = await world.merchant.post<{ id: string }>(
          `${root}/simulate-event`,
          { event_type: 'PAYMENT.CAPTURE.COMPLETED', webhook_id },
          { headers: { 'service-request-id': key } },
        )
        if (status === 503) continue
        if (status === 202) this.made.push(body.id)
        else this.refused.push(body)
        key = randomUUID()
      }
    })
  }

  more = () => {
    const before = this.made.length
    return expect.poll(() => this.made.length + this.refused.length).toBeGreaterThan(before + ENOUGH)
  }

  async stop(): Promise<void> {
    this.#isStopped = true
    await Promise.all(this.#running)
  }
}

describe('Partitions beside writers', () => {
  let world: World
  let receiver: Receiver
  let webhookId: string
  let variables: Record<string, string>

  beforeAll(async () => {
    world = await newWorld()
    variables = { DATABASE_URL: world.databaseUrl }
    receiver = await Receiver.open()
    const made = await world.merchant.post<{ id: string }>(`${root}/webhooks`, {
      url: receiver.url('/hook'),
      event_types: [{ name: '*' }],
    })
    webhookId = made.body.id
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  const stored = async (table: string, column: string) => {
    const { rows } = await world.app.database.query<{ id: string }>(`select ${column} as id from ${table}`)
    return rows.map(({ id }) => id).toSorted()
  }
  /** A receiver that answers late, on a busy machine, is asked again: what counts is that each came, and is stored once. */
  const arrived = () => [...new Set(receiver.received.map(({ event }) => event.id))].toSorted()

  /** Indexes, triggers and counters of the tables that can have partitions, as they are described. */
  const shape = async () => {
    const { rows } = await world.app.database.query<{ part: string }>(
      `
      select pg_get_indexdef(indexrelid) as part from pg_index where indrelid = any($1::regclass[])
      union all select pg_get_triggerdef(oid) from pg_trigger where tgrelid = any($1::regclass[]) and not tgisinternal
      union all select attrelid::regclass || '.' || attname from pg_attribute where attrelid = any($1::regclass[]) and attidentity <> ''
      union all select conname || ' ' || pg_get_constraintdef(oid) from pg_constraint where conrelid = any($1::regclass[])`,
      [tables],
    )
    // Their key has one column more since, which refuses nothing else.
    return rows.map(({ part }) => part.replace('mentioned_id, seq, event_id)', 'mentioned_id, seq)')).toSorted()
  }
  let before: string[]

  it('lose, double and refuse nothing for good when they are turned on', async () => {
    before = await shape()
    const writers = new Writers(world, webhookId)
    await writers.more()
    const turned = await run(['partitions', 'on'], variables)
    await writers.more()
    await world.app.sweep()
    await writers.more()
    await writers.stop()
    await world.settle()

    expect([turned.code, writers.refused]).toEqual([0, []])
    const made = writers.made.toSorted()
    // Some before, some after their process knew.
    expect(new Set(made.map((id) => id.startsWith('WH-ZZZZZZZZ')))).toEqual(new Set([false, true]))
    expect(await stored('events', 'id')).toEqual(made)
    expect(await stored('deliveries', 'event_id')).toEqual(made)
    expect(arrived()).toEqual(made)
  })

  it('lose, double and refuse nothing for good of the others when a day is dropped', async () => {
    const old = arrived()
    await world.pass('P32D')
    const writers = new Writers(world, webhookId)
    await writers.more()
    // Who writes may hold the tables for longer than a drop waits; an hour later it is tried again.
    await expect
      .poll(async () => {
        await world.app.sweep().catch(() => {})
        return (await json<{ partition: string }[]>(['partitions', 'list'], variables)).map(
          ({ partition }) => partition,
        )
      })
      .not.toContain('events_20260302')
    await writers.more()
    await writers.stop()
    await world.settle()

    expect(writers.refused).toEqual([])
    const made = writers.made.toSorted()
    expect(await stored('events', 'id')).toEqual(made)
    expect(await stored('event_audience', 'event_id')).toEqual(made)
    expect(await stored('deliveries', 'event_id')).toEqual(made)
    expect(arrived()).toEqual([...old, ...made].toSorted())
  })

  it('lose, double and refuse nothing for good when they are turned off, and leave the tables as they were', async () => {
    const there = await stored('events', 'id')
    const entries = await stored('audit_log', 'seq')
    // As a migration makes it that comes while there are partitions.
    const client = new pg.Client(connectionSettings(world.databaseUrl))
    await client.connect()
    await runBesideWriters(client, 'create index concurrently events_of_later on events (type)')
    await client.end()
    const writers = new Writers(world, webhookId)
    await writers.more()
    const { code } = await run(['partitions', 'off'], variables)
    await writers.more()
    await writers.stop()
    await world.settle()
    await world.app.sweep()

    expect([code, writers.refused]).toEqual([0, []])
    expect(await json<object[]>(['partitions', 'list'], variables)).toEqual([])
    const made = [...there, ...writers.made].toSorted()
    expect(await stored('events', 'id')).toEqual(made)
    expect(await stored('event_audience', 'event_id')).toEqual(made)
    expect(await stored('deliveries', 'event_id')).toEqual(made)
    const kept = new Set(await stored('audit_log', 'seq'))
    expect(entries.filter((seq) => !kept.has(seq))).toEqual([])
    const later = 'CREATE INDEX events_of_later ON public.events USING btree (type)'
    expect(await shape()).toEqual([...before, later].toSorted())
    const shown = await world.merchant.get(`${root}/webhooks-events/${there[0]}`)
    expect(shown.status).toBe(200)
  })

  it('are refused to a database that has ids with a day already, which then works as before', async () => {
    const other = await newWorld()
    const id = 'WH-ZZZZZZZZ5022ABCDE-ABCDEFGHIJKLMNOPQ'
    await other.app.database.query(
      `insert into events (account_id, id, app_id, type, resource_id, body, create_time)
       values ($1, $2, null, 'PAYMENT.CAPTURE.COMPLETED', 'R', '{}', $3)`,
      [other.people.merchant.id, id, other.now()],
    )
    const { code, stderr } = await run(['partitions', 'on'], { DATABASE_URL: other.databaseUrl })

    expect(code).toBe(1)
    expect(stderr).toContain('A row of events has an id that carries a day already')
    // What was turned before stays so; the events, which come last, are as they were, and take what comes.
    await other.app.sweep()
    const made = await other.merchant.post<{ id: string }>(`${root}/webhooks`, {
      url: receiver.url('/other'),
      event_types: [{ name: '*' }],
    })
    const told = await other.merchant.post<{ id: string }>(`${root}/simulate-event`, {
      event_type: 'PAYMENT.CAPTURE.COMPLETED',
      webhook_id: made.body.id,
    })
    expect([made.status, told.status]).toEqual([201, 202])
    expect(told.body.id).not.toMatch(/^WH-ZZZZZZZZ/)

    await other.app.database.query('delete from events where id = $1', [id])
    expect((await run(['partitions', 'on'], { DATABASE_URL: other.databaseUrl })).code).toBe(0)
    await other.close()
  })
})
