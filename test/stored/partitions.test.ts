import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Connection } from '../../src/database/open.ts'
import type { Statement } from '../../src/database/sql.ts'
import { nobody } from '../../src/kernel/caller.ts'
import type { Instant } from '../../src/kernel/clock.ts'
import { claimDeliveries } from '../../src/webhooks/delivery/claim.ts'
import { findEvent, listEvents } from '../../src/webhooks/events/store.ts'
import { findTransmission, transmissionsOf } from '../../src/webhooks/events/transmissions.ts'
import { json, run } from '../support/command.ts'
import { Receiver } from '../support/receiver.ts'
import { newWorld, type World } from '../support/world.ts'

const root = '/v1/notifications'
const APP = 'APP-SANDBOXMERCHANT01'
const tables = ['events', 'event_audience', 'event_ids', 'deliveries', 'delivery_attempts', 'audit_log'] as const

interface Plan {
  readonly 'Relation Name'?: string
  readonly 'Actual Loops': number
  readonly Plans?: readonly Plan[]
}

interface Partition {
  readonly table: string
  readonly partition: string
}

describe('A database with partitions', () => {
  let world: World
  let receiver: Receiver
  let webhookId: string
  let variables: Record<string, string>
  /** What was there before it had any. */
  let before: { id: string; transmission: string; shown: unknown; rows: Record<string, object[]> }

  const simulate = async (event_type = 'PAYMENT.CAPTURE.COMPLETED') => {
    const { body } = await world.merchant.post<{ id: string }>(`${root}/simulate-event`, {
      event_type,
      webhook_id: webhookId,
    })
    await world.settle()
    return body.id
  }
  const shownOf = async (id: string) => {
    const event = await world.merchant.get(`${root}/webhooks-events/${id}`)
    const { body } = await world.merchant.get<{ transmissions: { transmission_id: string; event_id: string }[] }>(
      `${root}/webhooks-transmissions`,
    )
    const sent = body.transmissions.filter(({ event_id }) => event_id === id)
    const attempts = await Promise.all(
      sent.map(({ transmission_id }) => world.merchant.get(`${root}/webhooks-transmissions/${transmission_id}`)),
    )
    return { status: event.status, event: event.body, sent, attempts: attempts.map(({ body }) => body) }
  }
  const rowsOf = async (name: string) =>
    (await world.app.database.query(`select to_jsonb(t) as row from ${name} t order by to_jsonb(t)::text`)).rows
  const partitionsOf = async (name: string) => {
    const listed = await json<Partition[]>(['partitions', 'list'], variables)
    return listed.filter(({ table }) => table === name).map(({ partition }) => partition.slice(name.length + 1))
  }
  const sees = async (id: string) => (await world.merchant.get(`${root}/webhooks-events/${id}`)).status

  /** The tables that statements went to, as PostgreSQL carried them out. */
  async function reached(ask: (db: Connection) => Promise<unknown>): Promise<string[]> {
    const found = new Set<string>()
    const visit = (plan: Plan) => {
      if (plan['Relation Name'] && plan['Actual Loops'] > 0) found.add(plan['Relation Name'])
      plan.Plans?.forEach(visit)
    }
    const rows = async <Row>({ text }: Statement, values: readonly unknown[] = []) => {
      const explained = await world.app.database.query(`explain (analyze, format json) ${text}`, [...values])
      visit(explained.rows[0]['QUERY PLAN'][0].Plan)
      return [{ turn: null, webhooks: null }] as Row[]
    }
    const reader = { rows, row: async <Row>(...given: Parameters<typeof rows>) => (await rows<Row>(...given))[0] }
    await ask(reader)
    return [...found].filter((name) => tables.some((table) => name.startsWith(`${table}_`))).toSorted()
  }

  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
    variables = { DATABASE_URL: world.databaseUrl }
    receiver = await Receiver.open()
    const made = await world.merchant.post<{ id: string }>(`${root}/webhooks`, {
      url: receiver.url('/hook'),
      event_types: [{ name: '*' }],
    })
    webhookId = made.body.id
    const id = await simulate()
    const shown = await shownOf(id)
    const rows: Record<string, object[]> = {}
    for (const name of tables) rows[name] = await rowsOf(name)
    before = { id, transmission: shown.sent[0]!.transmission_id, shown, rows }
  })
  afterAll(async () => {
    await world.close()
    await receiver.close()
  })

  it('loses nothing when it gets them, by two who ask at once', async () => {
    const both = await Promise.all([run(['partitions', 'on'], variables), run(['partitions', 'on'], variables)])

    expect(both.map(({ code, stderr }) => [code, stderr.replace(/^\w+: reading it once\n/gm, '')])).toEqual([
      [0, ''],
      [0, ''],
    ])
    expect(await shownOf(before.id)).toEqual(before.shown)
    for (const name of tables.slice(0, -1)) expect([name, await rowsOf(name)]).toEqual([name, before.rows[name]])
    expect(await rowsOf('audit_log')).toEqual(expect.arrayContaining(before.rows['audit_log']!))
    expect(await partitionsOf('events')).toEqual([
      ...['20260302', '20260303', '20260304', '20260305', '20260306', '20260307', '20260308', '20260309', 'undated'],
    ])
    expect(await partitionsOf('audit_log')).toEqual(['202604', 'undated'])
    // Numbers go on, and a process that does not know yet works on.
    expect(await sees(await simulate())).toBe(200)
  })

  it('has the day of an event in its id and in those of its deliveries, which name one partition each', async () => {
    await world.app.sweep()
    const id = await simulate()
    const { sent } = await shownOf(id)
    const transmission = sent[0]!.transmission_id
    const caller = { ...nobody, appId: APP, scopes: new Set<string>() }
    const event = (of: string) => reached((db) => findEvent(db as never, caller, of))
    const delivery = (of: string) =>
      reached((db) => findTransmission(db as never, world.people.merchant.id, caller, of).catch(() => {}))

    expect(id).toMatch(/^WH-ZZZZZZZZ5022[0-9A-Z]{5}-[0-9A-Z]{17}$/)
    expect(transmission).toMatch(/^ffffffff-ff50-822[0-9a-f]-8[0-9a-f]{3}-[0-9a-f]{12}$/)
    expect(receiver.received.at(-1)!.event.id).toBe(id)
    expect(await event(id)).toEqual(['event_audience_20260302', 'events_20260302'])
    expect(await event(before.id)).toEqual(['event_audience_undated', 'events_undated'])
    expect(await delivery(transmission)).toEqual([
      'deliveries_20260302',
      'delivery_attempts_20260302',
      'events_20260302',
    ])
    expect(await delivery(before.transmission)).toEqual([
      ...['deliveries_undated', 'delivery_attempts_undated', 'events_undated'],
    ])
  })

  it('reads only the days of what is due when deliveries are claimed', async () => {
    receiver.behaviour = { status: 500 }
    await simulate()
    const later = '2026-03-02T10:00:00.000Z' as Instant
    const claim = { afterWebhook: '', busy: [], webhooks: 10, each: 10, count: 10 }
    const claims = async (db: Connection) => {
      for (const lane of [0, 1, 2] as const) await claimDeliveries(db, { lane, ...claim }, later)
    }

    expect(await reached(claims)).toEqual(['events_20260302'])
    receiver.behaviour = { status: 200 }
    await world.app.database.query('update delivery_queue set claim = null, lease_until = null')
    await world.pass('P1D')
    await world.settle()
  })

  it('resends once, however many ask for it at once', async () => {
    const id = await simulate()
    const asked = await Promise.all([1, 2, 3].map(() => world.merchant.post(`${root}/webhooks-events/${id}/resend`)))
    await world.settle()

    expect(asked.map(({ status }) => status)).toEqual([202, 202, 202])
    const { sent } = await shownOf(id)
    expect(sent.length).toBe(2)
    expect(new Set(sent.map(({ transmission_id }) => transmission_id)).size).toBe(2)
    expect(await partitionsOf('deliveries')).not.toContain('20260310')
  })

  it('has partitions for the days ahead, and makes one that is missing for whoever needs it', async () => {
    await world.app.sweep()
    expect((await partitionsOf('delivery_attempts')).slice(-2)).toEqual(['20260310', 'undated'])

    await world.pass('P12D')
    expect(await sees(await simulate())).toBe(200)

    expect((await partitionsOf('events')).slice(-2)).toEqual(['20260315', 'undated'])
    await world.app.sweep()
    expect((await partitionsOf('events')).slice(-2)).toEqual(['20260322', 'undated'])
  })

  it('lists the events of many days in their order, from one day where that has enough', async () => {
    const newest = [await simulate(), await simulate(), await simulate()].toReversed()
    const list = async (path: string) =>
      (await world.merchant.get<{ events: { id: string }[]; links: { rel: string; href: string }[] }>(path)).body
    const idsOf = ({ events }: Awaited<ReturnType<typeof list>>) => events.map(({ id }) => id)
    const all = idsOf(await list(`${root}/webhooks-events?page_size=100`))
    const pages = [await list(`${root}/webhooks-events?page_size=2`)]
    const walk = async (rel: string) => {
      for (;;) {
        const link = pages.at(-1)!.links.find((one) => one.rel === rel)
        if (!link) return
        pages.push(await list(new URL(link.href).pathname + new URL(link.href).search))
      }
    }
    await walk('next')
    const down = pages.flatMap(idsOf)
    const last = pages.length - 1
    await walk('previous')
    const up = pages.slice(last).toReversed().flatMap(idsOf)

    expect(all.slice(0, 3)).toEqual(newest)
    expect(new Set(all.map((id) => id.slice(0, 15))).size).toBeGreaterThan(3)
    expect(down).toEqual(all)
    expect(up).toEqual(all)
    const { id: accountId } = world.people.merchant
    const filter = { appId: APP, accountId, actingFor: accountId, scopes: new Set<string>() }
    const [from, to] = ['2026-03-01T00:00:00.000Z', '2026-03-15T23:59:59.999Z'] as Instant[]
    const page = { size: 0, from: from!, to: to! }
    const looked = await reached((db) => listEvents(db as never, filter, page, { isDated: true }))
    expect(looked).toContain('event_audience_20260315')
    expect(looked.filter((name) => !/_(20260315|undated)$/.test(name))).toEqual([])
    const sent = (ids: string[]) => reached((db) => transmissionsOf(db as never, accountId, APP, ids))
    expect(await sent(newest)).toEqual(['deliveries_20260315', 'delivery_attempts_20260315'])
  })

  it('drops a day that is over, and keeps the others', async () => {
    const young = await simulate()
    await world.pass('P18D')
    expect(world.now()).toBe('2026-04-02T09:00:00.000Z')
    await world.app.sweep()

    expect([await sees(before.id), await sees(young)]).toEqual([404, 200])
    const left = await partitionsOf('events')
    expect(left.slice(0, 2)).toEqual(['20260303', '20260304'])
    for (const name of tables.slice(0, -1)) expect(await partitionsOf(name)).toEqual(left)
    expect((await rowsOf('events_undated')).length).toBe(0)
    expect((await rowsOf('audit_log_undated')).length).toBeGreaterThan(0)
  })

  it('keeps a day of which something is still to be delivered', async () => {
    const old = await simulate()
    receiver.behaviour = { status: 500 }
    await world.pass('P31D')
    await world.merchant.post(`${root}/webhooks-events/${old}/resend`)
    await world.settle()
    await world.app.sweep()
    expect(await sees(old)).toBe(200)
    expect((await partitionsOf('events'))[0]).toBe('20260402')

    receiver.behaviour = { status: 200 }
    await world.pass('PT1H')
    await world.app.sweep()
    expect(await sees(old)).toBe(404)
    expect(await partitionsOf('events')).not.toContain('20260402')
  })

  it('lets a commit end that asks for an event of the day, and drops it another time', async () => {
    const old = await simulate()
    const [day] = (
      await world.app.database.query<{ day: string }>(
        'select substr(create_time, 1, 10) as day from events where id = $1',
        [old],
      )
    ).rows.map(({ day }) => day.replaceAll('-', ''))
    await world.pass('P32D')

    const dropped = await world.app.database.transaction(async (connection) => {
      await connection.rows({ name: '', text: `select 1 from events where id = '${old}'` })
      return world.app.sweep().then(
        () => true,
        () => false,
      )
    })
    expect([dropped, await sees(old)]).toEqual([false, 200])
    await world.app.sweep()
    expect(await sees(old)).toBe(404)
    expect(await partitionsOf('deliveries')).not.toContain(day)
  })

  it('drops months of the audit log, which nobody changes or removes otherwise', async () => {
    const change = (text: string) =>
      world.app.database.query(text).then(
        () => expect.unreachable(),
        ({ constraint }) => constraint,
      )
    expect(await change("update audit_log set action = ''")).toBe('audit_log_append_only')
    expect(await change('delete from audit_log')).toBe('audit_log_append_only')
    expect((await partitionsOf('audit_log')).slice(0, 2)).toEqual(['202604', '202605'])

    await world.pass('P1Y')
    await simulate()
    await world.pass('P50D')
    await simulate()
    await world.app.sweep()

    const left = await partitionsOf('audit_log')
    expect(left).not.toContain('202604')
    expect(left).toContain('202606')
    expect((await rowsOf('audit_log_undated')).length).toBe(0)
  })

  it('takes back a beginning that was given up, before it could refuse anything', async () => {
    const other = await newWorld()
    await other.app.database.query(
      "alter table audit_log add constraint audit_log_undated check (create_time < '2026') not valid",
    )
    await other.app.sweep()
    expect(
      (await other.merchant.post(`${root}/webhooks`, { url: receiver.url('/'), event_types: [{ name: '*' }] })).status,
    ).toBe(201)
    await other.close()
  })
})
