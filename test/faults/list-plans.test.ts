import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import type { Connection } from '../../src/database/open.ts'
import { nameOf, unprepared } from '../../src/database/sql.ts'
import { type Plan, rowsRead } from '../support/plans.ts'
import { INVOICES, over } from '../support/shop.ts'
import { newWorld, type Person, type World } from '../support/world.ts'

const DISPUTES = '/v1/customer/disputes'
const MANY = 4_000
/** Five events that are older than all others of as many. */
const oldest = [4, 3, 2, 1, 0].map((n) => `WH-MANY-${MANY - n}`)
const EVENTS = '/v1/notifications/webhooks-events'
const SENT = '/v1/notifications/webhooks-transmissions'
const SEARCH = '/v2/invoicing/search-invoices'
const AUDIT = '/v1/operator/audit'
const MOVEMENTS = '/v1/reporting/transactions'
const byDue = 'sort_by=RESPONSE_DUE_DATE&sort_order=asc&page_size=25'

/** A statement with its values, as it was sent. */
interface Sent {
  readonly text: string
  readonly values: readonly unknown[]
}

describe('The first page of a list', () => {
  let world: World
  let operator: Person
  beforeAll(async () => {
    world = await newWorld({ isOwn: true })
    const { merchant, buyer, app } = world
    const opened = await buyer.post<{ links: { href: string }[] }>(DISPUTES, {
      disputed_transactions: [{ buyer_transaction_id: 'FIRST' }],
      reason: 'UNAUTHORISED',
    })
    const id = opened.body.links[0]!.href.split('/').at(-1)
    const made = await merchant.post<{ id: string }>(INVOICES, over('9.00'), {
      headers: { prefer: 'return=representation' },
    })
    // One in five has a due date and waits for an answer, of either side; the others are over.
    await app.database.query(
      `insert into disputes (account_id, id, body, reason, status, stage, flow, channel, seller_state, buyer_state, currency,
         amount, due_time, buyer_account_id, buyer_name, invoice_number, seller_summary, buyer_summary, takes_info,
         create_time, update_time)
       select account_id, 'PP-R-MANY-' || n, body, reason, status, stage, flow, channel,
         (array['REQUIRED_ACTION', 'REQUIRED_OTHER_PARTY_ACTION', 'RESOLVED', 'RESOLVED', 'RESOLVED', 'RESOLVED', 'RESOLVED',
           'UNDER_REVIEW', 'APPEALABLE', 'RESOLVED'])[1 + n % 10], 'RESOLVED', currency, amount,
         case when n % 10 < 2 then to_char(date '2026-04-01' + n / 100, 'YYYY-MM-DD"T00:00:00.000Z"') end,
         buyer_account_id, 'many of them', 'INV-' || n % 3, seller_summary, buyer_summary, false, create_time, update_time
       from disputes, generate_series(1, $2::int) as n where id = $1`,
      [id, MANY],
    )
    await app.database.query(
      `insert into invoices (account_id, id, body, create_time, number_key, amount_minor, emails, grams, item_text)
       select account_id, 'INV2-MANY-' || n, body, create_time, 'many-' || n, amount_minor, emails, grams, item_text
       from invoices, generate_series(1, $2::int) as n where id = $1`,
      [made.body.id, MANY],
    )
    // The oldest five are of a type of their own and still wait; all others have arrived.
    await app.database.query(
      `with source as (select * from events where account_id = $1 order by seq limit 1), many as (
         insert into events (account_id, id, app_id, type, resource_id, body, create_time)
         select account_id, 'WH-MANY-' || n, app_id, case when n > $3 - 5 then 'INVOICING.INVOICE.CANCELLED' else type end,
           'MANY', body, to_char(date '2026-03-01' - n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
         from source, generate_series(1, $3::int) as n returning *),
       told as (
         insert into event_audience (account_id, app_id, event_id, event_account_id, event_type, seq, create_time)
         select account_id, $2, id, account_id, type, seq, create_time from many),
       sent as (
         insert into deliveries (account_id, id, app_id, webhook_id, event_account_id, event_id, event_type, seq,
           resource_id, transmit_time)
         select account_id, gen_random_uuid(), $2, 'W-MANY', account_id, id, type, seq, resource_id, create_time
         from many returning *)
       insert into delivery_queue (account_id, id, webhook_id, event_account_id, event_id, seq, resource_id,
         transmit_time, lane, attempts, next_time)
       select account_id, id, webhook_id, event_account_id, event_id, seq, resource_id, transmit_time, 0, 1,
         '2099-01-01T00:00:00.000Z'
       from sent where event_type = 'INVOICING.INVOICE.CANCELLED'`,
      [world.people.merchant.id, 'APP-SANDBOXMERCHANT01', MANY],
    )
    // All but the oldest five are of one account and one actor.
    await app.database.query(
      `insert into audit_log (create_time, account_id, actor, action, resource_id, cause)
       select to_char(date '2026-03-01' - n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
         case when n > $2 - 5 then 'SELDOM' else $1 end, case when n > $2 - 5 then 'job:seldom' else 'app:many' end,
         'many', 'MANY-' || n, 'many-' || n
       from generate_series(1, $2::int) as n`,
      [world.people.merchant.id, MANY],
    )
    await app.database.query(
      `insert into ledger_entries (account_id, transaction_id, line, book, currency, amount, kind, reference, covered, create_time)
       select $1, 'MANY' || n, line, (array['balance', 'service'])[line], 'USD', (array[1, -1])[line], 'OPENING_BALANCE', $1, false,
         to_char(date '2026-03-01' - n * interval '1 minute', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')
       from generate_series(1, $2::int) as n, generate_series(1, 2) as line`,
      [world.people.merchant.id, MANY],
    )
    operator = await world.personWithApp(world.people.otherMerchant.id, ['operator'])
    await app.database.query('analyze audit_log, ledger_entries')
    await app.database.query('analyze disputes, invoices, events, event_audience, deliveries, delivery_queue')
  })
  afterAll(async () => {
    await world.app.database.query("delete from disputes where id like 'PP-R-MANY-%'")
    await world.app.database.query("delete from invoices where id like 'INV2-MANY-%'")
    await world.app.database.query("delete from delivery_queue where webhook_id = 'W-MANY'")
    await world.app.database.query(
      "delete from delivery_attempts where delivery_id in (select id from deliveries where webhook_id = 'W-MANY')",
    )
    await world.app.database.query("delete from deliveries where webhook_id = 'W-MANY'")
    await world.app.database.query("delete from event_audience where event_id like 'WH-MANY-%'")
    await world.app.database.query("delete from events where id like 'WH-MANY-%'")
    await world.close()
  })

  /** What a list asks of the database. */
  async function allSentBy(
    path: string,
    table: string,
    who: Person = world.merchant,
    search?: object,
  ): Promise<Sent[]> {
    const spy = vi.spyOn(pg.Client.prototype, 'query')
    const { status, text } = await (search ? who.post(path, search) : who.get(path))
    expect(status, text).toBe(200)
    const calls = spy.mock.calls.map(([query]) => query as unknown as Sent)
    spy.mockRestore()
    const sent = calls.filter((query) => new RegExp(`\\b(from|join)\\s+${table}`).test(query.text ?? ''))
    expect(sent).not.toEqual([])
    return sent
  }
  const sentBy = async (path: string, table: string) =>
    (await allSentBy(path, table, path.startsWith(AUDIT) ? operator : undefined))[0]!

  it.each([
    ['disputes', DISPUTES],
    ['disputes', `${DISPUTES}?dispute_state=REQUIRED_ACTION`],
    ['disputes', `${DISPUTES}?dispute_state=REQUIRED_ACTION&${byDue}`],
    // The console's desk: of the second state there is none.
    ['disputes', `${DISPUTES}?dispute_state=REQUIRED_OTHER_PARTY_ACTION,OPEN_INQUIRIES&${byDue}`],
    // Of these none has a due date.
    ['disputes', `${DISPUTES}?dispute_state=RESOLVED&${byDue}`],
    ['disputes', `${DISPUTES}?${byDue}`],
    ['disputes', `${DISPUTES}?sort_by=RESPONSE_DUE_DATE`],
    ['invoices', INVOICES],
    ['event_audience', EVENTS],
    ['event_audience', `${EVENTS}?event_type=INVOICING.INVOICE.CREATED`],
    ['event_audience', `${EVENTS}?event_type=INVOICING.INVOICE.CANCELLED`],
    ['deliveries', SENT],
    ['deliveries', `${SENT}?webhook_id=W-MANY`],
    ['deliveries', `${SENT}?status=SUCCESS`],
    ['audit_log', AUDIT],
    ['audit_log', `${AUDIT}?start_time=2026-02-28T00:00:00Z`],
    ['audit_log', `${AUDIT}?account_id=SELDOM`],
    ['audit_log', `${AUDIT}?account_id=NOBODY`],
    ['audit_log', `${AUDIT}?actor=app:many&start_time=2026-02-28T23:50:00Z`],
    ['audit_log', `${AUDIT}?actor=app:many`],
    ['audit_log', `${AUDIT}?actor=job:seldom`],
    ['audit_log', `${AUDIT}?resource_id=MANY-77`],
    ['audit_log', `${AUDIT}?cause=many-77`],
    ['audit_log', `${AUDIT}?resource_id=NOTHING&account_id=SELDOM`],
    ['ledger_entries', `${MOVEMENTS}?page_size=20`],
    ['ledger_entries', `${MOVEMENTS}?start_date=2026-02-28T23:50:00Z&end_date=2026-02-28T23:59:59Z`],
    ['ledger_entries', `${MOVEMENTS}?page_size=20&start_date=2026-02-27T00:00:00Z&end_date=2026-02-28T00:00:00Z`],
    ['disputes', `${DISPUTES}/search-suggestions?search_text=many&search_field=NAME`],
    ['disputes', `${DISPUTES}/search-suggestions?search_text=INV-&search_field=INVOICE_NUMBER`],
    ['disputed_transactions', `${DISPUTES}/search-suggestions?search_text=PP`],
  ])('of %s is planned once for all values and reads little more than it shows: %s', async (table, path) => {
    const { text, values } = await sentBy(path, table)
    const { plans, plan } = await world.app.database.transaction(async ({ rows }: Connection) => {
      await rows(unprepared('set local plan_cache_mode = auto'))
      const listed = { name: `plans-${nameOf(text)}`, text }
      for (let i = 0; i < 10; i++) await rows(listed, values)
      const [plans] = await rows<{ custom: number }>(
        unprepared(`select custom_plans::int as custom from pg_prepared_statements where name = $1`),
        [listed.name],
      )
      await rows(unprepared('set local plan_cache_mode = force_generic_plan'))
      const [row] = await rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
        unprepared(`explain (analyze, format json) ${text}`),
        values,
      )
      return { plans, plan: row!['QUERY PLAN'][0].Plan }
    })

    // The first five times the server tries what a plan for the very values would give.
    expect(plans!.custom).toBe(5)
    expect(rowsRead(plan)).toBeLessThan(110)
  })

  /** How many rows all statements of a list look at that read this table, as they are planned for any values. */
  async function readBy(path: string, table: string, who?: Person, search?: object): Promise<number> {
    const plans = await world.app.database.transaction(async ({ rows }: Connection) => {
      await rows(unprepared('set local plan_cache_mode = force_generic_plan'))
      const found: Plan[] = []
      for (const { text, values } of await allSentBy(path, table, who, search)) {
        const [row] = await rows<{ 'QUERY PLAN': [{ Plan: Plan }] }>(
          unprepared(`explain (analyze, format json) ${text}`),
          values,
        )
        found.push(row!['QUERY PLAN'][0].Plan)
      }
      return found
    })
    return plans.reduce((sum, plan) => sum + rowsRead(plan), 0)
  }

  it.each([
    { recipient_email: 'payer@example.com' },
    { item_description: 'work' },
    { status: ['DRAFT'] },
    { currency_code: 'USD' },
    { invoice_date_range: { start: '2026-03-01', end: '2026-03-31' } },
    { creation_date_range: { start: '2026-03-01', end: '2026-03-31' }, recipient_email: 'payer@example.com' },
  ])('of a search for what most have reads little more than it shows: %j', async (search) => {
    const found = await world.merchant.post<{ items: object[] }>(SEARCH, search)
    expect(found.body.items).toHaveLength(20)

    expect(await readBy(SEARCH, 'invoices', world.merchant, search)).toBeLessThan(110)
  })

  it.each(['PENDING', 'RETRYING'])('by the status %s, which few have, comes from the queue', async (status) => {
    const { body } = await world.merchant.get<{ transmissions: { event_id: string }[] }>(`${SENT}?status=${status}`)

    expect(body.transmissions.map(({ event_id }) => event_id)).toEqual(oldest)
    expect(await readBy(`${SENT}?status=${status}`, 'deliver')).toBeLessThan(1_500)
    expect(await readBy(`${SENT}?status=${status}&webhook_id=W-MANY`, 'deliver')).toBeLessThan(1_500)
  })

  it('of what is due about one thing finds it by an index', async () => {
    const { database } = world.app
    await database.query(
      `insert into jobs (name, payload, run_at, create_time)
       select 'dispute-deadline', jsonb_build_object('account_id', $1::text, 'dispute_id', 'PP-R-MANY-' || n),
         '2099-01-01T00:00:00.000Z', $2
       from generate_series(1, $3::int) as n`,
      [world.people.merchant.id, world.now(), MANY],
    )
    await database.query('analyze jobs')
    const [waiting] = (await database.query("select id from delivery_queue where webhook_id = 'W-MANY' limit 1")).rows
    for (const [subject, table] of [
      ['PP-R-MANY-77', 'jobs'],
      [oldest[0]!, 'delivery_queue'],
      [String(waiting.id), 'delivery_queue'],
    ] as const) {
      const path = `/sandbox/due?subject=${subject}`
      expect(await readBy(path, table), `${table} of ${subject}`).toBeLessThan(50)
    }
    const { body } = await world.call<{ due: object[] }>('GET', '/sandbox/due?subject=PP-R-MANY-77')
    expect(body.due).toMatchObject([{ subject: 'PP-R-MANY-77', work: 'dispute-deadline' }])
    await database.query("delete from jobs where payload->>'dispute_id' like 'PP-R-MANY-%'")
  })

  it('of suggestions passes over what a buyer has many of', async () => {
    for (const [field, text] of Object.entries({ NAME: 'many', INVOICE_NUMBER: 'INV-', DISPUTE_ID: 'PP', ALL: 'PP' }))
      expect(
        await readBy(
          `${DISPUTES}/search-suggestions?search_text=${text}&search_field=${field}`,
          'disputes',
          world.buyer,
        ),
        field,
      ).toBeLessThan(110)
  })

  it.each(['', '&event_type=INVOICING.INVOICE.CREATED'])(
    'far down begins where the page does: events%s',
    async (type) => {
      const time = '2026-02-27T00:00:00.000Z'
      const at = `index_time=${time}&index_id=WH-MANY-2880&start_time=2026-02-20T00:00:00.000Z&end_time=2026-03-01T00:00:00.000Z`
      for (const move of ['next', 'previous'])
        expect(await readBy(`${EVENTS}?${at}&move_to=${move}${type}`, 'event_audience'), move).toBeLessThan(110)
    },
  )

  it('far down begins where the page does: transmissions', async () => {
    const id = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
    const at = `index_time=2026-02-27T00:00:00.000Z&index_id=${id}&start_time=2026-02-20T00:00:00.000Z&end_time=2026-03-01T00:00:00.000Z`
    for (const move of ['next', 'previous'])
      expect(await readBy(`${SENT}?${at}&move_to=${move}`, 'deliveries'), move).toBeLessThan(110)
  })

  it('by a type that only new events have passes over all whose type was not written down yet', async () => {
    const { database } = world.app
    await database.query("update event_audience set event_type = '' where event_id like 'WH-MANY-%'")
    const isNew = "id = any(array(select 'WH-MANY-' || n from generate_series(1, 20) as n))"
    await database.query(`update events set type = 'INVOICING.INVOICE.REFUNDED' where ${isNew}`)
    await database.query(
      `update event_audience set event_type = 'INVOICING.INVOICE.REFUNDED' where ${isNew.replace('id', 'event_id')}`,
    )

    const path = `${EVENTS}?event_type=INVOICING.INVOICE.REFUNDED&page_size=10`
    expect((await world.merchant.get<{ events: object[] }>(path)).body.events).toHaveLength(10)
    expect(await readBy(path, 'event_audience')).toBeLessThan(110)
  })

  it('of words asks for the pieces of them that fewest have, as the server counted them, of this version and the one before', async () => {
    const { database } = world.app
    const rewritten = 'update invoices set reference = $1, grams = array_to_tsvector($2::text[]) where id'
    await database.query(`${rewritten} like 'INV2-MANY-%'`, ['po-98', ['Rpo-9', 'Ro-98', 'R-98', 'rpo-', 'ro-9', '*']])
    const pieces = ['Rpo-9', 'Ro-98', 'R-987', 'R9876', 'R8765', 'R765', 'R65', 'R5', '*']
    await database.query(`${rewritten} = 'INV2-MANY-1'`, ['po-98765', pieces])
    const piecesBefore = ['rpo-', 'ro-9', 'r-98', 'r987', 'r876', 'r765', 'r65', 'r5']
    await database.query(`${rewritten} = 'INV2-MANY-2'`, ['po-98765', piecesBefore])
    await database.query('analyze invoices')
    const spy = vi.spyOn(pg.Client.prototype, 'query')
    const found = await world.merchant.post<{ items: object[] }>(SEARCH, { reference: 'PO-98765' })
    const values = spy.mock.calls.flatMap(([query]) => (query as unknown as Partial<Sent>).values ?? [])
    spy.mockRestore()

    expect(found.body.items).toHaveLength(2)
    expect(values).toEqual(
      expect.arrayContaining(["'R8765'", "'R-987'", "'R9876'", "'r-98' & 'r876' & 'r765' & 'r987'"]),
    )
    expect(values).not.toContain("'Ro-98'")
  })

  it('by the status SUCCESS, which few have, comes from the attempts that arrived', async () => {
    const { database } = world.app
    await database.query(
      `insert into delivery_queue (account_id, id, webhook_id, event_account_id, event_id, seq, resource_id,
         transmit_time, lane, attempts, next_time)
       select account_id, id, webhook_id, event_account_id, event_id, seq, resource_id, transmit_time, 0, 1,
         '2099-01-01T00:00:00.000Z'
       from deliveries where webhook_id = 'W-MANY' and event_type <> 'INVOICING.INVOICE.CANCELLED'`,
    )
    await database.query('delete from delivery_queue where event_id = any($1)', [oldest])
    await database.query(
      `insert into delivery_attempts (account_id, delivery_id, number, attempt_time, url, http_status, duration_ms,
         response_headers, response_body, error)
       select account_id, id, 1, transmit_time, 'https://many.example.com', answer, 1, '{}', '', case when answer = 500 then 'No.' end
       from deliveries cross join lateral (select case when event_id = any($1) then 200 else 500 end as answer) heard
       where webhook_id = 'W-MANY'`,
      [oldest],
    )
    await database.query('analyze delivery_attempts, delivery_queue')

    for (const path of [`${SENT}?status=SUCCESS`, `${SENT}?status=SUCCESS&webhook_id=W-MANY`]) {
      const { body } = await world.merchant.get<{ transmissions: { event_id: string }[] }>(path)
      expect(body.transmissions.map(({ event_id }) => event_id)).toEqual(oldest)
      expect(await readBy(path, 'deliver')).toBeLessThan(1_500)
    }
  })
})
